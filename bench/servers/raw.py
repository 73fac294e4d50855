"""The least that serves one row of a database: uvicorn, a JSON reader, the driver's own call.

ENGINE = sqlite | postgresql | duckdb | mysql, DSN and PORT in the environment. No validation, no
budgets, no read-only transaction, no thread: what `engines.py` holds the server against.
"""

import os

import orjson
import uvicorn

ENGINE, DSN = os.environ["ENGINE"], os.environ["DSN"]


def connect():
    """The call that reads a row, by an id."""
    if ENGINE == "sqlite":
        import sqlite3

        connection = sqlite3.connect(DSN)
        query = "SELECT id, name, price FROM items WHERE id = ?"
        return lambda id_: connection.execute(query, (id_,)).fetchone()
    if ENGINE == "postgresql":
        import psycopg

        connection = psycopg.connect(DSN, autocommit=True)
        query = "SELECT id, name, price FROM items WHERE id = %s"
        return lambda id_: connection.execute(query, (id_,)).fetchone()
    if ENGINE == "duckdb":
        import duckdb

        connection = duckdb.connect(DSN, read_only=True)
        query = "SELECT id, name, price FROM items WHERE id = ?"
        return lambda id_: connection.execute(query, [id_]).fetchone()
    import pymysql

    connection = pymysql.connect(host="127.0.0.1", user="root", database=DSN, autocommit=True)
    cursor = connection.cursor()

    def read(id_):
        cursor.execute("SELECT id, name, price FROM items WHERE id = %s", (id_,))
        return cursor.fetchone()

    return read


async def app(scope, receive, send):
    body, more = b"", True
    while more:
        event = await receive()
        body += event["body"]
        more = event.get("more_body", False)
    message = orjson.loads(body)
    value = dict(zip(("id", "name", "price"), read(message["params"]["arguments"]["id"])))
    text = orjson.dumps(value).decode()
    content = [{"type": "text", "text": text}]
    result = {"resultType": "complete", "content": content, "structuredContent": value}
    reply = orjson.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result})
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(reply))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": reply})


if __name__ == "__main__":
    read = connect()
    uvicorn.run(app, port=int(os.environ["PORT"]), log_level="error", lifespan="off", loop="uvloop")
