"""Deterministic cleaning of markdown: safe operations, applied by site rules that are data. Steps: docs/corpus.md."""
