"""``scrapy manifest``: validate, compare, activate and describe manifests."""

from __future__ import annotations

import json
import sys
import textwrap
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from rori_spiders.configuration.existing_ledger import open_existing_ledger
from rori_spiders.exceptions import ActionRefused, ManifestError, UsageError
from rori_spiders.ledger.database import open_ledger
from rori_spiders.runtime.plurals import format_count
from rori_spiders.terminal.command import RoriCommand, Subcommands, find_sources
from rori_spiders.terminal.listing import FORMATS, print_hint
from rori_spiders.urls.canonical import host_of, normalise_url

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from rori_spiders.manifest.catalog import Catalog, LoadedManifest


class Manifest(RoriCommand):
    examples = (
        "scrapy manifest validate manifests/fthb.json",
        "scrapy manifest validate - < answer.txt     a model's answer, including its code fences",
        "scrapy manifest validate new.json --online  also request robots.txt and start URL of each source",
        "scrapy manifest diff new.json                 compare with the active version",
        "scrapy manifest activate new.json wikis.json",
        "scrapy manifest activate fthb.json mine.json  the packaged one, with your changes",
        "scrapy manifest activate-source fannie-selling-guide",
        "scrapy manifest add https://www.hud.gov/guide/ --to mine.json   inspect, propose, write",
        "scrapy manifest prompt --seed notes.txt       a prompt for any chat model",
    )
    usage = "validate|diff|activate|activate-source|add|schema|prompt [options]"
    summary = "Validate, compare, activate and describe manifests"
    description = (
        "A manifest is a reviewed file of sources. Validation reports all problems at once, each with source id "
        "and JSON path; an invalid manifest is never activated. See docs/reference/manifest.md."
    )

    def options(self, parser: argparse.ArgumentParser) -> None:
        verbs = Subcommands(parser)
        validate = verbs.add("validate", "validate files; without any, the active manifests")
        validate.add_argument("files", nargs="*", metavar="FILE", help="JSON or YAML; - for standard input")
        validate.add_argument(
            "--online", action="store_true", help="request robots.txt and start URL of each active source"
        )
        validate.add_argument(
            "--source", action="append", default=[], metavar="ID", help="with --online: only this source (repeatable)"
        )
        validate.add_argument("--format", choices=FORMATS, help="with --online: table (default), json or csv")
        diff = verbs.add(
            "diff", "list differences by source and field; with NEW alone, also the sources it would remove"
        )
        diff.add_argument("files", nargs="+", metavar="FILE", help="OLD NEW, or NEW to compare with the active version")
        activate = verbs.add("activate", "activate these manifests")
        activate.add_argument("files", nargs="+", metavar="FILE", help="manifest (JSON or YAML)")
        activate.add_argument("--exclusive", action="store_true", help="deactivate all other manifests")
        source = verbs.add("activate-source", "activate proposed or paused sources of the active manifest")
        source.add_argument("ids", nargs="+", metavar="ID", help="id of a source of the active manifest")
        source.add_argument("--yes", action="store_true", help="do not ask for confirmation")
        add = verbs.add("add", "inspect the site of a URL, propose a source, and write it to a manifest")
        add.add_argument("url", metavar="URL", help="start page of the source")
        add.add_argument("--to", metavar="FILE", help="manifest to write it into (default: the last of RORI_MANIFEST)")
        add.add_argument("--id", metavar="ID", help="id of the source (default: made from the URL)")
        add.add_argument("--jurisdiction", help="federal, national, state:XX or local:PLACE (default: by the host)")
        add.add_argument("--source-type", metavar="TYPE", help="regulation, guidance, ... (default: by the URL)")
        add.add_argument("--yes", action="store_true", help="do not ask for confirmation")
        verbs.add("schema", "print the JSON Schema")
        prompt = verbs.add("prompt", "print a prompt for a language model to write a manifest")
        prompt.add_argument("--seed", metavar="FILE", help="notes about the sources; - for standard input")

    def answer(self, opts: argparse.Namespace) -> int:
        from rori_spiders.manifest.schema import build_prompt as prompt_for
        from rori_spiders.manifest.schema import json_schema

        if opts.verb == "schema":
            print(json.dumps(json_schema(), indent=2, ensure_ascii=False))
        elif opts.verb == "prompt":
            print(prompt_for(_read_seed(opts.seed) if opts.seed else None))
        elif opts.verb == "validate":
            return self._validate(opts)
        elif opts.verb == "diff":
            self._diff(opts.files)
        elif opts.verb == "activate-source":
            return self._activate_sources(opts.ids, is_confirmed=opts.yes)
        elif opts.verb == "add":
            return self._add(opts)
        else:
            self._activate(self._load(opts.files), exclusive=opts.exclusive)
        return 0

    def _validate(self, opts: argparse.Namespace) -> int:
        from rori_spiders.terminal.manifests import print_coverage, print_estimates

        if not opts.online and (opts.source or opts.format):
            raise UsageError("--source and --format need --online")
        catalog = self._load(opts.files) if opts.files else self._load_active()
        self._check_tiers(catalog)
        if opts.format in {None, "table"}:
            with open_existing_ledger(self.places) as ledger:
                for one in catalog.loaded:
                    print(f"{one.origin}: valid. {_describe_manifest(one)}")
                    if not opts.online:
                        print_coverage(one, ledger)
                print_estimates(catalog, ledger, self.settings.getint("RORI_MAX_PAGES"))
        return self._online(catalog, opts) if opts.online else 0

    def _online(self, catalog: Catalog, opts: argparse.Namespace) -> int:
        from rori_spiders.terminal.manifests import validate_online

        active = [source for source in catalog.sources if source.status == "active"]
        sources = find_sources(catalog, opts.source) if opts.source else active
        return validate_online(self.settings, catalog, sources, opts.format or "table")

    def _load(self, files: list[str]) -> Catalog:
        from rori_spiders.manifest.loading import find_packaged_file, load_files

        paths = [one if Path(one).exists() else find_packaged_file(one) or one for one in files]
        return load_files(paths, allowed_addresses=self.places.allowed_addresses)

    def _check_tiers(self, catalog: Catalog, *, only: Sequence[str] = ()) -> None:
        """Refuse sources that no tier here can fetch; warn of named tiers that are unavailable."""
        from rori_spiders.manifest.problems import group_warnings
        from rori_spiders.manifest.scope import pattern_warnings
        from rori_spiders.manifest.tier_selection import check_sources_have_tiers, configured_tiers
        from rori_spiders.terminal.tiers import sources_with_missing_tiers

        named = configured_tiers(self.settings)
        check_sources_have_tiers(catalog, named)
        warnings = (*sources_with_missing_tiers(self.settings, catalog), *pattern_warnings(catalog, only=only))
        sys.stderr.writelines(f"{line}\n" for line in group_warnings(warnings))

    def _load_active(self) -> Catalog:
        with open_existing_ledger(self.places) as ledger:
            return self.load_catalog(ledger)

    def _diff(self, files: list[str]) -> None:
        from rori_spiders.configuration.active_manifest import active_manifests_by_name, removals_by_activation
        from rori_spiders.manifest.versions import diff_manifests
        from rori_spiders.terminal.manifests import print_removals

        if len(files) > 2:
            raise UsageError("diff accepts at most two manifests: OLD NEW")
        *before, catalog = [self._load([file]) for file in files]
        (new,) = catalog.loaded
        old = before[0].loaded[0] if before else active_manifests_by_name(self.places).get(new.name)
        if old is None:
            print(
                f"No manifest named {new.name!r} is active; this would be its first version. {_describe_manifest(new)}"
            )
        else:
            found = diff_manifests(old.manifest, new.manifest)
            for difference in found:
                print(difference)
            if not found:
                print(f"No differences between {old.origin} and {new.origin}.")
        if not before:
            print_removals(removals_by_activation(catalog, self.places), would=True)

    def _activate_sources(self, ids: list[str], *, is_confirmed: bool) -> int:
        from rori_spiders.manifest.catalog import Catalog
        from rori_spiders.manifest.loading import apply_overrides, parse_manifest
        from rori_spiders.terminal.manifests import WIDTH

        overrides = [{"override": one, "status": "active"} for one in ids]
        if self.places.manifests:
            overlay = json.dumps({"version": "1.0.0", "sources": overrides})
            raise ActionRefused(
                "RORI_MANIFEST is set, so activated manifests are not used. Save this overlay to a file, and add "
                f"the file to RORI_MANIFEST: {overlay}"
            )
        catalog = self._load_active()
        for source in find_sources(catalog, ids):
            print(f"{source.id}: {source.name}, {source.url}: {source.status} until now.")
            if source.metadata is not None and source.metadata.notes:
                print(textwrap.indent(textwrap.fill(source.metadata.notes, WIDTH), "  "))
        if not is_confirmed and not _confirm(f"Collect {format_count(len(ids), 'source')} from now on?"):
            return 1
        changed = [
            parse_manifest(
                merged,
                name=catalog.loaded[position].name,
                origin=catalog.loaded[position].origin,
                allowed_addresses=self.places.allowed_addresses,
            )
            for position, merged in apply_overrides(overrides, catalog.loaded, "activate-source")
        ]
        self._activate(Catalog(changed), exclusive=False, only=ids)
        return 0

    def _add(self, opts: argparse.Namespace) -> int:
        from rori_spiders.crawl.preview.source_proposal import (
            ID_WHILE_LOOKED_AT,
            choose_jurisdiction,
            choose_source_type,
            propose_source,
        )
        from rori_spiders.manifest.catalog import Catalog
        from rori_spiders.manifest.loading import add_source, read_defaults, read_source_ids
        from rori_spiders.terminal.manifests import (
            choose_file_to_write,
            describe_next_step,
            look_at_site,
            parse_entry,
            print_proposal,
        )

        target, catalog = choose_file_to_write(self.places, opts.to), self._load_active()
        taken = {*read_source_ids(target), *(source.id for source in catalog.sources)}
        if opts.id in taken:
            raise UsageError(f"--id {opts.id}: the id is already in use; choose another")
        defaults = read_defaults(target)
        manifest = parse_entry(
            {
                "id": opts.id or ID_WHILE_LOOKED_AT,
                "name": "Site to add",
                "url": opts.url,
                "domain": host_of(opts.url) or opts.url,
                "jurisdiction": opts.jurisdiction or choose_jurisdiction(opts.url, catalog.sources),
                "source_type": opts.source_type or choose_source_type(opts.url, catalog.sources),
                "method": "crawl",
                "status": "active",
            },
            defaults,
            self.places,
        )
        (source,) = manifest.manifest.sources
        _check_is_new(source.url, catalog)
        look, inventory, job = look_at_site(
            self.settings, Catalog([*catalog.loaded, manifest]), source, actor=self.person()
        )
        proposal = propose_source(source, look, inventory, taken=taken, now=self.now())
        _check_is_new(proposal.entry["url"], catalog)
        added = parse_entry(proposal.entry, defaults, self.places)
        print_proposal(proposal, look, inventory, job, Catalog([*catalog.loaded, added]))
        if not opts.yes and not _confirm(f"Add it to {target}?"):
            return 1
        add_source(target, proposal.entry)
        print_hint(f"{target}: added {proposal.entry['id']}. {describe_next_step(target, catalog, self.places)}")
        return 0

    def _activate(self, catalog: Catalog, *, exclusive: bool, only: Sequence[str] = ()) -> None:
        from rori_spiders.configuration.active_manifest import (
            activate_catalog,
            active_manifests_by_name,
            removals_by_activation,
        )
        from rori_spiders.terminal.manifests import print_removals

        self._check_tiers(catalog, only=only)
        before = active_manifests_by_name(self.places)
        ends = removals_by_activation(catalog, self.places, exclusive=exclusive)
        with open_ledger(self.places.database_url) as ledger:
            others = activate_catalog(
                catalog,
                ledger,
                actor=self.person(),
                now=self.now(),
                exclusive=exclusive,
                allowed_addresses=self.places.allowed_addresses,
            )
        for one in catalog.loaded:
            print(f"{one.name}: activated. {_describe_manifest(one)} {_diff_lines(before.get(one.name), one)}")
        if others:
            print(f"{'No longer active' if exclusive else 'Still active'}: {', '.join(others)}.")
        if self.places.manifests:
            sys.stderr.write("RORI_MANIFEST is set and overrides this: the next collection activates its manifests.\n")
        else:
            print_removals(ends)


