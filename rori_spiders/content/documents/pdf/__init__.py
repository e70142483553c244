"""PDFs to markdown: characters, lines, reading order, tables, headings, paragraphs."""
