"""Audit documents before people see them: each alone, then the whole set (docs/explanation/corpus.md).

Start at `audit.py`.
"""
