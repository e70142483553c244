"""The last look at documents before people see them: each alone, then all together (docs/corpus.md)."""
