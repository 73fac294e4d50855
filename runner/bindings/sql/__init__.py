"""SQL tools, live: databases, their threads and connections, and the binding of a `SqlPlan`.

`database.open_databases` is the door. One module an engine (`sqlite`, `postgres`); what they have
in common is the protocol in `session`. Nothing here blocks the event loop.
"""
