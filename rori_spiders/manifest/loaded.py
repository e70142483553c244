"""A valid manifest and where it came from. In: what ``loading`` validated. Out: one frozen value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rori_spiders.manifest.models import Manifest


@dataclass(frozen=True)
class Loaded:
    """A manifest that was found valid."""

    name: str  # of the file, without folder and ending
    manifest: Manifest
    text: str  # as it was read, without code fences
    sha256: str  # hex, of the text in UTF-8
    origin: str  # a path, `-`, `packaged`, `ledger`: what a message calls it
