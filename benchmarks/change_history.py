"""Eight weeks of simulated history for the list of changes: 200 sources, 12,000 versions, and which changes matter.

Pages of HTML are converted, recorded and compared by the functions that a job uses; only the network is left out. The
text of the law is that of the demo site. Edits that matter and noise each have two sets of templates: the rules of
importance were written with `development` in sight; of `sealed` only totals are printed (`benchmarks.change_inbox`).
One author wrote all of them: real pages will differ more. With `material` "real" or "boards", edits are those of
whole real pages, and noise is of other kinds (`benchmarks.real_changes`); with "drawn", both are drawn by the seed
(`benchmarks.drawn_changes`): sources show noise of one half each, and all pages of a site change in one line, twice.
"agencies" has the edits and lines of "drawn" and other noise, by 58 templates of what stands on sites of agencies.
"""

from __future__ import annotations

import html
import json
import random
import re
import tomllib
from collections import deque
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from uuid import uuid4

from sqlalchemy import delete

from benchmarks import drawn_changes, real_changes
from benchmarks.site_histories import Matter, SiteHistories, SitePage
from rori_spiders.comparison.change_log import describe_new_versions
from rori_spiders.comparison.version_diff import TextArchive
from rori_spiders.content.convert import Converted, digest
from rori_spiders.crawl.runs import page_records
from rori_spiders.crawl.runs.run import Run
from rori_spiders.items import Attempt, Change, Fetched, FrontierUrl, PageItem
from rori_spiders.ledger.audit import audit_log, fact_log
from rori_spiders.ledger.pages import change_records
from rori_spiders.ledger.runs import run_records
from rori_spiders.ledger.tables import change_weights, changes
from rori_spiders.manifest.loading import load_files
from rori_spiders.manifest.scope import Scope
from rori_spiders.reasons import CAPTURED, COMPLETE, Reason, ReasonCode
from rori_spiders.runtime.control_characters import replace_surrogates
from rori_spiders.runtime.redaction import Redactor
from rori_spiders.verdicts.verdict import FiredRule, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from sqlalchemy import Connection

    from rori_spiders.ledger.audit.audit_log import AuditRow
    from rori_spiders.ledger.database import Ledger
    from rori_spiders.manifest.models import Source
    from rori_spiders.staging.store import Store

END = datetime(2026, 8, 1, tzinfo=UTC)
DAYS = 56
SOURCES, VERSIONS = 200, 12_000
SEED = 2026
PARTS = ("development", "sealed")
_PAGES = 12
#: Of the sources so many have a page on which something changes every day.
_RESTLESS = 180
_STAMPED = 0.3
_REDACT = Redactor()
_CONTENT = Verdict("content", None, 0.97, (FiredRule("main-text", "body"),))
_SITE = Path(__file__).parents[1] / "rori_spiders" / "terminal" / "demo" / "site"
_CFR = _SITE / "data" / "CFR-2012-title12-vol8-part1024.xml"


class Edit(NamedTuple):
    """A passage of a page before and after; an empty one: it came, or went."""

    name: str
    old: str
    new: str


#: What a reader must not miss, by the set that it belongs to.
EDITS = {
    part: tuple(Edit(**edit) for edit in edits)
    for part, edits in tomllib.loads(Path(__file__).with_name("change_edits.toml").read_text("utf-8")).items()
}


def _day(on: datetime) -> str:
    return f"{on:%B} {on.day}, {on.year}"


def _headlines(dice: random.Random, heading: str, part: str) -> str:
    return f"<h2>{heading}</h2><ul>{''.join(f'<li>{one}</li>' for one in dice.sample(_HEADLINES[part], 4))}</ul>"


