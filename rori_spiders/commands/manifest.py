"""``scrapy manifest``: check, compare, activate and describe manifests."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from rori_spiders.exceptions import UsageError
from rori_spiders.inforce import activate_checked, active_before, existing_ledger, read_in_force, what_ends
from rori_spiders.ledger.database import open_ledger
from rori_spiders.manifest.configured import configured
from rori_spiders.manifest.loading import load_files
from rori_spiders.manifest.patterns import doubts
from rori_spiders.manifest.reach import check_reach
from rori_spiders.manifest.schema import json_schema
from rori_spiders.manifest.schema import prompt as prompt_for
from rori_spiders.manifest.versions import differences
from rori_spiders.terminal.command import RoriCommand, Verbs, known_sources
from rori_spiders.terminal.endings import print_endings
from rori_spiders.terminal.listing import FORMATS
from rori_spiders.terminal.online import validate_online
from rori_spiders.terminal.tiers import absent

if TYPE_CHECKING:
    import argparse

    from rori_spiders.manifest.catalog import Catalog
    from rori_spiders.manifest.loaded import Loaded


class Manifest(RoriCommand):
    examples = (
        "scrapy manifest validate manifests/fthb.json",
        "scrapy manifest validate - < answer.txt   what a model answered, code fences and all",
        "scrapy manifest validate new.json --online   asks each source's robots.txt, and its start URL once",
        "scrapy manifest diff new.json             against the active one of the same name",
        "scrapy manifest activate new.json wikis.json",
        "scrapy manifest prompt --seed notes.txt   for any chat model",
    )

    def syntax(self) -> str:
        return "validate|diff|activate|schema|prompt [options]"

    def short_desc(self) -> str:
        return "Validate, compare, activate and describe manifests"

    def long_desc(self) -> str:
        return (
            "A manifest is the reviewed file of sources. It is checked as a whole: every problem is named at once, "
            "with source id and JSON path, and nothing changes until it is valid. See docs/manifest.md."
        )

    def options(self, parser: argparse.ArgumentParser) -> None:
        verbs = Verbs(parser)
        validate = verbs.add("validate", "check files; without any, what is in force")
        validate.add_argument("files", nargs="*", metavar="FILE", help="JSON or YAML; - for standard input")
        validate.add_argument(
            "--online", action="store_true", help="ask robots.txt and start URL of each active source"
        )
        validate.add_argument(
            "--source", action="append", default=[], metavar="ID", help="--online: only this source (may be repeated)"
        )
        validate.add_argument("--format", choices=FORMATS, help="--online: table (default), json or csv")
        diff = verbs.add("diff", "differences by source and field; of NEW alone also what would end")
        diff.add_argument("files", nargs="+", metavar="FILE", help="OLD NEW; or NEW alone, against the active version")
        activate = verbs.add("activate", "make these the versions that run")
        activate.add_argument("files", nargs="+", metavar="FILE", help="a manifest (JSON or YAML)")
        activate.add_argument("--only", action="store_true", help="end the active versions of all other names")
        verbs.add("schema", "print the JSON Schema")
        prompt = verbs.add("prompt", "print the prompt that makes a model write a manifest")
        prompt.add_argument("--seed", metavar="FILE", help="notes on the sources; - for standard input")

    def answer(self, opts: argparse.Namespace) -> int:
        if opts.verb == "schema":
            print(json.dumps(json_schema(), indent=2, ensure_ascii=False))
        elif opts.verb == "prompt":
            print(prompt_for(_text(opts.seed) if opts.seed else None))
        elif opts.verb == "validate":
            return self._validate(opts)
        elif opts.verb == "diff":
            self._diff(opts.files)
        else:
            self._activate(opts)
        return 0

    def _validate(self, opts: argparse.Namespace) -> int:
        if not opts.online and (opts.source or opts.format):
            raise UsageError("--source and --format go with --online")
        catalog = self._load(opts.files) if opts.files else self._in_force()
        self._check_tiers(catalog)
        if opts.format in {None, "table"}:
            for one in catalog.loaded:
                print(f"{one.origin}: valid. {_in_words(one)}")
        return self._online(catalog, opts) if opts.online else 0

    def _online(self, catalog: Catalog, opts: argparse.Namespace) -> int:
        assert self.settings is not None
        active = [source for source in catalog.sources if source.status == "active"]
        sources = known_sources(catalog, opts.source) if opts.source else active
        return validate_online(self.settings, catalog, sources, opts.format or "table")

    def _load(self, files: list[str]) -> Catalog:
        return load_files(files, allowed_addresses=self.places.allowed_addresses)

    def _check_tiers(self, catalog: Catalog) -> None:
        """Refuse sources that no tier can reach here; warn of tiers that they name and that cannot work here now."""
        assert self.settings is not None
        named = configured(self.settings)
        check_reach(catalog, named)
        sys.stderr.writelines(f"{line}\n" for line in (*absent(self.settings, catalog), *doubts(catalog)))

    def _in_force(self) -> Catalog:
        with existing_ledger(self.places) as ledger:
            return read_in_force(self.places, ledger)

    def _diff(self, files: list[str]) -> None:
        if len(files) > 2:
            raise UsageError("diff compares two manifests: OLD NEW")
        *before, catalog = [self._load([file]) for file in files]
        (new,) = catalog.loaded
        old = before[0].loaded[0] if before else active_before(self.places).get(new.name)
        if old is None:
            print(f"No manifest named {new.name!r} is active: it would be the first. {_in_words(new)}")
        else:
            found = differences(old.manifest, new.manifest)
            for difference in found:
                print(difference)
            if not found:
                print(f"No differences between {old.origin} and {new.origin}.")
        if not before:
            print_endings(what_ends(catalog, self.places), would=True)

    def _activate(self, opts: argparse.Namespace) -> None:
        catalog = self._load(opts.files)
        self._check_tiers(catalog)
        before = active_before(self.places)
        ends = what_ends(catalog, self.places, only=opts.only)
        ledger = open_ledger(self.places.database_url)
        try:
            others = activate_checked(
                catalog,
                ledger,
                actor=self.person(),
                now=self.now(),
                only=opts.only,
                allowed_addresses=self.places.allowed_addresses,
            )
        finally:
            ledger.close()
        for one in catalog.loaded:
            print(f"{one.name}: active now. {_in_words(one)} {_against(before.get(one.name), one)}")
        if others:
            print(f"{'No longer active' if opts.only else 'Still active beside it'}: {', '.join(others)}.")
        if self.places.manifests:
            sys.stderr.write("RORI_MANIFEST is set, and wins: the next collection activates what it names.\n")
        else:
            print_endings(ends)


def _text(file: str) -> str:
    try:
        return sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {file}: {error}") from None


def _in_words(loaded: Loaded) -> str:
    sources = loaded.manifest.sources
    by_status = ", ".join(f"{count} {status}" for status, count in Counter(one.status for one in sources).most_common())
    plural = "" if len(sources) == 1 else "s"
    return f"Version {loaded.manifest.version}, {len(sources)} source{plural} ({by_status or 'none'})."


def _against(old: Loaded | None, new: Loaded) -> str:
    if old is None:
        return "It is the first version of this name."
    found = differences(old.manifest, new.manifest)
    return f"{len(found)} differences from the version before." if found else "The same as the version before."
