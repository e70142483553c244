"""By which tiers a URL is fetched, and in which order. Steps: `tiers/` fetches, here nothing is asked.

* order.py: the ladder of a URL. rendering.py: pages that begin with the browser, rows of a table.
* restoring.py: the page from the bytes that a tier received.
"""

from rori_spiders.ladder.names import BROWSER, HTTP, MEDIAWIKI, OFFICIAL
from rori_spiders.ladder.order import ladder, ladder_of, ladder_of_sitemap
from rori_spiders.ladder.restoring import restore

__all__ = ["BROWSER", "HTTP", "MEDIAWIKI", "OFFICIAL", "ladder", "ladder_of", "ladder_of_sitemap", "restore"]
