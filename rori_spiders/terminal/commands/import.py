"""``scrapy import``: take in captures that others made, apart from what was collected; and list them."""

from __future__ import annotations

import hashlib
import re
import sys
import zipfile
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rori_spiders.configuration.existing_ledger import open_existing_ledger
from rori_spiders.exceptions import ActionRefused, ManifestError, UsageError
from rori_spiders.ledger.database import open_ledger
from rori_spiders.runtime.plurals import format_count
from rori_spiders.staging.store_factory import open_store
from rori_spiders.terminal.command import (
    RoriCommand,
    Subcommands,
    add_format_option,
    add_sources_option,
    find_sources,
    parse_day,
    parse_page_url,
    positive_count,
)
from rori_spiders.terminal.listing import Column, print_hint, write_listing
from rori_spiders.urls.canonical import host_of, normalise_url, origin_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Mapping

    from sqlalchemy import Connection

    from rori_spiders.comparison.version_diff import TextArchive
    from rori_spiders.crawl.history import History
    from rori_spiders.crawl.tiers.official.ecfr import CfrPlace
    from rori_spiders.evidence.imports.importer import Importer, ImportReport
    from rori_spiders.evidence.imports.records import Record
    from rori_spiders.evidence.imports.warc_files import WarcReader
    from rori_spiders.ledger.pages.imported_captures import ImportedCapture, ImportedFile, Withdrawal
    from rori_spiders.manifest.catalog import Catalog
    from rori_spiders.manifest.models import Source

_LISTS = {
    "urls": "a list of URLs (one a line)",
    "changedetection": "changedetection.io (url-watches.json)",
    "urlwatch": "urlwatch (urls.yaml)",
}
_DECISIONS = {
    "withdraw": "no longer show what was imported by mistake; its record stays",
    "restore": "show an import that was withdrawn again",
}
_STATES = ("imported", "refused", "unreadable", "damaged", "unchanged", "absent", "no_text")
#: What is counted and not recorded, in words.
_UNRECORDED = {
    "out of scope": "of no source",
    "without a text": "days without a text",
    "not given": "not given",
    "no page": "not imported (styles, scripts, fonts, pictures)",
    "malformed": "not imported (malformed rows of a list)",
}
#: What an import compares at once, before it ends.
_COMPARISON_S = 30.0
#: How far back a history goes where --since does not say.
_YEARS = 3
_CFR = re.compile(r"(?P<title>[1-9]\d?)\s+(?:cfr\s+)?(?:part\s+)?(?P<part>\d{1,5}[a-z]?)", re.IGNORECASE)
_STATE_COLOURS = (("imported", "green"), ("refused", "yellow"), ("unreadable", "yellow"), ("damaged", "red"))
CAPTURE_COLUMNS = (
    Column("captured_at", "captured (UTC)"),
    Column("source", "source"),
    Column("url", "url"),
    Column("state", "state", colours=_STATE_COLOURS),
    Column("why", "why"),
    Column("trust", "trust"),
    Column("file", "from"),
    *map(Column, ("provenance", "title", "published", "http_status", "verdict", "content_hash", "raw_hash", "record")),
    *map(Column, ("file_sha256", "imported_by", "imported_at", "import_id")),
)
FILE_COLUMNS = (
    Column("imported_at", "imported (UTC)"),
    Column("kind", "kind"),
    Column("file", "file"),
    *(Column(state, state, right=True) for state in _STATES),
    Column("imported_by", "by"),
    Column("import_id", "id"),
    Column("withdrawn", "withdrawn"),
    *map(Column, ("file_sha256", "software", "withdrawn_at", "withdrawn_by")),
)


