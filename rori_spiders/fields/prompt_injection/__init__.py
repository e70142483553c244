"""Prompt injection: find sentences of a page that address a language model. `find_instructions` (`heuristics.py`)
is the entry point. Steps.
"""
