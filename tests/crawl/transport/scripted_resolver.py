"""A resolver whose lookup is told by a test what names answer; all that follows the lookup is the collector's own.

Used by ``-s TWISTED_DNS_RESOLVER=tests.crawl.transport.scripted_resolver.ToldResolver``, with names and answers in
TOLD_NAMES: ``name=first+first|second|...``; the last answer stays.
"""

from __future__ import annotations

import os
from collections import Counter

from rori_spiders.crawl.transport.resolver import PublicResolver

_lookups: Counter[str] = Counter()


class ToldResolver(PublicResolver):
    """Answers in turn; names that it was not told have no address."""

    def look_up(self, host: str) -> tuple[str, ...]:
        addresses = dict(entry.split("=") for entry in os.environ["TOLD_NAMES"].split(","))
        if host not in addresses:
            return ()
        answers = addresses[host].split("|")
        _lookups[host] += 1
        return tuple(answers[min(_lookups[host], len(answers)) - 1].split("+"))
