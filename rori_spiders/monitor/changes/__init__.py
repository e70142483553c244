"""The list of changes over all sources, and what people decided of each."""
