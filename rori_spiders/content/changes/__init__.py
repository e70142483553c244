"""What changed between two texts: blocks, sections, tables and words, aligned and described."""