def _check_is_new(url: str, catalog: Catalog) -> None:
    """Raise ManifestError when a source starts there already."""
    same = next((one for one in catalog.sources if normalise_url(one.url) == normalise_url(url)), None)
    if same is not None:
        raise ManifestError([f"{url}: the source {same.id} already starts there (status {same.status})"])


def _confirm(question: str) -> bool:
    """Whether a person at the terminal says yes. Raises UsageError where nobody can be asked."""
    if not sys.stdin.isatty():
        raise UsageError("cannot ask for confirmation, stdin is not a terminal: add --yes")
    return input(f"{question} [y/N] ").strip().lower() in {"y", "yes"}


def _read_seed(file: str) -> str:
    try:
        return sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ActionRefused(f"cannot read {file}: {error}") from None


def _describe_manifest(loaded: LoadedManifest) -> str:
    sources = loaded.manifest.sources
    by_status = ", ".join(f"{count} {status}" for status, count in Counter(one.status for one in sources).most_common())
    return f"Version {loaded.manifest.version}, {format_count(len(sources), 'source')} ({by_status or 'none'})."


def _diff_lines(old: LoadedManifest | None, new: LoadedManifest) -> str:
    from rori_spiders.manifest.versions import diff_manifests

    if old is None:
        return "First version of this name."
    found = diff_manifests(old.manifest, new.manifest)
    return (
        f"{format_count(len(found), 'difference')} from the previous version."
        if found
        else "No differences from the previous version."
    )
