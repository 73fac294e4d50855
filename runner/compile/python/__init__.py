"""From a callable of the author's to its plan, its schemas and its words."""
