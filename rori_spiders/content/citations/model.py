"""A found citation: position, kind, and canonical spelling."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Citation:
    """One mention in a text. ``start`` and ``end`` are offsets in characters of the text that was searched.

    ``kind`` is one of `rori_spiders.content.citations.KINDS`; ``canonical`` is the form that all spellings of one
    citation share ("12 C.F.R. § 1024.2"). ``target`` is what a named regulation stands for, where its agency is known.
    """

    start: int
    end: int
    kind: str
    canonical: str
    target: str | None = None
