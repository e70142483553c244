"""What cleaning gives back: the body, and all that was done to it. Nothing vanishes without standing here."""

from __future__ import annotations

from dataclasses import dataclass

#: A person has to look: the page says different things to different visitors, or not all that it has.
NEEDS_VARIANT_REVIEW = "needs_variant_review"


@dataclass(frozen=True, slots=True)
class Removal:
    """``text`` is ``body[start:end]`` of the body that was given.

    ``binds``: what in it binds; only where a person's rule names the block or its section.
    """

    operation: str
    rule: str
    text: str
    start: int
    end: int
    binds: str | None = None


@dataclass(frozen=True, slots=True)
class Repair:
    """``before`` is ``body[start:end]`` of the body that was given; the same words stand in ``after``."""

    operation: str
    rule: str
    before: str
    after: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Flagged:
    """A name of docs/corpus.md, and what was seen."""

    name: str
    evidence: str


@dataclass(frozen=True, slots=True)
class Draft:
    """A cleaned body. ``document``: the PDF that is the content where the page is only its stub: fetch that instead."""

    body: str
    removals: tuple[Removal, ...] = ()
    repairs: tuple[Repair, ...] = ()
    flags: tuple[Flagged, ...] = ()
    document: str | None = None
