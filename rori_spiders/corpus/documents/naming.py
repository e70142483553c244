"""By which id a document is known: ``web_8f4d9b2a_pricing``, of its URL alone.

Prefix (what the URL itself says that it is), 8 hex digits of the hash of its one spelling, slug. Neither run nor text
nor a server's answer plays a part: the same address has the same id in every version.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.corpus.documents.subtypes import prefix_of
from rori_spiders.envelope.file_names import url_slug
from rori_spiders.urls.canonical import normalise_url, url_hash

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_DIGITS = 8
#: Of two whose ids are the same, one gets so many digits, then all.
_MORE_DIGITS = (16, 64)


def doc_id_of(url: str, digits: int = _DIGITS) -> str:
    """The id of the page at *url*; pages may share it (see ``doc_ids``). Raises ValueError for no http(s) URL."""
    address = normalise_url(url)
    return f"{prefix_of(address)}_{url_hash(address)[:digits]}_{url_slug(address)}"


def doc_ids(urls: Iterable[str], held: Mapping[str, str] | None = None) -> dict[str, str]:
    """The ids of a domain's pages by normalised URL, each another.

    *held* are ids by URL that were given before, also to pages that are gone: they are kept, and nobody else gets
    them. Else, of pages that would share an id, the first by the hash of its URL has it, and the others have one with
    more digits. The order of *urls* plays no part.
    """
    given = {normalise_url(url): name for url, name in (held or {}).items()}
    taken = set(given.values())
    named = {}
    for address in sorted(set(map(normalise_url, urls)), key=url_hash):
        if address not in given:
            names = (doc_id_of(address, digits) for digits in (_DIGITS, *_MORE_DIGITS))
            given[address] = next(name for name in names if name not in taken)
            taken.add(given[address])
        named[address] = given[address]
    return named
