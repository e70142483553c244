"""Citations of law and guidance in text: where each stands, what kind it is, and its one canonical spelling."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.content.citations.citation import Citation

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Citation", "find"]


def find(text: str, context: Mapping[str, str] | None = None) -> list[Citation]:
    """Every citation in ``text``, in the order of their places."""
    return []
