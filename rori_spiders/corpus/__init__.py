"""From collected pages to a reviewed, versioned knowledge base: docs/corpus.md."""
