"""Pages of a wiki that an answer about many of them ends: the item of each, with that answer as its evidence."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from rori_spiders.items import Attempt, PageItem
from rori_spiders.verdicts import judge

if TYPE_CHECKING:
    from collections.abc import Callable

    from rori_spiders.items import Fetched, Visit


T = TypeVar("T")


def said_in(item: PageItem, read: Callable[[bytes], T], word: str) -> T | None:
    """What *read* makes of the answer that *item* brought; None where it is none: then it fails as *word*."""
    if item.state != "captured" or item.fetched is None:
        return None
    try:
        return read(item.fetched.body)
    except ValueError as error:
        item.state, item.reason = "failed", f"{word}: {error}"
        return None


class End(NamedTuple):
    """What became of a page. *status*: the page's, where it is not the answer's."""

    state: str
    reason: str
    status: int = 200
    alias_of: str | None = None


def ended(visit: Visit, end: End, answer: Fetched) -> PageItem:
    """The item of *visit*; the bytes of *answer* are kept with it."""
    facts = replace(answer, url=visit.url, final_url=visit.url, status=end.status)
    verdict = judge(status=404, url=visit.url, headers={}, body=b"missing") if end.status == 404 else None
    kind = verdict.kind if verdict is not None else None
    tried = Attempt(facts.tier, facts.at, facts.status, kind, end.reason, facts.response_time_ms)
    return PageItem(
        visit,
        end.state,
        end.reason,
        fetched=facts if end.alias_of is None else None,
        verdict=verdict,
        attempts=(tried,),
        at=facts.at,
        alias_of=end.alias_of,
        confirmed=end.state == "unchanged",
    )