_MORE = ("Learn more about", "Read more about", "Find out about", "More on")
#: What changes by itself, in the content of a page as its converter leaves it. Each gives a paragraph or a list.
NOISE: dict[str, tuple[Callable[[random.Random, datetime], str], ...]] = {
    "development": (
        lambda dice, on: f"<p>Last updated: {_day(on)}</p>",
        lambda dice, on: f"<p>This page was last reviewed on {_day(on)}.</p>",
        lambda dice, on: f"<p>You are visitor number {dice.randint(10_000, 99_999):,}.</p>",
        lambda dice, on: f"<p>For questions call (855) 411-{dice.randint(1000, 9999)}.</p>",
        lambda dice, on: f"<p>{dice.randint(2, 900)} people found this page helpful.</p>",
        lambda dice, on: _headlines(dice, "In the news", "development"),
        lambda dice, on: f"<p>{dice.choice(_MORE)} homeownership counseling.</p>",
        lambda dice, on: f"<p><a href='/go/{dice.randint(1, 9999)}'>Subscribe to our newsletter</a></p>",
    ),
    "sealed": (
        lambda dice, on: f"<p>Page updated {on:%m/%d/%Y}</p>",
        lambda dice, on: (
            f"<p>Content current as of {_day(on)}, {dice.randint(1, 12)}:{dice.randint(10, 59)} p.m. ET</p>"
        ),
        lambda dice, on: f"<p>Date modified: {on:%Y-%m-%d}</p>",
        lambda dice, on: f"<p>{dice.randint(100, 9000):,} views</p>",
        lambda dice, on: f"<p>Downloaded {dice.randint(100, 9000):,} times</p>",
        lambda dice, on: f"<p>Toll-free help line: 1-800-{dice.randint(200, 999)}-{dice.randint(1000, 9999)}</p>",
        lambda dice, on: _headlines(dice, "Featured", "sealed"),
        lambda dice, on: (
            f"<p>Generated on {_day(on)} at {dice.randint(10, 23)}:{dice.randint(10, 59)}:{dice.randint(10, 59)}</p>"
        ),
    ),
}
_HEADLINES = {
    "development": [
        "Bureau announces appointments to its advisory boards",
        "Director to speak at housing conference",
        "New tools for first-time homebuyers",
        "Complaint snapshot: mortgages",
        "Annual report to Congress released",
        "Blog: five steps to a better credit score",
        "Office of research publishes data point",
        "Video: what is escrow?",
        "Spring newsletter for housing counselors",
        "Lending circle: stories from consumers",
    ],
    "sealed": [
        "Watch the town hall on appraisal bias",
        "Meet our new regional administrator",
        "Podcast: buying your first home",
        "Photo gallery of the ribbon cutting",
        "Career opportunities in our field offices",
        "Webinar series for lenders",
        "Get help from a housing counselor near you",
        "Winter weather tips for homeowners",
        "Our strategic plan at a glance",
        "Celebrating national homeownership month",
    ],
}


@dataclass
class Page:
    """A page as its site has it now."""

    source: str
    url: str
    title: str
    paragraphs: list[str]
    heading: str = "Requirements"
    noise: dict[int, str] = field(default_factory=dict)
    is_gone: bool = False
    #: A page that is served as it is; noise stands before the end of its last paragraph's parent.
    document: bytes = b""
    content_type: str = "text/html"

    def body(self) -> bytes:
        if self.document:
            before, mark, after = self.document.rpartition(b"</p>")
            if self.content_type != "text/html" or not mark:
                return self.document
            return before + mark + "".join(self.noise.values()).encode() + after
        text = "".join(f"<p>{html.escape(one)}</p>" for one in self.paragraphs if one)
        also = "".join(self.noise.values())
        return (
            f'<!DOCTYPE html><html lang="en"><head><title>{self.title}</title></head><body><main><h1>{self.title}</h1>'
            f"<h2>{self.heading}</h2>{text}{also}</main></body></html>"
        ).encode()


