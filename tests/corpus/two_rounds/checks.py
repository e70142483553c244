"""A version looked at from outside: its files, its manifest, an index; by hashlib, json, PyYAML and sqlite3 alone."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import yaml

from tests.corpus.two_rounds.material import mark

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.corpus.two_rounds.script import Expected, Script


def files_of(folder: Path) -> dict[str, bytes]:
    """Path below *folder* -> bytes."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def bodies(files: Mapping[str, bytes], url: str) -> dict[str, str]:
    """Path on the site -> text of a version's *files*; *url* is where the site lies, and is left out of the texts."""
    manifest = json.loads(files["manifest.json"])
    return {
        page["source_url"].removeprefix(url): files[page["path"]].decode().split("\n---\n", 1)[1].replace(url, "")
        for page in manifest["pages"]
    }


def is_as_it_should(files: Mapping[str, bytes], expected: Expected, script: Script, url: str) -> dict[str, str]:
    """Hold the files of a version against the script; doc id -> content hash. Raises AssertionError."""
    manifest = json.loads(files["manifest.json"])
    assert manifest["version"] == expected.number
    pages = {page["source_url"].removeprefix(url): page for page in manifest["pages"]}
    _same_paths(set(pages), set(expected.pages), f"pages of version {expected.number}")
    for path, page in pages.items():
        _page(files[page["path"]], page, path, expected, script)
    graves = {grave["source_url"].removeprefix(url): grave for grave in manifest["tombstones"]}
    _same_paths(set(graves), set(expected.graves), f"tombstones of version {expected.number}")
    for path, grave in graves.items():
        assert grave["since"] == expected.graves[path], path
        assert sha256(files[grave["path"]]).hexdigest() == grave["sha256"]
        assert b"<!-- nullified -->" in files[grave["path"]]
    named = (
        {"manifest.json"}
        | {one["path"] for one in (*manifest["pages"], *manifest["tombstones"])}
        | {"chunks.jsonl", "chunks.parquet", "references.jsonl"}
    )
    assert set(files) == named
    return {page["doc_id"]: page["content_hash"] for page in manifest["pages"]}


def _page(file: bytes, page: Mapping[str, Any], path: str, expected: Expected, script: Script) -> None:
    assert sha256(file).hexdigest() == page["sha256"], path
    address = page["source_url"]
    assert page["doc_id"].startswith(f"web_{sha256(address.encode()).hexdigest()[:8]}_"), page["doc_id"]
    _, head, body = file.decode().split("---\n", 2)
    front = yaml.safe_load(head)
    assert (front["source_url"], front["doc_id"]) == (address, page["doc_id"])
    told = f"{front.get('title') or ''}\n{front.get('description') or ''}\n\n{body.strip()}"
    assert sha256(told.encode()).hexdigest() == front["content_hash"] == page["content_hash"], path
    serial, held = script.serials[path], expected.pages[path]
    tells = [edition for edition in range(1, script.most_editions + 1) if mark(serial, edition) in body]
    assert tells == [held.edition], f"{path} tells of the editions {tells}, not {held.edition}"
    assert (page["state"], page["since"]) == (expected.states[path], held.since), path


def _same_paths(found: set[str], wanted: set[str], what: str) -> None:
    assert found == wanted, f"{what}: not there {sorted(wanted - found)}, too many {sorted(found - wanted)}"


def index_holds(index: Path, hashes: Mapping[str, str], expected: Expected, script: Script, url: str) -> None:
    """The reference loader's index has these documents, no others, each in its edition. Raises AssertionError."""
    with closing(sqlite3.connect(index)) as conn:
        rows = conn.execute("SELECT doc_id, content_hash, source_url FROM documents").fetchall()
        assert {doc_id: digest for doc_id, digest, _ in rows} == hashes
        for doc_id, _, address in rows:
            path = address.removeprefix(url)
            wanted = mark(script.serials[path], expected.pages[path].edition)
            query = "SELECT count(*) FROM chunks WHERE doc_id = ? AND instr(text, ?)"
            (told,) = conn.execute(query, (doc_id, wanted)).fetchone()
            assert told, f"no chunk of {path} has {wanted}"
        (strays,) = conn.execute(
            "SELECT count(*) FROM chunks WHERE doc_id NOT IN (SELECT doc_id FROM documents)"
        ).fetchone()
        assert strays == 0
