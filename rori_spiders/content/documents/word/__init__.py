"""Word documents to markdown: text runs, numbering, formulas, styles."""
