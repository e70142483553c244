"""The demo: a small site of real federal regulation text on loopback, for `scrapy demo` and for trying things.

In: GPO's XML (`sources/`). Out: the built site (`site/`, by `python -m rori_spiders.demo.build`), a server for it, and
an edit of one figure on one page.
"""
