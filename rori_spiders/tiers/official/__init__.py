"""The `official` tier: pages of publishers who offer programs a documented API, by that API, under their human URLs.

* publisher.py: what a publisher must tell. A further one is a class of that form, and a line in ``PUBLISHERS``.
* `serves`, `permitted_by_documentation`, `restored`: steps, for whoever has only a URL.
"""

from rori_spiders.tiers.official.registry import PUBLISHERS, permitted_by_documentation, publisher_of, restored, serves
from rori_spiders.tiers.official.tier import OfficialTier

__all__ = ["PUBLISHERS", "OfficialTier", "permitted_by_documentation", "publisher_of", "restored", "serves"]