class Import(RoriCommand):
    examples = (
        "scrapy import warc archive/*.warc.gz",
        "scrapy import wacz crawl.wacz --source cfpb-reg-x",
        "scrapy import folder saved/ --base-url https://www.hud.gov/",
        "scrapy import ecfr 12 CFR 1024 --since 2023-01-01",
        "scrapy import fr 12 CFR 1024",
        "scrapy import cdx https://www.hud.gov/fha --server https://web.archive.org/cdx/search/cdx",
        "scrapy import changedetection url-watches.json --to mine.json",
        "scrapy import list",
        "scrapy import list --page https://www.hud.gov/fha --format json",
        "scrapy import withdraw 3f2a91c0 --reason 'captures of the test server'",
    )
    usage = (
        "warc|wacz FILE... | folder FOLDER [--base-url URL] [--date DATE] | "
        "ecfr|fr PART [--since DATE] [--until DATE] | cdx URL --server URL [--limit N] | "
        "urls|changedetection|urlwatch FILE [--to FILE] | list [--page URL] | withdraw|restore ID --reason TEXT"
    )
    summary = "Import captures from files, past texts of the CFR, and sources from other programs"
    description = (
        "Imported captures are judged and converted as pages of a run are, and recorded with the file, its SHA-256, "
        "who imported it, and the time of the capture. `ecfr` and `fr` ask the publishers' APIs, which state now what "
        "was published then. They are never mixed with what was collected: no check, interval or coverage counts them, "
        "and `as-of`, `diff` and `changes --imported` show them as imported. The same file "
        "again changes nothing; an import that was stopped is completed by the same command. `urls`, "
        "`changedetection` and `urlwatch` add proposed sources to a manifest, and request nothing."
    )

    def options(self, parser: argparse.ArgumentParser) -> None:
        verbs = Subcommands(parser)
        for kind, what in (("warc", "WARC files, packed or not"), ("wacz", "WACZ files")):
            verb = verbs.add(kind, f"import the pages of {what}")
            verb.add_argument("files", nargs="+", metavar="FILE", type=Path, help="file to import")
            self._add_source(verb)
        folder = verbs.add("folder", "import saved pages: HTML, PDF and other documents")
        folder.add_argument("folder", metavar="FOLDER", type=Path, help="folder, with an index.csv or --base-url")
        folder.add_argument("--base-url", metavar="URL", help="URL of the folder")
        folder.add_argument(
            "--date",
            metavar="DATE",
            type=parse_day,
            help="date of files outside of folders such as 2019-03-01/",
        )
        self._add_source(folder)
        histories = {
            "ecfr": "import the past texts of a part of the CFR, as the eCFR states them for each day",
            "fr": "import the documents of the Federal Register on a part of the CFR",
        }
        for kind, what in histories.items():
            verb = verbs.add(kind, what)
            verb.add_argument("part", nargs="+", metavar="PART", help="such as 12 CFR 1024, or a source's id or URL")
            verb.add_argument(
                "--since", metavar="DATE", type=parse_day, help=f"first day (default: {_YEARS} years ago)"
            )
            verb.add_argument("--until", metavar="DATE", type=parse_day, help="last day (default: today)")
            self._add_source(verb)
        archive = verbs.add("cdx", "import the captures that a web archive has of a page, or of all below an address")
        url_help = "URL of the page; with * at its end: of all that begin with it, and that a source collects"
        archive.add_argument("url", metavar="URL", type=_parse_page_or_prefix, help=url_help)
        archive.add_argument(
            "--server",
            metavar="URL",
            required=True,
            help="the archive's CDX server, such as https://web.archive.org/cdx/search/cdx",
        )
        archive.add_argument("--replay", metavar="URL", help="what stands before the time in addresses of its captures")
        archive.add_argument("--since", metavar="DATE", type=parse_day, help="first day (default: all that it has)")
        archive.add_argument("--until", metavar="DATE", type=parse_day, help="last day (default: all that it has)")
        archive.add_argument(
            "--limit",
            metavar="N",
            type=positive_count,
            help="request at most N captures; the next call resumes",
        )
        self._add_source(archive)
        for kind, what in _LISTS.items():
            verb = verbs.add(kind, f"add the pages of {what} to a manifest, as proposed sources")
            verb.add_argument("file", metavar="FILE", type=Path, help="file to read")
            verb.add_argument(
                "--to",
                metavar="FILE",
                help="manifest to write to, created if need be (default: the last of RORI_MANIFEST)",
            )
        for verb_name, what in _DECISIONS.items():
            verb = verbs.add(verb_name, what)
            verb.add_argument("import_id", metavar="ID", help="id of the import, or how it begins (scrapy import list)")
            verb.add_argument("--reason", metavar="TEXT", required=True, help="why, for the record")
        listing = verbs.add("list", "list imported files; with --page, --source or --state, captures")
        add_sources_option(listing)
        listing.add_argument("--page", metavar="URL", type=parse_page_url, help="only captures of this page")
        listing.add_argument("--state", choices=_STATES, help="only captures with this state")
        add_format_option(listing)

    def _add_source(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--source", metavar="ID", help="only pages of this source (default: each page's own, by the manifest)"
        )

    def answer(self, opts: argparse.Namespace) -> int:
        if opts.verb == "list":
            return self._list(opts)
        if opts.verb == "folder":
            return self._import_folder(opts)
        if opts.verb in _DECISIONS:
            return self._decide(opts)
        if opts.verb == "cdx":
            return self._import_archive(opts)
        if opts.verb in {"ecfr", "fr"}:
            return self._import_part(opts)
        return self._propose_sources(opts) if opts.verb in _LISTS else self._import_files(opts)

    # --- importing ----------------------------------------------------------------------------------------------------

    def _import_files(self, opts: argparse.Namespace) -> int:
        from rori_spiders.evidence.imports.wacz_files import read_wacz
        from rori_spiders.evidence.imports.warc_files import WarcReader, is_warc

        for path in opts.files:
            if not path.is_file():
                raise UsageError(f"{path}: no such file")
            if not (zipfile.is_zipfile(path) if opts.verb == "wacz" else is_warc(path)):
                raise UsageError(f"{path} is not a {opts.verb.upper()} file")
        is_clean = True
        with self._importer(opts) as importer:
            for path in opts.files:
                reader = WarcReader(self.settings.getint("RORI_MAX_BYTES"))
                with path.open("rb") as content:
                    digest = hashlib.file_digest(content, "sha256").hexdigest()
                    file = importer.new_file(opts.verb, path.name, digest)
                    records = reader.read(content) if opts.verb == "warc" else read_wacz(content, reader)
                    is_clean &= self._import(importer, file, records, reader)
        return 0 if is_clean else 1

    def _import_folder(self, opts: argparse.Namespace) -> int:
        from rori_spiders.evidence.imports.folders import list_saved_files
        from rori_spiders.evidence.imports.importer import ImportReport

        if not opts.folder.is_dir():
            raise UsageError(f"{opts.folder}: no such folder")
        found = list_saved_files(opts.folder, base_url=opts.base_url, day=opts.date)
        max_bytes, report = self.settings.getint("RORI_MAX_BYTES"), ImportReport()
        with self._importer(opts) as importer:
            try:
                for one in found:
                    digest, record = one.read(max_bytes)
                    importer.import_records(importer.new_file("folder", one.name, digest), [record], report)
            finally:
                importer.record_action(str(opts.folder), report, {"kind": "folder"})
                code = self._report(str(opts.folder), report, {})
        return code

    def _import_part(self, opts: argparse.Namespace) -> int:
        from rori_spiders.evidence.imports.ecfr_history import FIRST_DAY, PartHistory
        from rori_spiders.evidence.imports.federal_register_history import DocumentHistory
        from rori_spiders.evidence.imports.importer import ImportReport

        with open_existing_ledger(self.places) as ledger:
            catalog = self.load_catalog(ledger)
        today, report = self.now().date(), ImportReport()
        until = min(opts.until or today, today)
        since = opts.since or _years_before(until, _YEARS)
        if since > until:
            raise UsageError(f"--since {since} is after the last day, {until}")
        if opts.verb == "ecfr":
            source, place, url = _find_part(catalog, " ".join(opts.part), opts.source)
            opts.source = source.id
            if since < FIRST_DAY:
                print(f"The eCFR has texts from {FIRST_DAY} on: --since {since} is taken as that day.")
                since = FIRST_DAY
            with self._importer(opts, catalog) as importer:
                api = self.settings["RORI_ECFR_API"].rstrip("/")
                part = PartHistory(place, url, api, since, until, importer, report)
                return self._read_history(importer, catalog, part.name, url, part.read(), report)
        source, title, number = _find_search(catalog, " ".join(opts.part), opts.source)
        opts.source = source.id
        site = origin_of(normalise_url(source.url))
        with self._importer(opts, catalog, every=source) as importer:
            api = self.settings["RORI_FEDERAL_REGISTER_API"].rstrip("/")
            documents = DocumentHistory(title, number, site, api, since, until, importer, report)
            url = documents.search().url(f"{site}/api/v1")
            return self._read_history(importer, catalog, documents.name, url, documents.read(), report)

    def _import_archive(self, opts: argparse.Namespace) -> int:
        from rori_spiders.evidence.imports.cdx_history import ArchiveHistory, replay_address
        from rori_spiders.evidence.imports.importer import ImportReport

        with open_existing_ledger(self.places) as ledger:
            catalog = self.load_catalog(ledger)
        try:
            server = normalise_url(opts.server)
            replay = normalise_url(opts.replay) if opts.replay else replay_address(server)
        except ValueError as error:
            raise UsageError(f"--server, --replay: {error}") from None
        if replay is None:
            raise UsageError(f"--replay is needed: the address of captures is not known for {server}")
        if host_of(replay) != host_of(server):
            raise UsageError(f"--replay and --server are of two hosts, {host_of(replay)} and {host_of(server)}")
        report = ImportReport()
        with self._importer(opts, catalog) as importer:
            if not opts.url.endswith("*") and importer.sources.find(opts.url) is None:
                raise UsageError(f"no source collects {opts.url}. `scrapy manifest add {opts.url}` proposes one")
            of_days = (opts.since, opts.until)
            archive = ArchiveHistory(opts.url, server, replay.rstrip("/"), *of_days, importer, report, limit=opts.limit)
            code = self._read_history(importer, catalog, archive.name, server, archive.read(), report)
            if archive.is_cut:
                print(f"Asked for {format_count(opts.limit, 'capture')}, as --limit says: the same command goes on.")
        return code

    def _read_history(
        self, importer: Importer, catalog: Catalog, name: str, url: str, history: History, report: ImportReport
    ) -> int:
        """Ask for all that *history* wants, in the name of *url*; print what became of it, also of one that stopped."""
        from scrapy.crawler import AsyncCrawlerProcess

        from rori_spiders.crawl.adhoc.history_spider import HistoryRequest, HistorySpider
        from rori_spiders.runtime.redacted_output import write_progress_line
        from rori_spiders.terminal.crawl_runner import run_spider

        def show_progress(requests: int) -> None:
            write_progress_line(
                f"{format_count(requests, 'request')}, {report.counts['imported']} imported (Ctrl-C stops)"
            )

        wanted = HistoryRequest(url, history, self.person(), show_progress)
        job = run_spider(AsyncCrawlerProcess(self.settings), HistorySpider, catalog=catalog, wanted=wanted)
        write_progress_line("")
        importer.record_action(name, report, {})
        code = self._report(name, report, {})
        job.raise_problem()
        if wanted.error is not None:
            raise wanted.error
        for why in job.locked_sources.values():
            sys.stderr.write(f"Not now: {why}\n")
        if not wanted.is_complete:
            sys.stderr.write("Not complete: the same command goes on with it.\n")
        return code if wanted.is_complete and not report.counts["not given"] else 1

    @contextmanager
    def _importer(
        self, opts: argparse.Namespace, catalog: Catalog | None = None, every: Source | None = None
    ) -> Iterator[Importer]:
        """*catalog*: where it is loaded already. *every*: the source of all records, else each has its own, by URL."""
        from rori_spiders.comparison.version_diff import TextArchive
        from rori_spiders.crawl.source_finder import OneSource, SourceFinder
        from rori_spiders.evidence.imports.importer import Importer
        from rori_spiders.evidence.imports.pooled_assessor import PooledAssessor
        from rori_spiders.workers.pool import WorkPool

        store = open_store(self.places.staging)
        store.check_writable()
        with open_ledger(self.places.database_url) as ledger:
            catalog = catalog or self.load_catalog(ledger)
            if opts.source:
                find_sources(catalog, [opts.source])
            pool = WorkPool.from_settings(self.settings)
            with PooledAssessor(pool) as assessor:
                finder = SourceFinder(catalog, opts.source) if every is None else OneSource(every)
                yield Importer(ledger, store, finder, assessor, self.person(), self.now())
            self._describe_changes(TextArchive(ledger, store, lambda: catalog))

    def _describe_changes(self, archive: TextArchive) -> None:
        """Compare the texts that were imported, so that lists of changes have them; what takes longer waits there."""
        from rori_spiders.comparison.imported_change_log import describe_imported_changes
        from rori_spiders.ledger.pages.change_records import ChangeFilter
        from rori_spiders.ledger.pages.imported_changes import count_imported_changes

        left = describe_imported_changes(archive, clock=self.now, longest_s=_COMPARISON_S)
        with archive.ledger.connect() as conn:
            found = count_imported_changes(conn, ChangeFilter())
        if found or left:
            more = f" ({left} more are to be compared)" if left else ""
            print_hint(f"{format_count(found, 'change')} between imported texts{more}: scrapy changes --imported")

    def _import(self, importer: Importer, file: ImportedFile, records: Iterable[Record], reader: WarcReader) -> bool:
        """Import one file, and print what became of it also where that is stopped; whether nothing was damaged."""
        from rori_spiders.evidence.imports.importer import ImportReport

        report = ImportReport()
        try:
            importer.import_records(file, records, report, lambda: reader.software)
        finally:
            details = {"kind": file.kind, "sha256": file.sha256, "skipped": dict(reader.skipped)}
            importer.record_action(file.name, report, details)
            code = self._report(file.name, report, reader.skipped)
        return code == 0

    def _report(self, name: str, report: ImportReport, skipped: Mapping[str, int]) -> int:
        counted = [f"{report.counts[state]} {state}" for state in _STATES if report.counts[state]]
        counted += [f"{report.known} recorded before"] if report.known else []
        counted += [f"{report.counts[one]} {words}" for one, words in _UNRECORDED.items() if report.counts[one]]
        counted += [f"{count} not imported ({why})" for why, count in sorted(skipped.items())]
        print(f"{name}: {', '.join(counted) or 'nothing to import'}.")
        for one in report.damaged:
            sys.stderr.write(f"Damaged: {name}, record {one.record}, {one.url or 'URL unknown'}: {one.reason}.\n")
        return 1 if report.damaged else 0

    # --- sources ------------------------------------------------------------------------------------------------------

    def _propose_sources(self, opts: argparse.Namespace) -> int:
        """Add what another program watches to a manifest, without asking any server."""
        from rori_spiders.crawl.preview.source_proposal import choose_jurisdiction, choose_source_type, source_id_for
        from rori_spiders.crawl.preview.watch_lists import READERS
        from rori_spiders.manifest.loading import add_source, load_files, read_defaults, read_source_ids
        from rori_spiders.terminal.manifests import choose_file_to_write, describe_next_step, parse_entry

        target = choose_file_to_write(self.places, opts.to)
        with open_existing_ledger(self.places) as ledger:
            catalog = self.load_catalog(ledger)
        sources = [*catalog.sources]
        if target.exists():
            sources += load_files([str(target)], allowed_addresses=self.places.allowed_addresses).sources
        by_url = {normalise_url(one.url): one.id for one in sources}
        taken = {*read_source_ids(target), *(one.id for one in sources)}
        defaults, added, failed = read_defaults(target), 0, 0
        for one in READERS[opts.verb](_read_text(opts.file)):
            try:
                url = one.normalised_url()
                if url in by_url:
                    print(f"{one.place}: {url} is the source {by_url[url]} already.")
                    continue
                source_id = source_id_for(url, taken)
                jurisdiction, kind = choose_jurisdiction(url, sources), choose_source_type(url, sources)
                entry = one.entry(source_id, jurisdiction, kind, opts.verb)
                parse_entry(entry, defaults, self.places)
            except (ValueError, ManifestError) as error:
                sys.stderr.write(
                    f"{opts.file.name}, {one.place}: not added: {one.url or one.name or 'unnamed'}: {error}\n"
                )
                failed += 1
                continue
            add_source(target, entry)
            by_url[url], added = source_id, added + 1
            taken.add(source_id)
            print(f"{one.place}: {source_id}: {url}{''.join(f' ({note})' for note in one.notes)}")
        print(f"{target}: added {format_count(added, 'source')} (proposed).")
        if added:
            print_hint(describe_next_step(target, catalog, self.places, are_proposed=True))
        return 1 if failed else 0

    # --- decisions ----------------------------------------------------------------------------------------------------

    def _decide(self, opts: argparse.Namespace) -> int:
        from rori_spiders.ledger.operations.activity_log import record_action
        from rori_spiders.ledger.pages import imported_captures

        reason, is_withdrawn = opts.reason.strip(), opts.verb == "withdraw"
        if not reason:
            raise UsageError("--reason: a reason is required")
        with self.collected_ledger() as ledger:
            with ledger.connect() as conn:
                known = [file for file, _ in imported_captures.list_imports(conn)]
            found = [one for one in known if one.import_id.startswith(opts.import_id)]
            if len(found) != 1:
                problem = "begins the ids of several imports" if found else "is not the id of an import"
                raise UsageError(f"{opts.import_id!r} {problem}: `scrapy import list --format json` has them")
            (file,) = found
            at, actor = self.now(), self.person()

            def record(conn: Connection) -> None:
                imported_captures.decide(
                    conn, file.import_id, withdrawn=is_withdrawn, at=at, actor=actor, reason=reason
                )
                record_action(
                    conn,
                    now=at,
                    actor=actor,
                    action=f"{opts.verb}_import",
                    target=file.import_id,
                    details={"reason": reason, "file": file.name},
                )

            ledger.write(record)
        shown = "is no longer shown; its record stays" if is_withdrawn else "is shown again"
        print(f"{file.name} ({file.import_id}) {shown}.")
        return 0

    # --- listing ------------------------------------------------------------------------------------------------------

    def _list(self, opts: argparse.Namespace) -> int:
        from rori_spiders.ledger.pages import imported_captures

        with open_existing_ledger(self.places) as ledger:
            if ledger is None:
                rows: Iterable[dict[str, Any]] = []
                written = write_listing(rows, FILE_COLUMNS, opts.format)
            elif opts.page or opts.source or opts.state:
                with ledger.connect() as conn:
                    found = imported_captures.stream_captures(
                        conn, source_ids=opts.source, url=opts.page, state=opts.state
                    )
                    written = write_listing((_capture_row(*one) for one in found), CAPTURE_COLUMNS, opts.format)
            else:
                with ledger.connect() as conn:
                    rows = [
                        _file_row(*one, imported_captures.find_withdrawal(conn, one[0].import_id))
                        for one in imported_captures.list_imports(conn)
                    ]
                written = write_listing(rows, FILE_COLUMNS, opts.format)
        if not written and opts.format == "table":
            print("Nothing imported.")
        return 0


def _parse_page_or_prefix(text: str) -> str:
    """For ``type=``: a URL as the ledger has it, with the ``*`` that it ended with."""
    return f"{parse_page_url(text.removesuffix('*'))}{'*' if text.endswith('*') else ''}"


def _years_before(day: date, years: int) -> date:
    """The same day *years* earlier."""
    try:
        return day.replace(year=day.year - years)
    except ValueError:  # 29 February
        return day.replace(year=day.year - years, day=28)


def _find_part(catalog: Catalog, name: str, source_id: str | None) -> tuple[Source, CfrPlace, str]:
    """The source that collects the part *name*, the part, and the URL of its page there. Raises UsageError."""
    from rori_spiders.crawl.source_finder import SourceFinder
    from rori_spiders.crawl.tiers.official.ecfr import parse_cfr_part

    of_parts = [(one, place) for one in catalog.sources if (place := parse_cfr_part(one.url)) is not None]
    if (cited := _CFR.fullmatch(name)) is not None:
        numbers = (cited["title"], cited["part"].lower())
        found = [one for one in of_parts if (one[1].title, dict(one[1].within)["part"].lower()) == numbers]
        hint = f"https://www.ecfr.gov/current/title-{numbers[0]}/part-{numbers[1]}"
    else:
        found, hint = [one for one in of_parts if name in {one[0].id, one[0].url}], name
        if not found and "://" in name and (place := parse_cfr_part(normalise_url(name))) is not None:
            owner = SourceFinder(catalog, source_id).find(normalise_url(name))
            if owner is not None:
                return _require_collected(owner), place, normalise_url(name)
    found = [one for one in found if source_id in {None, one[0].id} and one[0].status != "retired"]
    if not found:
        raise UsageError(
            f"no source of the manifest is the part {name}. `scrapy manifest add {hint}` proposes one"
            if "://" in hint
            else f"{name!r} is not a part of the CFR, nor a source that is one: give it as 12 CFR 1024"
        )
    source, place = min(found, key=lambda one: one[0].status != "active")
    return _require_collected(source), place, normalise_url(source.url)


def _find_search(catalog: Catalog, name: str, source_id: str | None) -> tuple[Source, str, str]:
    """The search of the Federal Register that documents on the part *name* belong to, and the part's title and number.

    Raises UsageError.
    """
    from rori_spiders.crawl.tiers.official.ecfr import parse_cfr_part
    from rori_spiders.crawl.tiers.official.federal_register import parse_search

    searches = [
        (one, dict(found.conditions)) for one in catalog.sources if (found := parse_search(one.url)) is not None
    ]
    keys = ("conditions[cfr][title]", "conditions[cfr][part]")
    cited = _CFR.fullmatch(name)
    numbers = (cited["title"], cited["part"]) if cited is not None else None
    for source, conditions in searches:
        if source.id == name and all(key in conditions for key in keys):
            numbers, source_id = (conditions[keys[0]], conditions[keys[1]]), source_id or source.id
    if numbers is None:
        place = next((place for one in catalog.sources if one.id == name and (place := parse_cfr_part(one.url))), None)
        if place is None:
            raise UsageError(f"{name!r} is not a part of the CFR: give it as 12 CFR 1024")
        numbers = (place.title, str(dict(place.within)["part"]))
    fitting = [
        (source.status != "active", tuple(map(conditions.get, keys)) != numbers, source)
        for source, conditions in searches
        if source.status != "retired" and source_id in {None, source.id}
    ]
    fitting = [one for one in fitting if source_id is not None or not one[1]]
    if not fitting:
        query = f"conditions[cfr][title]={numbers[0]}&conditions[cfr][part]={numbers[1]}"
        raise UsageError(
            f"no source of the manifest is a search of the Federal Register for {numbers[0]} CFR {numbers[1]}. "
            f"`scrapy manifest add 'https://www.federalregister.gov/api/v1/documents.json?{query}'` proposes one; "
            "--source ID takes the documents into another search"
        )
    return (_require_collected(min(fitting, key=lambda one: one[:2])[2]), *numbers)


def _require_collected(source: Source) -> Source:
    if source.status == "paused":
        raise ActionRefused(f"{source.id} is paused: nothing is requested of it")
    return source


def _capture_row(capture: ImportedCapture, file: ImportedFile) -> dict[str, Any]:
    return {
        "captured_at": capture.captured_at,
        "source": capture.source_id,
        "url": capture.url,
        "state": capture.state,
        "why": capture.reason,
        "trust": capture.trust,
        "provenance": "imported",
        "title": capture.title,
        "published": capture.published,
        "http_status": capture.http_status,
        "verdict": capture.verdict,
        "content_hash": capture.content_hash and f"sha256:{capture.content_hash}",
        "raw_hash": capture.raw_hash and f"sha256:{capture.raw_hash}",
        "record": capture.record,
        "file": file.name,
        "file_sha256": file.sha256,
        "imported_by": file.imported_by,
        "imported_at": file.imported_at,
        "import_id": file.import_id,
    }


def _file_row(file: ImportedFile, states: dict[str, int], last: Withdrawal | None) -> dict[str, Any]:
    is_withdrawn = last is not None and last.withdrawn
    return {
        "imported_at": file.imported_at,
        "kind": file.kind,
        "file": file.name,
        **{state: states.get(state, 0) for state in _STATES},
        "imported_by": file.imported_by,
        "file_sha256": file.sha256,
        "software": file.software,
        "import_id": file.import_id,
        "withdrawn": last.reason if last is not None and is_withdrawn else None,
        "withdrawn_at": last.at if last is not None and is_withdrawn else None,
        "withdrawn_by": last.actor if last is not None and is_withdrawn else None,
    }


def _read_text(path: Path) -> str:
    from rori_spiders.manifest.json_yaml import NotationError
    from rori_spiders.manifest.manifest_text import decode_text, read_limited_bytes

    if not path.is_file():
        raise UsageError(f"{path}: no such file")
    try:
        return decode_text(read_limited_bytes(path))
    except NotationError as error:
        raise UsageError(f"{path} {error}") from None
