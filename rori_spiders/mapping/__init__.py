"""``scrapy map``: what a collection of a source would ask for, as far as that can be known before it.

``inventory.py`` keeps what is found, ``sections.py`` puts it in order, ``patterns.py`` says what the manifest's
patterns do with it: steps. ``spider.py`` asks, by the source's own walker and through the gates of a collection.
"""

from rori_spiders.mapping.inventory import Entry, Inventory
from rori_spiders.mapping.spider import MapSpider, Wanted

__all__ = ["Entry", "Inventory", "MapSpider", "Wanted"]