class History:
    """The sites over eight weeks, always the same of one *seed*."""

    days = DAYS

    def __init__(self, seed: int = SEED, *, material: str = "made") -> None:
        self._dice = random.Random(seed)  # noqa: S311  # for a simulation
        self._material, self._is_real = material, material in {"real", "boards"}
        self._is_drawn = material in {"drawn", "agencies"}
        self._noise = NOISE if material == "made" else real_changes.noise_of(material)
        if material == "drawn":
            self._noise = {part: drawn_changes.draw_noise(self._dice, part) for part in PARTS}
        self._templates = (*self._noise["development"], *self._noise["sealed"])
        paragraphs = _law_paragraphs()
        self.pages: dict[str, list[Page]] = {}
        for number in range(SOURCES):
            host = f"https://www.agency-{number % 60}.gov"
            self.pages[source_id(number)] = [
                Page(
                    source_id(number),
                    f"{host}/{number}/page-{at}",
                    _TITLES[at % len(_TITLES)].format(number=number),
                    self._dice.sample(paragraphs, 6),
                    noise={},
                )
                for at in range(_PAGES)
            ]
        rule = "https://www.ecfr.gov/current/title-12/chapter-X/part-1024/section-1024."
        self.rule = [
            Page("rule-0", f"{rule}{at}", f"12 CFR § 1024.{at} {subject}", text, f"§ 1024.{at} {subject}")
            for at, (subject, text) in enumerate(_law_sections(), start=1)
        ][:14]
        self.pages["rule-0"] += self.rule
        self.matters: list[Matter] = []
        #: Whose noise a page showed anew on a day (2026-06-06), by URL and day: of the half that its template is of.
        self.noise_shown: dict[tuple[str, str], str] = {}
        self._plan()

    def _plan(self) -> None:
        """Decide on which day what happens, and put the passages that will change into the pages."""
        dice = self._dice
        self._edits: dict[int, list[tuple[Page, Edit]]] = {}
        quiet = [page for pages in self.pages.values() for page in pages[1:_PAGES]]
        chosen = iter(dice.sample(quiet, 60))
        self._real_edits: dict[int, list[tuple[Page, bytes]]] = {}
        self._site_lines: dict[int, tuple[int, list[Page], str]] = {}
        if self._is_real:
            self._plan_real_edits(chosen)
        elif self._is_drawn:
            self._plan_edits(chosen, drawn_changes.draw_edits(dice))
            self._plan_site_lines()
        else:
            self._plan_edits(chosen, ((part, *edit) for part, edits in EDITS.items() for edit in edits))
        self._rule_day, self._removal_day, self._number_day = 41, 12, 27
        self._removed, self._renumbered = next(chosen), next(chosen)
        self._renumbered.paragraphs = [
            f"({mark}) {text}" for mark, text in zip("abcdef", self._renumbered.paragraphs, strict=True)
        ]
        self.matters += [Matter("rule", page.title, page.url, at_day(self._rule_day)) for page in self.rule]
        self.matters.append(Matter("removal", self._removed.title, self._removed.url, at_day(self._removal_day)))
        self.matters.append(
            Matter("renumbering", self._renumbered.title, self._renumbered.url, at_day(self._number_day))
        )
        self._restless = dice.sample(sorted(self.pages), _RESTLESS)

    def _plan_edits(self, chosen: Iterator[Page], edits: Iterable[tuple[str, str, str, str]]) -> None:
        for part, *passage in edits:
            edit = Edit(*passage)
            page, day = next(chosen), self._dice.randint(3, DAYS - 1)
            if edit.old:
                page.paragraphs.insert(3, edit.old)
            self._edits.setdefault(day, []).append((page, edit))
            self.matters.append(Matter(part, edit.name, page.url, at_day(day)))

    def _plan_site_lines(self) -> None:
        """A passage that binds, and a telephone number, each on all pages of the sources of a site."""
        old, new = drawn_changes.draw_duties(self._dice, 2)
        phones = [f"Call us: (202) 555-{self._dice.randint(1000, 9999)}" for _ in range(2)]
        for place, day, site, texts in ((-2, 19, 7, (old, new)), (-3, 33, 8, phones)):
            pages = [page for number in range(site, SOURCES, 60) for page in self.pages[source_id(number)]]
            for page in pages:
                page.noise[place] = f"<p>{html.escape(texts[0])}</p>"
            self._site_lines[day] = place, pages, f"<p>{html.escape(texts[1])}</p>"
            if place == -2:
                self.matters += [Matter("shared", page.title, page.url, at_day(day)) for page in pages]

    def _plan_real_edits(self, chosen: Iterator[Page]) -> None:
        for edit in real_changes.real_edits(self._material):
            page, day = next(chosen), self._dice.randint(3, DAYS - 1)
            page.document, page.content_type = edit.before, edit.content_type
            self._real_edits.setdefault(day, []).append((page, edit.after))
            self.matters.append(Matter(edit.part, edit.name, page.url, at_day(day)))
        for file in real_changes.NOISY:
            next(chosen).document = real_changes.read_page(file).encode()

    def changed_pages(self, day: int) -> Iterator[Page]:
        """The pages that differ on that day from the day before; the first day is the first capture of all."""
        on, found = at_day(day), {}
        if day == 0:
            for pages in self.pages.values():
                yield from pages
            return
        for page, edit in self._edits.get(day, ()):
            self._make_edit(page, edit, on)
            found[page.url] = page
        for page, after in self._real_edits.get(day, ()):
            page.document = after
            self._put_stamp(page, on)
            found[page.url] = page
        found.update({page.url: page for page in (*self._changed_site(day), *self._amended_sections(day))})
        if day == self._removal_day:
            self._removed.is_gone = True
            found[self._removed.url] = self._removed
        if day == self._number_day:
            page = self._renumbered
            page.paragraphs[2:] = [f"({chr(ord(one[1]) + 1)}{one[2:]}" for one in page.paragraphs[2:]]
            found[page.url] = page
        for page in self._noisy_pages(day):
            found[page.url] = page
        yield from found.values()

    def _changed_site(self, day: int) -> list[Page]:
        place, pages, line = self._site_lines.get(day, (0, [], ""))
        changed = [page for page in pages if not page.is_gone]
        for page in changed:
            page.noise[place] = line
        return changed

    def _amended_sections(self, day: int) -> list[Page]:
        if day != self._rule_day:
            return []
        for at, page in enumerate(self.rule):
            _amend(page, at)
        return self.rule

    def _make_edit(self, page: Page, edit: Edit, on: datetime) -> None:
        if edit.old:
            page.paragraphs[page.paragraphs.index(edit.old)] = edit.new
        else:
            page.paragraphs.insert(3, edit.new)
        self._put_stamp(page, on)

    def _put_stamp(self, page: Page, on: datetime) -> None:
        if self._dice.random() < _STAMPED:  # a stamp changes with it, as it does on real pages
            page.noise[0] = self._noise["development"][0](self._dice, on)

    def _noisy_pages(self, day: int) -> Iterator[Page]:
        """Each restless page shows its own noise of the day; of others one shows something now and then."""
        for number, name in enumerate(self._restless):
            page = self.pages[name][0]
            self._put_noise(page, number, day)
            yield page
        others = [page for pages in self.pages.values() for page in pages[:_PAGES] if not page.is_gone]
        for page in self._dice.sample(others, 115):
            self._put_noise(page, self._dice.randrange(len(self._templates)), day)
            yield page
        if day % 2 and (banners := self._noise.get("sitewide", ())):
            banner = self._dice.choice(banners)(self._dice, at_day(day))
            for page in self.pages[self._dice.choice(sorted(self.pages))][:_PAGES]:
                if not page.is_gone:
                    page.noise[-1] = banner
                    self.noise_shown[page.url, at_day(day).date().isoformat()] = "sitewide"
                    yield page

    def _put_noise(self, page: Page, number: int, day: int) -> None:
        sort = number % len(self._templates)
        if self._is_drawn:  # those of the half stand one after the other
            own = self._noise[noise_half(page.source)]
            sort = number % len(own) + (0 if own is self._noise["development"] else len(self._noise["development"]))
        page.noise[sort] = self._templates[sort](self._dice, at_day(day))
        half = PARTS[sort >= len(self._noise["development"])]
        self.noise_shown[page.url, at_day(day).date().isoformat()] = half


