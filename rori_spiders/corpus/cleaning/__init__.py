"""Deterministic cleaning of markdown: safe operations, applied by site rules. Steps (docs/corpus.md). Start at
`cleaner.py`.
"""
