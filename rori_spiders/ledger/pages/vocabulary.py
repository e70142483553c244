"""The words of changes that commands and the API accept: reviews, and the ids of versions.

Commands read them as they start, so no SQLAlchemy here.
"""

from typing import Literal, get_args

#: ``closed``: material, and what it asks for is done.
Review = Literal["open", "material", "not_material", "closed"]
REVIEWS: tuple[Review, ...] = get_args(Review)
OPEN: Review = "open"

#: As ``12-3``: the number of a page, and that of its version.
VERSION_ID = r"^\d{1,10}-\d{1,10}$"
_MAX_NUMBER = 2**31 - 1


def format_version_id(page_id: int, seq: int) -> str:
    """Format the id of a version, or of the change that it made: ``12-3``."""
    return f"{page_id}-{seq}"


def parse_version_id(text: str) -> tuple[int, int]:
    """Parse an id such as ``12-3`` into the numbers of page and version. Raises ValueError."""
    page_id, _, seq = text.partition("-")
    if not (page_id.isascii() and page_id.isdigit() and seq.isascii() and seq.isdigit()):
        raise ValueError(f"not the id of a version: {text!r}")
    numbers = int(page_id), int(seq)
    if not all(0 < one <= _MAX_NUMBER for one in numbers):
        raise ValueError(f"no version has the id {text!r}")
    return numbers
