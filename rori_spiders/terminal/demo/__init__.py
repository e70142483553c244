"""The demo: a small site of real federal regulation text on loopback, for `scrapy demo` and for trying things.

In: the site (`site/`, which `python -m tools.demo_site` builds from GPO's XML). Out: a server for it, and an edit of
one figure on one page.
"""
