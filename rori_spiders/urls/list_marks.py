"""What becomes of each URL of a list: its marks, in the order of the URLs, stored with the bytes of the list."""

import json
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from rori_spiders.reasons import Reason
from rori_spiders.urls import sitemap_reader
from rori_spiders.urls.canonical import normalise_url

#: The mark of a URL that has a row of its own.
HAS_ROW = 0
#: The mark of an entry that is not a URL, and of a URL that holds a secret: its row has another spelling.
_NO_ROW = -1


class ListMarks:
    """What becomes of each URL of a list: one call for each, in its order."""

    def __init__(self) -> None:
        self._marks: list[int] = []
        self._numbers: dict[tuple[str, Reason], int] = {}
        self._new: Counter[int] = Counter()

    def keep(self, *, has_row: bool) -> None:
        """The next URL is not counted: it has a row of its own, or is none."""
        self._marks.append(HAS_ROW if has_row else _NO_ROW)

    def exclude(self, kind: str, reason: Reason, *, is_new: bool) -> None:
        """The next URL is left out for *reason*; *is_new*: the run has not met it before."""
        mark = self._numbers.setdefault((kind, reason), len(self._numbers) + 1)
        self._marks.append(mark)
        self._new[mark] += is_new

    def __bool__(self) -> bool:
        return bool(self._numbers)

    def encode(self) -> bytes:
        """The marks as they are kept: runs of equal ones, each with its length."""
        reasons = [{"kind": kind, "code": reason.code, "detail": reason.detail} for kind, reason in self._numbers]
        lengths = [[mark, len(list(same))] for mark, same in groupby(self._marks)]
        document = {"reader": sitemap_reader.READER_VERSION, "reasons": reasons, "marks": lengths}
        return json.dumps(document, sort_keys=True, separators=(",", ":")).encode()

    def counts(self) -> Iterator[tuple[int, str, Reason, int]]:
        """Of each kind and reason: its mark, both, and how many URLs the run had not met before."""
        for (kind, reason), mark in self._numbers.items():
            yield mark, kind, reason, self._new[mark]


class MarkedUrl(NamedTuple):
    """A URL of a list, and why it is left out; no reason: it is not, and ``mark`` 0 says that it has a row."""

    url: str
    mark: int
    kind: str
    reason: Reason | None


def marked_urls(body: bytes, list_url: str, marks: bytes) -> Iterator[MarkedUrl]:
    """The URLs of the list with the bytes *body*, normalised, with what its *marks* say of them.

    Raises ValueError where the two do not belong together, or another version of this program read the list.
    """
    document = json.loads(marks)
    if document["reader"] != sitemap_reader.READER_VERSION:
        raise ValueError(f"its marks are those of version {document['reader']} of the sitemap reader, not of this one")
    reasons = [(one["kind"], Reason(one["code"], **one["detail"])) for one in document["reasons"]]
    named = sitemap_reader.read_sitemap(body, list_url)
    urls = (*named.sitemaps, *named.pages)
    numbers = [mark for mark, length in document["marks"] for _ in range(length)]
    if len(numbers) != len(urls):
        raise ValueError(f"the list names {len(urls)} URLs, but has marks for {len(numbers)}")
    for url, mark in zip(urls, numbers, strict=True):
        try:
            spelt = normalise_url(url)
        except ValueError:
            continue
        kind, reason = reasons[mark - 1] if mark > HAS_ROW else ("", None)
        yield MarkedUrl(spelt, mark, kind, reason)
