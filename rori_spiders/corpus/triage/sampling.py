"""A few pages that stand for their section: of each template some, those in the middle of the others' length first.

In: pages of the map. Out: the ids of those whose text is read. The same pages always give the same samples.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from rori_spiders.urls.canonical import url_hash

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rori_spiders.corpus.triage.pages import Mapped

#: Pages of one template that are read, and of one section.
OF_TEMPLATE, OF_SECTION = 2, 6


def samples(pages: Iterable[Mapped]) -> set[str]:
    """Page ids. Every section has one at least; larger templates come first where a section has many."""
    by_section: dict[str, dict[str, list[Mapped]]] = defaultdict(lambda: defaultdict(list))
    for page in pages:
        by_section[page.section][page.template].append(page)
    chosen: set[str] = set()
    for templates in by_section.values():
        taken = 0
        for _, its in sorted(templates.items(), key=lambda one: (-len(one[1]), one[0])):
            room = min(OF_TEMPLATE, OF_SECTION - taken)
            # By hash: neither the first nor the last of a list, which are often unlike the others.
            chosen.update(page.page_id for page in sorted(its, key=lambda page: url_hash(page.url))[:room])
            taken += min(room, len(its))
    return chosen
