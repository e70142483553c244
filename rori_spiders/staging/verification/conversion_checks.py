"""Each text against a second conversion of the bytes that it was made of."""

from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from typing import Any, Protocol

from sqlalchemy import Row, select

from rori_spiders.exceptions import ConversionError, StagingError
from rori_spiders.ledger.audit import audit_log
from rori_spiders.ledger.audit.audit_log import ResponseRecord
from rori_spiders.ledger.database import Ledger
from rori_spiders.ledger.tables import pages, runs, versions
from rori_spiders.staging.store import Store
from rori_spiders.staging.verification.finding import Finding
from rori_spiders.staging.verification.parallel_reads import map_in_threads
from rori_spiders.staging.verification.selection import Selection


class PageConverter(Protocol):
    """Converts stored bytes again."""

    processes: int  # conversions that run at the same time

    def manifest_version(self, source_id: str) -> str | None: ...

    def converter_version(self, source_id: str) -> str: ...

    def convert(self, source_id: str, tier: str, received: bytes, content_type: str | None, url: str) -> str: ...


def check_conversions(
    ledger: Ledger, store: Store, converter: PageConverter, selection: Selection, counts: Counter[str]
) -> Iterator[Finding]:
    """Each version that *selection* opens. Other converters and options may make another text of the same bytes.

    Only what the same converter makes otherwise, of a source whose manifest has the version of then, is a finding; the
    others are counted: ``texts_of_another_converter``, ``texts_of_another_manifest``, ``texts_not_converted``.
    """
    columns = (*versions.c, pages.c.source_id, pages.c.url, pages.c.url_hash, runs.c.manifest_version)
    query = select(*columns).join_from(versions, pages).join(runs, runs.c.run_id == versions.c.run_id)
    texts = selection.restrict(query.where(versions.c.change_type != "deleted"), versions.c.run_id)

    def compare(one: tuple[Row[Any], ResponseRecord | None]) -> tuple[str, Finding | None]:
        return _compare(store, converter, *one)

    with ledger.connect() as conn:
        rows = conn.execute(texts.order_by(versions.c.page_id, versions.c.seq).execution_options(yield_per=100))
        chosen = (
            (row, audit_log.response_of_version(conn, row.run_id, row.url_hash))
            for row in selection.choose("texts", rows)
        )
        for outcome, finding in map_in_threads(compare, chosen, threads=converter.processes):
            counts[outcome] += 1
            if finding is not None:
                yield finding


def _compare(
    store: Store, converter: PageConverter, row: Row[Any], response: ResponseRecord | None
) -> tuple[str, Finding | None]:
    """What became of one text, by the name of its count, and what is wrong with it."""
    manifest_version = converter.manifest_version(row.source_id)
    if manifest_version is None:
        return "texts_not_converted", None
    url = response.final_url if response is not None and response.final_url else row.url
    content_type = response.content_type if response is not None else None
    why = "another text"
    try:
        text = converter.convert(row.source_id, row.tier, store.get_object(row.raw_object), content_type, url)
        if sha256(text.encode()).hexdigest() == row.content_hash:
            return "texts_reconverted", None
    except (FileNotFoundError, StagingError):
        return "texts_not_converted", None  # a finding of the objects
    except (ConversionError, ValueError) as error:
        why = f"no text: {error}"
    if row.converter_version != (version := converter.converter_version(row.source_id)):
        return "texts_of_another_converter", None
    if row.manifest_version != manifest_version:
        return "texts_of_another_manifest", None
    sentence = f"converter {version}, with the options of manifest {manifest_version}, makes of its bytes {why}"
    return "texts_reconverted", Finding("conversion_differs", f"{row.url} (version {row.seq})", sentence)
