"""Versions of pages, compared and searched: differences, changes with their importance, an index of the texts."""
