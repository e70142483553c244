"""A clean tree to markdown: blocks, lists, tables, anchors."""
