"""Why a page cannot be accepted."""

from __future__ import annotations

from rori_spiders.exceptions import RoriError


class Declined(RoriError):
    """Raised for a held page that cannot be accepted, in a sentence without its URL. Nothing of it was written."""
