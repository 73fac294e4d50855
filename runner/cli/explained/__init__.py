"""What a call would do, as a tree of words; nothing is opened, dialled or run."""
