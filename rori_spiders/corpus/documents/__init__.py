"""A document of the corpus: front matter and markdown, and its published name (docs/explanation/corpus.md)."""
