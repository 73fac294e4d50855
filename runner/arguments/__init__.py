"""What a client sent, held against a tool's input: coerced without loss, then checked."""
