"""Compare two texts: align and describe blocks, sections, tables and words."""
