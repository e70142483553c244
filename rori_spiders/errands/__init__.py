"""Errands: addresses that another program wants fetched, in no manifest, with no run, and nothing staged.

``child.py`` is the process that ``fetching`` starts, ``spider.py`` what works in it; ``source.py`` makes an errand what
the gates of a collection know, a source; ``errand.py`` is one under way.
"""
