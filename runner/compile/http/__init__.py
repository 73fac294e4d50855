"""`apis` and `http` of the file, compiled."""
