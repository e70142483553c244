"""Publishers who offer programs a documented API: what to ask it for, under which human URLs. Steps; nothing is asked.

* publisher.py: what a publisher must tell. A further one is a class of that form, and a line in ``PUBLISHERS``.
* `tiers/official.py` asks their APIs.
"""

from rori_spiders.publishers.registry import PUBLISHERS, permitted_by_documentation, publisher_of, restored, serves

__all__ = ["PUBLISHERS", "permitted_by_documentation", "publisher_of", "restored", "serves"]
