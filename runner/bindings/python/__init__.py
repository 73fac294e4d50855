"""The Python binding: loads an author's callables, runs them, makes outcomes of their results."""
