"""The real commands, over a site served from a script: collected, run, looked at by an operator, published, loaded."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from tests.corpus.two_rounds.checks import files_of, index_holds, is_as_it_should
from tests.corpus.two_rounds.script import INDEX, SECTIONS, Script
from tests.support.project import Project, source

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from tests.corpus.two_rounds.material import Material
    from tests.corpus.two_rounds.script import Expected
    from tests.support.server.site import Site

_SOURCE = "records"
#: What may stand against a page that the script counts in: rules about its text, which the operator overrules.
_OF_TEXTS = {"language", "title", "old news", "undated news"}
#: Longer ago than the two looks of a page that is gone must be apart.
_LONG_AGO = f"{datetime.now(UTC) - timedelta(days=2):%Y-%m-%dT%H:%M:%S.%fZ}"


@dataclass
class Drive:
    """One project over one site. ``refused``: path -> why no version may have the page."""

    folder: Path
    site: Site
    material: Sequence[Material]
    env: Mapping[str, str] = field(default_factory=dict)
    script: Script = field(default_factory=Script)
    refused: dict[str, list[str]] = field(default_factory=dict)
    overruled: int = 0
    _seen: dict[str, str] = field(default_factory=dict)  # file of a version -> hash, as it was first seen

    def __post_init__(self) -> None:
        self.project = Project(self.folder)
        self.index = self.folder / "index.db"
        self.loader = f"{self.project.python} -m rori_spiders.corpus.loader {self.index}"
        self.project.env |= {"RORI_CORPUS_LOADER": self.loader, "RORI_CORPUS_AUTO_DRAFT": "0", **self.env}
        folders = sorted({f"{folder}/*" for folder, _ in SECTIONS})
        config = {"follow_links": True, "max_depth": 1, "include_patterns": [INDEX, *folders]}
        one = source(_SOURCE, self.site.at(INDEX), method="crawl", scrape_config=config)
        self.domain: str = one["domain"]
        self.project.manifest([one], delay_s=0.01)

    # --- the site ---------------------------------------------------------------------------------------------------

    def serve(self) -> None:
        """The site as the script has it."""
        for path, edition in self.script.editions.items():
            serial = self.script.serials[path]
            page = self.material[serial % len(self.material)].html(serial, edition, asks=serial % 5 == 0)
            self.site.page(path, page)
        for path in self.script.removed:
            self.site.status(path, 404)
        links = [path for path in self.script.editions if path not in self.script.unlisted]
        items = "".join(f'<li><a href="{path}">{path}</a></li>' for path in links)
        told = "This list names all records that the agency keeps at present. " * 10
        self.site.page(INDEX, f"<main><h1>All records</h1><p>{told}</p><ul>{items}</ul></main>")

    def collect(self, *, days_later: bool = False) -> None:
        """A collection; *days_later*: what the one before missed was missed for two days."""
        if days_later:
            with closing(sqlite3.connect(self.project.ledger)) as ledger, ledger:
                ledger.execute("UPDATE pages SET missing_since = ? WHERE missing_since IS NOT NULL", (_LONG_AGO,))
        self.serve()
        done = self.project.scrapy("collect", "--source", _SOURCE, "--force", timeout=900.0)
        assert "1 of 1 sources complete" in done.stdout, done.stdout + done.stderr

    # --- the commands -----------------------------------------------------------------------------------------------

    def does(self, verb: str, *options: str, code: int = 0, stdin: str | None = None, **env: str) -> str:
        """What ``scrapy corpus`` prints. Raises AssertionError for another exit code than *code*."""
        words = ("corpus", verb, self.domain, *options)
        done = self.project.scrapy(*words, env=env, timeout=900.0, stdin=stdin)
        assert done.returncode == code, f"{verb} {options[:3]}: {done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    def rows(self) -> dict[str, dict[str, Any]]:
        """Path -> the row of the run that is under way."""
        found: list[dict[str, Any]] = json.loads(self.does("review", "--format", "json"))
        return {row["url"].removeprefix(self.site.url): row for row in found}

    def decides(self, decision: str, paths: Collection[str], reason: str) -> None:
        """The operator says *decision* (``include``, ``exclude``, ``add``) of these."""
        if paths:
            self.does("review", *(f"--{decision}={self.site.at(path)}" for path in paths), "--reason", reason)
        for path in paths:
            self.script.said[path] = "exclude" if decision == "exclude" else "include"

    def reviewed(self, *, whole: bool) -> None:
        """The operator looks at what the run came to, until it is approved; *whole*: of all the site."""
        rows = self.rows()
        self._decisions_are_right(rows, whole=whole)
        against = [path for path, row in rows.items() if self._counts(path) and row["decision"] != "include"]
        self.overruled += len(against)
        self.decides("include", against, "it is one of the records")
        recent = [path for path, row in rows.items() if row["rule"] == "recent news" and not self._counts(path)]
        self.decides("exclude", [path for path in recent if path in self.script.editions], "dated by its address")
        if against or any(row["decision"] == "include" and row["gate"] is None for row in rows.values()):
            self.does("run")
            rows = self.rows()
        included = {path: row for path, row in rows.items() if row["decision"] == "include" and row["got"] != "gone"}
        for path, row in included.items():
            if row["document_object"] is None:
                self.refused[path] = [f"no text: {row['got_reason']}"]
            elif row["gate"] == "excluded":
                self.refused[path] = [one["code"] for one in row["findings"] if one["severity"] == "blocks"]
        self.decides("exclude", [path for path in rows if path in self.refused], "a gate is shut")
        held = [path for path, row in rows.items() if row["gate"] == "needs_review" and row["review"] is None]
        held = [f"--approve-page={self.site.at(path)}" for path in held if rows[path]["decision"] == "include"]
        self.does("review", "--approve-publishable", "--reason", "read it", *held)
        self.does("approve")

    def approvals_hold(self) -> None:
        """What was approved of an edition stays approved until there is another, and no longer."""
        assert self.script.last is not None
        was = {path: held.edition for path, held in self.script.last.pages.items()}
        for path, row in self.rows().items():
            if row["decision"] == "include" and path in self.script.editions:
                same = was.get(path) == self.script.editions[path]
                assert row["review"] == ("approved" if same else None), (path, row)

    def _counts(self, path: str) -> bool:
        return path in self.script.editions and self.script.belongs(path)

    def _decisions_are_right(self, rows: Mapping[str, Mapping[str, Any]], *, whole: bool) -> None:
        if whole:
            assert set(self.script.belonging) <= set(rows), sorted(set(self.script.belonging) - set(rows))
        for path, row in rows.items():
            if self._counts(path):
                assert row["decision"] == "include" or row["rule"] in _OF_TEXTS, (path, row)
            elif row["decision"] != "exclude":
                assert path in self.script.removed or path == INDEX or row["rule"] == "recent news", (path, row)
            elif path in self.script.editions and path not in self.script.said:
                assert row["rule"] == self.script.rule_against(path), (path, row)

    # --- versions ---------------------------------------------------------------------------------------------------

    @property
    def corpora(self) -> Path:
        return self.project.staging / "domains" / self.domain / "corpora"

    def latest(self) -> int:
        return int(json.loads((self.corpora / "latest.json").read_text())["version"])

    def files(self, version: int) -> dict[str, bytes]:
        return files_of(self.corpora / f"v{version}")

    def is_published(self, expected: Expected) -> dict[str, str]:
        """`latest` names a version as the script has it, and those before are what they were; doc id -> hash."""
        pointer = json.loads((self.corpora / "latest.json").read_text())
        files = self.files(expected.number)
        assert pointer["version"] == expected.number
        assert pointer["manifest_sha256"] == sha256(files["manifest.json"]).hexdigest()
        hashes = is_as_it_should(files, expected, self.script, self.site.url)
        for version in range(1, expected.number + 1):
            for name, data in self.files(version).items():
                digest = sha256(data).hexdigest()
                assert self._seen.setdefault(f"v{version}/{name}", digest) == digest, "a version has changed"
        return hashes

    def is_loaded(self, expected: Expected, hashes: Mapping[str, str]) -> None:
        """The index holds the version, by its own tables and by `reconcile`."""
        index_holds(self.index, hashes, expected, self.script, self.site.url)
        assert "No drift" in self.does("reconcile", "-", stdin=self.listing())

    def listing(self) -> str:
        """What the index says of itself, as the reference loader lists it."""
        with closing(sqlite3.connect(self.index)) as conn:
            rows = conn.execute("SELECT doc_id, content_hash FROM documents").fetchall()
        return "\n".join(json.dumps({"doc_id": doc_id, "content_hash": digest}) for doc_id, digest in rows)

    def drifts(self) -> dict[str, str]:
        """Path -> how the index differs from the latest version, as `reconcile` says."""
        manifest = json.loads(self.files(self.latest())["manifest.json"])
        known = {one["doc_id"]: one["source_url"] for one in (*manifest["pages"], *manifest["tombstones"])}
        told = json.loads(self.does("reconcile", "-", "--format", "json", stdin=self.listing(), code=1))
        return {known[one["doc_id"]].removeprefix(self.site.url): one["kind"] for one in told}
