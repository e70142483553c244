"""Pages of a source, their versions, and the difference between two versions."""