_TITLES = (
    "Guide {number} for mortgage servicers",
    "Bulletin {number}: fair lending",
    "Handbook {number}, chapter on underwriting",
    "Frequently asked questions on disclosures ({number})",
    "Compliance manual {number}",
    "Supervisory letter {number}",
)


def source_id(number: int) -> str:
    return "rule-0" if number == 0 else f"agency-{number % 60}-guide-{number}"


def noise_half(source: str) -> str:
    """Which half of the drawn noise the pages of a source show."""
    return PARTS[int(source.rpartition("-")[2]) % 2]


def at_day(day: int) -> datetime:
    return END - timedelta(days=DAYS - day) + timedelta(hours=7)


def _law_sections() -> list[tuple[str, list[str]]]:
    found = []
    for part in re.findall(r"<SECTION>(.*?)</SECTION>", _CFR.read_text("utf-8"), re.DOTALL):
        subject = re.search(r"<SUBJECT>(.*?)</SUBJECT>", part, re.DOTALL)
        texts = [_plain(one) for one in re.findall(r"<P>(.*?)</P>", part, re.DOTALL)]
        if subject and sum(map(len, texts)) > 800:
            found.append((_plain(subject[1]).rstrip("."), texts[:20]))
    return found


def _law_paragraphs() -> list[str]:
    return [text for _, texts in _law_sections() for text in texts if 120 < len(text) < 900]


