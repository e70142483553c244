"""The page again, from what was kept of it: facts from the audit, bytes from the store, converted as in a run."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import TYPE_CHECKING, Any

from rori_spiders.acceptance.declining import Declined
from rori_spiders.content.convert import digest
from rori_spiders.conversion import options_of, size_of
from rori_spiders.exceptions import ConversionError
from rori_spiders.items import Fetched
from rori_spiders.ladder import restore
from rori_spiders.walkers import secrecy

if TYPE_CHECKING:
    from rori_spiders.content.convert import Converted
    from rori_spiders.ledger.history import VersionRow
    from rori_spiders.ledger.holds import Held
    from rori_spiders.manifest.models import Source
    from rori_spiders.pool import WorkPool
    from rori_spiders.redaction import Redactor
    from rori_spiders.stores.base import Store


class Reader:
    """Reads kept bytes of one store; conversions run where those of a crawl do. Close it when done."""

    def __init__(self, store: Store, redactor: Redactor, pool: WorkPool) -> None:
        self._store, self._redactor, self._pool = store, redactor, pool
        self._runner = asyncio.Runner()

    def facts(self, held: Held) -> Fetched:
        """What the server answered in the run. Raises Declined where that was not kept whole."""
        row, kept = held.audited, held.kept
        if kept is None or not (row["raw_hash"] or held.is_removal):  # a 404 may have no body
            raise Declined("an older version of this program held it and kept too little; the next run holds it anew")
        headers: dict[str, list[str]] = row["response_headers"] or {}
        received = self._object(row["raw_hash"]) if row["raw_hash"] else b""
        url = row["final_url"] or held.url
        body = received if held.is_removal else self._body(row["engine"], received, headers, url)
        return Fetched(
            url=held.url,
            final_url=url,
            status=row["http_status"],
            headers=headers,
            body=body,
            at=datetime.fromisoformat(kept["at"]),
            tier=row["engine"],
            engine_version=kept["engine_version"],
            response_time_ms=row["response_time_ms"] or 0,
            retry_count=row["retry_count"],
            credits=kept["credits"],
            redirects=tuple((status, redirected) for status, redirected in row["redirects"] or ()),
            ip_address=row["ip_address"],
            request_headers=row["request_headers"] or {},
            raw=None if body == received else received,
            said=held.said,
        )

    def _body(self, tier: str, received: bytes, headers: dict[str, list[str]], url: str) -> bytes:
        try:
            return restore(tier, received, _first(headers, "content-type"), url)[0]
        except ValueError as error:
            raise Declined(f"the bytes that were kept cannot be read: {error}") from error

    def page(self, facts: Fetched, source: Source) -> Converted:
        """The page, converted as a run would. Raises Declined."""
        try:
            page = self._convert(facts.tier, facts.received, facts.header("Content-Type"), facts.final_url, source)
        except (ConversionError, ValueError) as error:
            raise Declined(f"it cannot be converted: {error}") from error
        if secrecy.repeats(page, self._redactor):
            raise Declined(secrecy.REPEATED)
        if not page.markdown.strip():
            raise Declined("no text is left after conversion")
        return page

    def again(self, text: VersionRow, facts: Fetched, source: Source) -> Converted | None:
        """What was held before, converted as today; None where that is not possible any more."""
        try:
            raw = self._store.get_object(text.raw_object)
            return self._convert(text.tier, raw, facts.header("Content-Type"), facts.final_url, source)
        except (ConversionError, ValueError, FileNotFoundError):
            return None

    def _convert(self, tier: str, received: bytes, content_type: str | None, url: str, source: Source) -> Converted:
        body, kind = restore(tier, received, content_type, url)
        options = options_of(source)
        return self._runner.run(
            self._pool.run(size_of(body), digest, body, url=url, content_type=kind, options=options)
        )

    def _object(self, name: str) -> bytes:
        try:
            return self._store.get_object(name)
        except FileNotFoundError:
            raise Declined(f"its bytes are not in the staging area any more ({name})") from None

    def close(self) -> None:
        self._pool.close()
        self._runner.close()


def _first(headers: dict[str, Any], name: str) -> str | None:
    return next((values[0] for key, values in headers.items() if key.lower() == name and values), None)
