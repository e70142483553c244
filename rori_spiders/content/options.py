"""What a source may ask of its pages' conversion."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Options:
    """What a source asks of its pages' conversion: CSS selectors for the content, and for what is not content."""

    content_selector: str | None = None
    remove_selectors: tuple[str, ...] = ()


DEFAULTS = Options()
