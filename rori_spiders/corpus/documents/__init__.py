"""A document of the corpus: front matter and markdown, and by which name it is published (docs/corpus.md)."""
