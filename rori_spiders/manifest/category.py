"""The category of a source that does not name one, from its domain and jurisdiction (the rows of S0 §6.1).

In: host and jurisdiction. Out: a ``Category``, which gives the default frequency.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rori_spiders.manifest.vocabulary import Category

# Each stands right under a top-level domain, so a host's last two labels say whether it is one of them.
_BY_PUBLISHER: dict[str, Category] = {
    "federalregister.gov": "federal_register",
    "ecfr.gov": "ecfr",
    "consumerfinance.gov": "cfpb",
    "cfpb.gov": "cfpb",
    "fanniemae.com": "gse_guide",
    "freddiemac.com": "gse_guide",
    "ginniemae.gov": "gse_guide",
    "hud.gov": "hud",
    "huduser.gov": "hud",
    "hudexchange.info": "hud",
}
_BY_JURISDICTION: dict[str, Category] = {
    "federal": "federal_agency",
    "national": "industry_org",
    "state": "state_agency",
    "local": "state_agency",
}


@lru_cache(maxsize=1 << 15)
def category_of(host: str, jurisdiction: str) -> Category:
    """The publisher decides where S0's table names one; else the jurisdiction (``state:CA`` -> ``state_agency``)."""
    known = _BY_PUBLISHER.get(".".join(host.rsplit(".", 2)[-2:]))
    return known or _BY_JURISDICTION[jurisdiction.partition(":")[0]]
