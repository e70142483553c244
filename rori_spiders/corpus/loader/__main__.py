"""``python -m rori_spiders.corpus.loader INDEX [--list | --find WORDS]``: load the version of SOURCE_DIR, or look.

The first line of a load is ``{"execution_id": ...}``, the last one what was done. ``--list`` prints a line a document,
for `scrapy corpus reconcile`. Exit code 1 when nothing was loaded, with the reason.
"""

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

from rori_spiders.corpus.documents.document import NotADocument
from rori_spiders.corpus.loader.index import Index
from rori_spiders.corpus.loader.source import open_version
from rori_spiders.exceptions import RoriError


def main(arguments: Sequence[str] | None = None, environment: Mapping[str, str] = os.environ) -> int:
    """Run the loader; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m rori_spiders.corpus.loader", description=__doc__)
    parser.add_argument("index", type=Path, help="the index file; it is created if missing")
    parser.add_argument("--list", action="store_true", help="print each document's id and hash, as JSON lines")
    parser.add_argument("--find", metavar="WORDS", help="print the chunks that match these words")
    opts = parser.parse_args(arguments)
    tenant = environment.get("TENANT_ID", "")
    if not tenant or not (opts.list or opts.find or environment.get("SOURCE_DIR")):
        parser.error("set TENANT_ID, and to load SOURCE_DIR")
    index = Index(opts.index)
    if opts.list:
        for doc_id, digest in index.listing(tenant):
            _print_json(doc_id=doc_id, content_hash=digest)
        return 0
    if opts.find:
        for doc_id, text in index.find(tenant, opts.find):
            _print_json(doc_id=doc_id, text=text)
        return 0
    return _load_version(index, environment["SOURCE_DIR"], tenant)


def _load_version(index: Index, source_dir: str, tenant: str) -> int:
    _print_json(execution_id=str(uuid4()))
    try:
        version = open_version(source_dir, tenant)
        done = index.load(version)
    except (RoriError, NotADocument) as error:
        sys.stderr.write(f"Nothing was loaded: {error}\n")
        return 1
    _print_json(version=version.manifest.version, **done._asdict())
    return 0


def _print_json(**fields: Any) -> None:
    sys.stdout.write(f"{json.dumps(fields)}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
