"""List who refers to whom in the latest version of a corpus, for `scrapy corpus references`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rori_spiders.corpus.loader.source import Version
from rori_spiders.corpus.publishing.current_version import read_current_version
from rori_spiders.exceptions import ActionRefused
from rori_spiders.ledger.corpus.published_versions import version_prefix
from rori_spiders.terminal.listing import Column, write_listing

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from rori_spiders.terminal.corpus.session import CorpusSession

REFERENCE_COLUMNS = (
    Column("from_url", "from"),
    Column("citation", "cites"),
    Column("resolution", "resolution"),
    Column("to_url", "to"),
    Column("kind"),
    Column("chunk"),
    Column("target_chunk"),
    Column("start"),
    Column("end"),
)


def write_references(session: CorpusSession, opts: argparse.Namespace) -> int:
    """List the references of the latest version that match the options."""
    manifest = read_current_version(session.store, opts.domain).manifest
    if manifest is None:
        raise ActionRefused(f"{opts.domain} has no published version yet. Run scrapy corpus publish {opts.domain}")
    version = Version(manifest, version_prefix(opts.domain, manifest.version), session.store.domains)
    lines = version.reference_lines()
    if lines is None:
        raise ActionRefused(
            f"version {manifest.version} of {opts.domain} has no references: an earlier release published it. "
            "Publish another version"
        )
    urls = {page.doc_id: page.source_url for page in manifest.pages}
    rows = (_reference_row(json.loads(line), urls) for line in lines)
    found = [row for row in rows if _matches(row, opts)]
    write_listing(found, REFERENCE_COLUMNS, opts.format)
    if opts.format == "table":
        print(f"{len(found):,} of {len(lines):,} references of version {manifest.version}")
    return 0


def _reference_row(reference: Mapping[str, Any], urls: Mapping[str, str]) -> dict[str, Any]:
    to = urls.get(reference["target_doc"] or "") or reference["url"]
    return {**reference, "from_url": urls[reference["doc_id"]], "to_url": to}


def _matches(row: Mapping[str, Any], opts: argparse.Namespace) -> bool:
    """*to* is a URL, a doc_id, a chunk's id, or a citation with all that stands below it."""
    if opts.resolution and row["resolution"] != opts.resolution:
        return False
    if opts.from_page and opts.from_page not in {row["from_url"], row["doc_id"], row["chunk"]}:
        return False
    if opts.to is None or opts.to in {row["to_url"], row["target_doc"], row["target_chunk"], row["citation"]}:
        return True
    return str(row["citation"]).startswith((f"{opts.to}(", f"{opts.to},", f"{opts.to}-"))
