"""List who refers to whom in the latest version of a corpus, for `scrapy corpus references`."""

import argparse

from rori_spiders.corpus.loader.references import find_references
from rori_spiders.terminal.corpus.session import CorpusSession
from rori_spiders.terminal.listing import Column, write_listing

REFERENCE_COLUMNS = (
    Column("from_url", "from"),
    Column("citation", "cites"),
    Column("resolution", "resolution"),
    Column("to_url", "to"),
    Column("from_title"),
    Column("to_title"),
    Column("kind"),
    Column("chunk"),
    Column("target_chunk"),
    Column("start"),
    Column("end"),
)


def write_references(session: CorpusSession, opts: argparse.Namespace) -> int:
    """List the references of the latest version that match the options."""
    wanted = {"to": opts.to, "from_page": opts.from_page, "resolution": opts.resolution}
    found = find_references(session.store, opts.domain, **wanted)
    write_listing(found.rows, REFERENCE_COLUMNS, opts.format)
    if opts.format == "table":
        print(f"{len(found.rows):,} of {found.in_all:,} references of version {found.version}")
    return 0
