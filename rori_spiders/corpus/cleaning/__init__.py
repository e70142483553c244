"""Deterministic cleaning of markdown: safe operations, applied by site rules.

Steps: docs/explanation/corpus.md. Start at `cleaner.py`.
"""
