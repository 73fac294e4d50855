"""A small project that has one tool of every kind."""

from pathlib import Path

SCHEMA = """\
CREATE TABLE items (id INTEGER PRIMARY KEY, owner TEXT, title TEXT);
CREATE TABLE labels (item_id INTEGER, label TEXT);
"""
SEED = "INSERT INTO items (owner, title) VALUES ('ada', 'lamp'), ('ada', 'rug'), ('sam', 'cup');\n"
CODE = """\
import asyncio, sys
from runner import Database

async def wait() -> str:
    print("waiting", file=sys.stderr, flush=True)
    await asyncio.Event().wait()
    return "never"

def greet(name: str, shop: Database) -> str:
    return f"hello {name}"
"""
SHOP = """\
mcp: 1
server: {name: shop, version: 1.0.0}
databases:
  shop: {url: "sqlite:///data/shop.db", create: {schema: schema.sql, seed: seed.sql}}
apis:
  weather:
    url: https://api.example.com/v1
    auth: {bearer: "${TOKEN:-hunter2-token}"}
    headers: {X-Key: "${KEY:-hunter2-key}"}
    timeout: {connect: 1s, read: 2s, total: 3s}
callers:
  ada: {user_id: ada, scopes: [shop]}
  sam: {user_id: sam}
auth: {anonymous: {caller: sam}, stdio: {caller: ada}}
tools:
  find:
    description: Finds items. Only your own.
    input:
      title?: string
      ids?: "integer[]"
      sort: {choose: {newest: id DESC, title: title}, default: newest}
      limit: {type: integer, default: 10}
    bind: {owner: caller.user_id}
    sql: |
      SELECT id, title FROM items WHERE owner = :owner
        [[ AND title = :title ]] [[ AND id IN :ids ]]
      ORDER BY {sort} LIMIT :limit
  add:
    description: Adds an item.
    writes: true
    input: {title: string, labels?: "string[]", note?: string}
    bind: {owner: caller.user_id}
    check: [{that: title|length > 2, else: "“{{ title }}” is too short"}]
    sql:
      - {run: "INSERT INTO items (owner, title) VALUES (:owner, :title) RETURNING id", as: made}
      - {each: labels, run: "INSERT INTO labels VALUES (:made.id, :item)"}
      - {if_sent: note, run: "UPDATE items SET title = :note WHERE id = :made.id"}
      - "SELECT id, title FROM items WHERE id = :made.id"
    result: {shape: row}
  forecast:
    description: The weather.
    input: {city: string, days?: integer}
    http: {api: weather, get: "/forecast/{city}", query: {days: $days}, headers: {X-Note: a}}
  report:
    description: Reports the weather.
    writes: true
    input: {city: string}
    http: {api: weather, post: /reports, body: {city: $city, kind: "{{ city }}!"}}
  greet: {description: Greets., writes: false, python: "code:greet"}
  wait: {description: Waits., writes: false, python: "code:wait"}
  words: {description: Says., value: ":smile: [bold]x[/bold]"}
  both:
    description: Greets and finds.
    input: {name: string}
    steps:
      - {tool: greet, with: {name: $name}, as: greeting}
      - {tool: find, with: {title: $greeting}, as: found}
      - {value: {said: $greeting, to: $name}, as: told}
"""


def shop(folder: Path, text: str = SHOP) -> Path:
    """The folder with the project in it."""
    folder.mkdir(parents=True, exist_ok=True)
    files = {"mcp.yaml": text, "schema.sql": SCHEMA, "seed.sql": SEED, "code.py": CODE}
    for name, content in files.items():
        (folder / name).write_text(content, encoding="utf-8")
    return folder
