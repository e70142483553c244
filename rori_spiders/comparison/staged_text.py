"""The text of a version as it was staged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.exceptions import StagingError

if TYPE_CHECKING:
    from rori_spiders.ledger.pages.page_history import VersionRow
    from rori_spiders.staging.store import Store


class TextMissing(StagingError):
    """Raised where the text of a version is not in the staging area."""

    def __init__(self, store: Store, version: VersionRow) -> None:
        super().__init__(
            f"{store.location}: the text of version {version.seq}, object {version.body_object}, is missing. "
            "Objects are never pruned: restore it from a backup, or set RORI_STAGING to the right staging area."
        )
        self.version = version


def read_staged_text(store: Store, version: VersionRow) -> str:
    """The version's text as it was staged; "" of a removal. Raises TextMissing."""
    if version.is_removal:
        return ""
    try:
        return store.get_object(version.body_object).decode("utf-8", "replace")
    except FileNotFoundError:
        raise TextMissing(store, version) from None
