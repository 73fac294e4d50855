"""Input and output schemas: from the grammar of the file, or whole ones, to what is listed."""
