"""Pages of any public address, as a stream, for a program whose event loop is not Scrapy's.

A process of its own (``rori_spiders.errands``) fetches them: by the tiers, through the gates of a collection, nothing
staged. ``fetcher.py`` is the program's end of the pipe, ``messages.py`` what goes over it. Neither imports Scrapy.
"""

from rori_spiders.fetching.fetcher import Fetcher
from rori_spiders.fetching.messages import Done, NotPage, Page

__all__ = ["Done", "Fetcher", "NotPage", "Page"]