def _plain(xml: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", "", xml)).split())


def _amend(page: Page, at: int) -> None:
    """One rule in many sections: a period, a duty, a cross-reference, or a new paragraph in each."""
    kind = at % 3
    if kind == 0:
        page.paragraphs.insert(2, f"A servicer must provide the revised notice within {30 + at} days of the amendment.")
    elif kind == 1 and any("shall" in text for text in page.paragraphs):
        page.paragraphs = [re.sub(r"\bshall\b", "must", text, count=1) for text in page.paragraphs]
    else:
        page.paragraphs[0] = f"{page.paragraphs[0]} This section is subject to § 1024.41 as amended."


def write_manifest(path: Path, history: History | SiteHistories) -> None:
    """The sources, as `scrapy` and the monitor read them."""
    made = []
    for name, pages in history.pages.items():
        host = pages[0].url.split("/")[2]
        made.append(
            {
                "id": name,
                "name": name.replace("-", " ").capitalize(),
                "url": "https://www.ecfr.gov/0/page-0" if name == "rule-0" else pages[0].url,
                "domain": "www.ecfr.gov" if name == "rule-0" else host,
                "metadata": {"agency": host},
                "method": "crawl",
                "status": "active",
                "jurisdiction": "federal",
                "source_type": "regulation",
                "frequency": "daily",
            }
        )
    path.write_text(json.dumps({"version": "1", "sources": made}), encoding="utf-8")


class _Recorder:
    """Records pages as a job does."""

    def __init__(self, ledger: Ledger, store: Store, sources: dict[str, Source]) -> None:
        self._ledger, self._store, self._sources = ledger, store, sources
        self._held: dict[str, tuple[str, str | None]] = {}
        self._objects: list[bytes] = []

    def record_day(self, pages: Sequence[Page | SitePage], on: datetime) -> int:
        of: dict[str, list[Page | SitePage]] = {}
        for page in pages:
            of.setdefault(page.source, []).append(page)
        made = 0
        with self._ledger.begin() as conn:
            for number, (name, its) in enumerate(of.items()):
                made += self._record_run(conn, self._sources[name], its, on + timedelta(seconds=number))
        self._store.put_objects(self._objects)
        self._objects.clear()
        return made

    def _record_run(self, conn: Connection, source: Source, pages: Sequence[Page | SitePage], on: datetime) -> int:
        row = run_records.open_run(
            conn,
            source_id=source.id,
            manifest_version="1",
            method="crawl",
            operator="system",
            job_id=str(uuid4()),
            now=on,
            resume_after=on,
        )
        run = Run(row.run_id, source, Scope(source), "1", on)
        ended = [(item, on) for page in pages if (item := self._item(page, row.run_id, on)) is not None]
        page_records.settle_urls(conn, run, ended, _REDACT)
        numbers = page_records.record_pages(conn, ended, _REDACT)
        audited = [_audit_row(item, on) for item, _ in ended]
        if audited:
            audit_log.append_rows(conn, audited)
        page_records.add_versions(conn, [item for item, _ in ended], numbers)
        run_records.close_run(conn, row.run_id, state="complete", reason=COMPLETE, now=on + timedelta(minutes=5))
        fact_log.append_noted_facts(conn)
        return len(ended)

    def _item(self, page: Page | SitePage, run_id: str, on: datetime) -> PageItem | None:
        before, title = self._held.get(page.url, (None, None))
        body = b"" if page.is_gone else page.body()
        facts = Fetched(
            url=page.url,
            final_url=page.url,
            status=404 if page.is_gone else 200,
            headers={"Content-Type": [page.content_type]},
            body=body,
            raw=body,
            at=on,
            tier="http",
            engine_version="scrapy",
            response_time_ms=120,
            ip_address="203.0.113.80",
            request_headers={},
        )
        converted: Converted | None = None
        if page.is_gone:
            state, reason, verdict = (
                "gone",
                Reason(ReasonCode.GONE, since=f"{on:%Y-%m-%d %H:%M} UTC"),
                Verdict("not_found", None, 1.0, ()),
            )
            change = Change("deleted", sha256(b"").hexdigest(), before, title)
        else:
            converted = digest(body, url=page.url, content_type=page.content_type)
            text = replace_surrogates(converted.markdown).encode()
            text_hash = sha256(text).hexdigest()
            self._objects += text, body
            if text_hash == before:
                return None  # the converter took out what changed: no version
            state, reason, verdict = "captured", CAPTURED, _CONTENT
            change = Change("modified" if before else "new", text_hash, before)
            self._held[page.url] = text_hash, converted.title
        tried = Attempt("http", on, facts.status, verdict.kind, reason, 120)
        return PageItem(
            FrontierUrl(run_id, page.source, page.url, depth=1, found_by="link"),
            state,
            reason,
            fetched=facts,
            verdict=verdict,
            attempts=(tried,),
            at=on,
            converted=converted,
            change=change,
        )


def _audit_row(item: PageItem, on: datetime) -> AuditRow:
    raw_hash = item.fetched.raw_hash if item.fetched else None
    return page_records.page_audit_row(item, _REDACT, now=on, raw_hash=raw_hash, robots_object="a" * 64)


def fill(
    ledger: Ledger, store: Store, manifest: Path, *, versions: int = VERSIONS, material: str = "made", seed: int = SEED
) -> list[Matter]:
    """Write the history until there are so many versions; what matters in it."""
    history, made = new_history(material, seed), 0
    write_manifest(manifest, history)
    recorder = _Recorder(ledger, store, {one.id: one for one in load_files([manifest]).sources})
    for day in range(history.days):
        made += recorder.record_day(list(history.changed_pages(day)), at_day(day))
    if made < versions and isinstance(history, History):
        raise SystemExit(f"only {made} versions")
    describe(ledger, store, manifest)
    return list(history.matters)


def describe(ledger: Ledger, store: Store, manifest: Path) -> None:
    """Describe all versions by the rules of now; what was described before is forgotten."""
    catalog = load_files([manifest])
    with ledger.begin() as conn:
        conn.execute(delete(change_weights))
        conn.execute(delete(changes))
        change_records.record_initial_captures(conn, now=END)
    describe_new_versions(TextArchive(ledger, store, lambda: catalog), clock=lambda: END)


def new_history(material: str, seed: int) -> History | SiteHistories:
    return SiteHistories(seed, at_day) if material == "sites" else History(seed, material=material)


def replay(material: str, seed: int) -> History | SiteHistories:
    """The history after its last day, without recording it: what matters, and which noise was shown when."""
    history = new_history(material, seed)
    for day in range(history.days):
        deque(history.changed_pages(day), maxlen=0)
    return history
