"""Tasks: kept in a SQL database that every worker shares, and run by the workers."""
