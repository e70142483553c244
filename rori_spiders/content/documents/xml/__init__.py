"""XML documents to markdown: feeds, the law's own vocabularies, other XML as its text."""
