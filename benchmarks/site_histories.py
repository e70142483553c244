"""Histories of agencies' sites for `benchmarks.change_inbox --material sites`: pages whose noise goes on, and edits.

A site shows boxes of one half (`site_noise.toml`), in one of two layouts of that half, on pages of law. Lists roll,
counters rise, rates walk, names and statuses stand for a while. Each half has each kind of edit (`_edits`), with the
kind that the list of changes should name, and one rule: a document of the Federal Register, the sections that it
amends and comments, which should stand as one entry. Texts of `development` and `sealed` are of other parts of the
CFR. Written before any of it was run through the rules, by an author who had read them.
"""

from __future__ import annotations

import html
import random
import re
import tomllib
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.real_changes import plain_text, read_page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DAYS = 42
_SITES = 40
_BOXED, _PLAIN = 3, 4
_PARTS = ("development", "sealed")
_MATERIAL = tomllib.loads(Path(__file__).with_name("site_noise.toml").read_text("utf-8"))
_FIELD = re.compile(r"\{(\w+)(?::((?:[^{}]|\{[^{}]*\})*))?\}")
_LAW = {
    "development": (
        "xml/cfr-CFR-2012-title12-vol8-part1006",
        "xml/cfr-CFR-2012-title12-vol8-part1022",
        "xml/cfr-CFR-2012-title12-vol8-part1024",
    ),
    "sealed": ("xml/regml-1003", "xml/regml-1013", "xml/regml-1071", "xml/regml-1009", "xml/regml-1081"),
}
_FEES = ("Application", "Renewal", "Late filing", "Branch office", "Returned check")


class _Template(NamedTuple):
    name: str
    html: str
    every: int


def _half(name: str) -> str:
    return _PARTS[sha256(name.encode()).digest()[0] % 2]


_TEMPLATES = {
    part: [_Template(**one) for one in _MATERIAL["template"] if _half(one["name"]) == part] for part in _PARTS
}


class _Box:
    """A template on a page, as it goes on.

    Fields: `day`, `short`, `soon`, `time`; `int:LOW-HIGH` and `pick:LIST` at random; `hold:LIST:N` stands for N
    versions; `count:LOW-HIGH` rises from there; `walk:FROM:STEP` goes up and down; `roll:LIST:COUNT:HTML` shows the
    last of a list, each as HTML in which `text` is the item, as it was when it came.
    """

    def __init__(self, dice: random.Random, template: _Template) -> None:
        self._dice, self._template, self._states = dice, template, dict[int, float]()
        self._rows: list[str] = []
        self.every = template.every
        self._version = dice.randrange(50)
        self.shown = ""

    def go_on(self, on: datetime) -> None:
        self._version += 1
        at = iter(range(99))
        self.shown = _FIELD.sub(lambda found: self._fill(found, on, next(at)), self._template.html)

    def _fill(self, found: re.Match[str], on: datetime, at: int) -> str:
        kind, arguments = found[1], (found[2] or "").split(":", 2)
        if kind == "roll":
            return self._roll(*arguments, on)
        if kind == "count":
            low, high = map(int, arguments[0].split("-"))
            self._states[at] = self._states.get(at, self._dice.randint(low, high)) + self._dice.randint(
                1, 1 + low // 50
            )
            return f"{int(self._states[at]):,}"
        if kind == "walk":
            step = float(arguments[1])
            self._states[at] = self._states.get(at, float(arguments[0])) + self._dice.uniform(-step, step)
            return f"{self._states[at]:.2f}"
        if kind == "hold":
            its = _MATERIAL["lists"][arguments[0]]
            return its[self._version // int(arguments[1]) % len(its)]
        return self._draw(kind, arguments, on)

    def _draw(self, kind: str, arguments: list[str], on: datetime) -> str:
        if kind == "int":
            return str(self._dice.randint(*map(int, arguments[0].split("-"))))
        if kind == "pick":
            return self._dice.choice(_MATERIAL["lists"][arguments[0]])
        soon = on + timedelta(days=self._dice.randint(2, 25))
        hour = f"{self._dice.randint(1, 12)}:{self._dice.randint(10, 59)} p.m."
        return {"day": _day(on), "short": f"{on:%m/%d/%Y}", "soon": _day(soon), "time": hour}[kind]

    def _roll(self, name: str, count: str, row: str, on: datetime) -> str:
        its = _MATERIAL["lists"][name]
        for back in range(0 if self._rows else int(count) - 1, -1, -1):
            number = self._version - back
            made = row.replace("{text}", its[number % len(its)])
            made = _FIELD.sub(lambda one: self._draw(one[1], (one[2] or "").split(":"), on), made)
            self._rows.insert(0, made)
        del self._rows[int(count) :]
        return "".join(self._rows)


def _day(on: datetime) -> str:
    return f"{on:%B} {on.day}, {on.year}"


@dataclass
class SitePage:
    """A page as its site has it now: sections of (heading, blocks), then its box."""

    source: str
    url: str
    title: str
    part: str
    layout: int
    sections: list[tuple[str, list[str]]]
    box: _Box | None = None
    starts: int = 0
    is_gone: bool = False
    content_type: str = "text/html"

    def body(self) -> bytes:
        shown = self.box.shown if self.box else ""
        parts = [
            _LAYOUTS[self.part][self.layout](html.escape(heading), [_block(one) for one in blocks])
            for heading, blocks in self.sections
        ]
        parts.insert(0 if self.layout else len(parts), shown)
        return (
            f'<!DOCTYPE html><html lang="en"><head><title>{html.escape(self.title)}</title></head><body>'
            f'<nav><a href="/">Home</a> <a href="/laws">Laws</a> <a href="/contact">Contact</a></nav>'
            f"<main><h1>{html.escape(self.title)}</h1>{''.join(parts)}</main>"
            f"<footer><p>Official website</p></footer></body></html>"
        ).encode()


def _block(text: str) -> str:
    if not text.startswith("|"):
        return f"<p>{html.escape(text)}</p>"
    head, *rows = (line.strip("|").split("|") for line in text.split("\n"))
    cells = "".join(f"<tr>{''.join(f'<td>{html.escape(one)}</td>' for one in row)}</tr>" for row in rows)
    return f"<table><tr>{''.join(f'<th>{html.escape(one)}</th>' for one in head)}</tr>{cells}</table>"


_LAYOUTS: dict[str, tuple[Callable[[str, list[str]], str], ...]] = {
    "development": (
        lambda heading, blocks: f"<h2>{heading}</h2>{''.join(blocks)}",
        lambda heading, blocks: f'<div class="field field--body"><h3>{heading}</h3>{"".join(blocks)}</div>',
    ),
    "sealed": (
        lambda heading, blocks: f'<section class="usa-prose"><h2>{heading}</h2><div>{"".join(blocks)}</div></section>',
        lambda heading, blocks: f"<article><header><h4>{heading}</h4></header>{''.join(blocks)}</article>",
    ),
}


def _law_sections(part: str) -> list[tuple[str, list[str]]]:
    found = []
    for file in _LAW[part]:
        page = " ".join(read_page(file).split())
        if file.startswith("xml/cfr"):
            for one in re.findall(r"<SECTION>(.*?)</SECTION>", page):
                mark, subject = re.search(r"<SECTNO>(.*?)</SECTNO>", one), re.search(r"<SUBJECT>(.*?)</SUBJECT>", one)
                texts = [plain_text(text) for text in re.findall(r"<P>(.*?)</P>", one)]
                if mark and subject:
                    found.append((f"{mark[1].strip()} {plain_text(subject[1])}", texts))
        else:
            for label, subject, rest in re.findall(
                r'<section label="([^"]*)".*?<subject>(.*?)</subject>(.*?)</section>', page
            ):
                marked = re.findall(r'marker="([^"]*)">(.*?)(?=<paragraph|</paragraph)', rest)
                texts = [f"{mark} {plain_text(text)}" for mark, text in marked]
                subject = re.sub(r"^§ *[\d.]+ *", "", plain_text(subject))
                found.append((f"Section {label.replace('-', '.')} {subject}", texts))
    kept = [
        (html.unescape(heading), [html.unescape(one) for one in texts if 60 < len(one) < 900])
        for heading, texts in found
    ]
    return [(heading, texts[:9]) for heading, texts in kept if len(texts) > 3]


# Edits: each changes a page that has a place for it, and gives the kind that it should be called by; None: no place.


class _Edit(NamedTuple):
    kind: str
    make: Callable[[random.Random, SitePage], bool]


def _swap(pattern: str, new: str | Callable[[re.Match[str]], str]) -> Callable[[random.Random, SitePage], bool]:
    def make(dice: random.Random, page: SitePage) -> bool:
        places = [(b, i) for _, b in page.sections for i, one in enumerate(b) if re.search(pattern, one)]
        if not places:
            return False
        blocks, at = dice.choice(places)
        blocks[at] = re.sub(pattern, new, blocks[at], count=1)
        return True

    return make


def _give(before: str, after: str) -> Callable[[random.Random, SitePage], bool]:
    """A passage that the page has from the beginning (`plan`) and that changes."""

    def make(dice: random.Random, page: SitePage) -> bool:
        for _, blocks in page.sections:
            if before in blocks:
                blocks[blocks.index(before)] = after
                return True
        page.sections[1][1].insert(2, before)
        return True

    return make


def _move_paragraph(dice: random.Random, page: SitePage) -> bool:
    one, other = page.sections[0][1], page.sections[2][1]
    other.append(one.pop(1))
    return True


def _move_section(dice: random.Random, page: SitePage) -> bool:
    page.sections.append(page.sections.pop(1))
    return True


def _renumber_section(dice: random.Random, page: SitePage) -> bool:
    heading, blocks = page.sections[-1]
    new = re.sub(r"(\d)\b(?= )", lambda found: str((int(found[1]) + 3) % 10), heading, count=1)
    page.sections[-1] = (new, blocks)
    return new != heading


def _renumber_paragraphs(dice: random.Random, page: SitePage) -> bool:
    its = page.sections[1][1]
    if not all(one.startswith(f"({mark}) ") for one, mark in zip(its, "abcdefghi", strict=False)):
        bare = [re.sub(r"^(?:[(]\w+[)] ?)+", "", one) for one in its]
        its[:] = [f"({mark}) {one}" for one, mark in zip(bare, "abcdefghi", strict=False)]
        return True
    its[1:] = [f"({chr(ord(one[1]) + 1)}{one[2:]}" for one in its[1:]]
    return True


def _remove_section(dice: random.Random, page: SitePage) -> bool:
    del page.sections[1]
    return True


def _remove_paragraph(dice: random.Random, page: SitePage) -> bool:
    del page.sections[1][1][2]
    return True


def _add_paragraph(text: str) -> Callable[[random.Random, SitePage], bool]:
    def make(dice: random.Random, page: SitePage) -> bool:
        page.sections[1][1].insert(1, text)
        return True

    return make


def _remove_page(dice: random.Random, page: SitePage) -> bool:
    page.is_gone = True
    return True


def _fees(late: str = "$150", due: str = "May 15") -> str:
    rows = [
        f"|{name}|{late if name == 'Late filing' else '$75'}|{due if name == 'Renewal' else 'On filing'}|"
        for name in _FEES
    ]
    return "\n".join(["|What|Amount|When|", *rows])


_NOTE = {
    "development": "1 The term does not include a loan secured by 5 acres or more.",
    "sealed": "[2] A filing that is received after 5 p.m. is dated the next business day.",
}
_CAME = {
    "development": "(b) A licensee shall keep each advertisement for two years after its last use.",
    "sealed": "(b) The administrator may extend the period once, for good cause, on a written request.",
}


_PERIOD = r"\b\d{1,2}\b(?= (?:calendar |business )?(?:days|months|years|percent))"


def _edits(part: str) -> dict[str, _Edit]:
    says = _MATERIAL["says"][part]
    return {
        "period": _Edit("number", _swap(_PERIOD, lambda one: str(int(one[0]) + 5))),
        "not": _Edit("text", _swap(r"\b(is|are|may|shall|must|does|will) (?!not)", r"\1 not ")),
        "duty": _Edit("text", _swap(r"\b(?:shall|must)\b(?! not)", "may")),
        "and or": _Edit("text", _swap(r" or ", " and ")),
        "definition": _Edit("text", _give(*says["definition"])),
        "penalty": _Edit("number" if part == "development" else "text", _give(*says["penalty"])),
        "date": _Edit("date", _give(*says["date"])),
        "exception": _Edit("text", _give(*says["exception"])),
        "who": _Edit("text", _give(*says["who"])),
        "footnote": _Edit("number", _give(_NOTE[part], _NOTE[part].replace("5", "6"))),
        "cell amount": _Edit("table", _give(_fees(), _fees(late="$175"))),
        "cell month": _Edit("table", _give(_fees(), _fees(due="June 15"))),
        "paragraph moved": _Edit("moved", _move_paragraph),
        "section moved": _Edit("moved", _move_section),
        "section renumbered": _Edit("renumbered", _renumber_section),
        "paragraphs renumbered": _Edit("renumbered", _renumber_paragraphs),
        "section removed": _Edit("text", _remove_section),
        "paragraph removed": _Edit("text", _remove_paragraph),
        "paragraph added": _Edit("text", _add_paragraph(_CAME[part])),
        "page removed": _Edit("removed", _remove_page),
    }  # fmt: skip


#: Edits that put their passage into the page first.
_GIVEN = {"definition", "penalty", "date", "exception", "who", "footnote", "cell amount", "cell month"}


class Matter(NamedTuple):
    """A change that a reader must not miss."""

    part: str  # development | sealed | rule | removal | renumbering | shared | rule, development | rule, sealed
    name: str
    url: str
    on: datetime


@dataclass
class Rule:
    """A document of the Federal Register and the pages that it changes, on which days."""

    part: str
    name: str
    document: SitePage
    days: dict[int, list[SitePage]] = field(default_factory=dict)


class SiteHistories:
    """The sites over six weeks, always the same of one *seed*."""

    days = DAYS

    def __init__(self, seed: int, at_day: Callable[[int], datetime]) -> None:
        self._dice, self._at_day = random.Random(seed), at_day  # noqa: S311  # for a simulation
        self.pages: dict[str, list[SitePage]] = {}
        self.matters: list[Matter] = []
        #: By URL and day (2026-06-06): the kind that a matter should have, and with which others it belongs together.
        self.kinds: dict[tuple[str, str], str] = {}
        self.groups: dict[tuple[str, str], str] = {}
        self.noise_shown: dict[tuple[str, str], str] = {}
        self._laws = {part: _law_sections(part) for part in _PARTS}
        self._edits: dict[int, list[tuple[SitePage, _Edit]]] = {}
        self._rules: list[Rule] = []
        for number in range(_SITES):
            self._make_site(number)
        for part in _PARTS:
            self._plan_edits(part)
            self._plan_rule(part)

    def _make_site(self, number: int) -> None:
        part, dice = _PARTS[number % 2], self._dice
        host = f"https://www.department-{number}.gov"
        templates = dice.sample(_TEMPLATES[part], _BOXED + 2)
        pages = []
        for at in range(_BOXED + _PLAIN):
            chosen = dice.sample(self._laws[part], 4)
            sections = [(heading, list(texts)) for heading, texts in chosen]
            title = f"{('Guide', 'Manual', 'Rules', 'Notice')[at % 4]} {number}-{at}"
            # Of the pages with edits every second one has a box, too.
            box = _Box(dice, templates[at % len(templates)]) if at < _BOXED or at % 2 else None
            pages.append(SitePage(f"department-{number}", f"{host}/{at}", title, part, number // 2 % 2, sections, box))
        self.pages[f"department-{number}"] = pages

    def _plan_edits(self, part: str) -> None:
        sites = [pages for pages in self.pages.values() if pages[0].part == part]
        quiet = [page for pages in sites for page in pages[_BOXED:]]
        chosen = self._dice.sample(quiet, len(quiet))
        for name, edit in _edits(part).items():
            day = self._dice.randint(4, DAYS - 1)
            for page in chosen:
                if name in _GIVEN or name == "paragraphs renumbered":
                    edit.make(self._dice, page)  # what will change stands there first
                elif name not in {"period", "not", "duty", "and or"} or _has_place(page, name):
                    pass
                else:
                    continue
                chosen.remove(page)
                self._edits.setdefault(day, []).append((page, edit))
                self._note(part, name, page, day, edit.kind, f"{part} {name}")
                break

    def _note(self, part: str, name: str, page: SitePage, day: int, kind: str, group: str) -> None:
        on = self._at_day(day)
        self.matters.append(Matter(part, name, page.url, on))
        self.kinds[page.url, on.date().isoformat()] = kind
        self.groups[page.url, on.date().isoformat()] = group

    def _plan_rule(self, part: str) -> None:
        """Development: one part of the CFR in 14 sections, its comments; sealed: two parts in nine sections."""
        laws = self._laws[part]
        title, parts, first = ("12", {"1024": 14}, 16) if part == "development" else ("24", {"203": 5, "206": 4}, 26)
        name = " and ".join(parts)
        source = f"register-{title}"
        plural = "s" if len(parts) > 1 else ""
        agency = "Bureau of Consumer Financial Protection" if title == "12" else "Office of the Secretary, HUD"
        texts = {
            agency: [f"{title} CFR Part{plural} {name}", f"[Docket No. R-2026-{first}]", _RULE_TITLE[part]],
            "AGENCY:": [f"{agency}."],
            "ACTION:": ["Final rule."],
            "SUMMARY:": [f"This rule amends {title} CFR part{plural} {name} to revise notices and periods."],
            "DATES:": ["This rule is effective on August 1, 2026."],
            f"PART{plural.upper()} {name}": laws[0][1][:3],
        }
        address = f"https://www.federalregister.gov/documents/2026/07/{first - 9:02}/2026-1{first}07/{_SLUG[part]}"
        document = SitePage(source, address, _RULE_TITLE[part], part, 0, list(texts.items()), starts=first)
        rule = Rule(part, name, document)
        amended = []
        for number, count in parts.items():
            for at in range(count):
                heading, texts = laws[(at + 1) % len(laws)]
                own = re.sub(r"[\d.]+", f"{number}.{at + 1}", heading, count=1)
                url = f"https://www.ecfr.gov/current/title-{title}/chapter-X/part-{number}/section-{number}.{at + 1}"
                amended.append(SitePage(f"ecfr-{title}", url, f"{title} CFR {own}", part, 0, [(own, list(texts))]))
        comments = [
            SitePage(
                f"comments-{title}",
                f"https://www.consumerfinance.gov/rules-policy/regulations/1024/interp-{at}/",
                f"Comment for 1024.{at} - Official interpretations",
                part,
                0,
                [(f"{at}(a) In general", list(laws[at][1]))],
            )
            for at in (5, 17)
            if part == "development"
        ]
        self.pages[f"ecfr-{title}"] = amended
        # What the register held when it was collected first: else its document is no change.
        held = SitePage(source, f"https://www.federalregister.gov/documents/{title}", "Documents", part, 0, [])
        held.sections.append(("Documents", ["Documents of the day are listed here, with their agencies."]))
        self.pages[source] = [held, document]
        rule.days = {first + 1: amended, first + 2: comments}
        if comments:
            self.pages[f"comments-{title}"] = comments
        self._rules.append(rule)
        for day, its in {first: [document], **rule.days}.items():
            for page in its:
                kind = "new_page" if page is document else "text"
                self._note(f"rule, {part}", page.title, page, day, kind, f"rule {part}")

    def changed_pages(self, day: int) -> Iterator[SitePage]:
        """The pages that differ on that day from the day before; the first day is the first capture of all."""
        on, found = self._at_day(day), dict[str, SitePage]()
        for pages in self.pages.values():
            for at, page in enumerate(pages):
                if page.is_gone or page.starts > day:
                    continue
                if page.box and (day == 0 or (day + at) % page.box.every == 0):
                    page.box.go_on(on)
                    self.noise_shown[page.url, on.date().isoformat()] = page.part
                    found[page.url] = page
                if day == page.starts:
                    found[page.url] = page
        found.update({page.url: page for page in self._edited(day)})
        yield from found.values()

    def _edited(self, day: int) -> Iterator[SitePage]:
        for page, edit in self._edits.get(day, ()):
            if not edit.make(self._dice, page):
                raise SystemExit(f"no place for {edit.kind} on {page.url}")
            yield page
        for rule in self._rules:
            for at, page in enumerate(rule.days.get(day, ())):
                _amend(page, at, day)
                yield page


_SLUG = {
    "development": "real-estate-settlement-procedures-act",
    "sealed": "federal-housing-administration-adjustable-terms",
}
_RULE_TITLE = {
    "development": "Real Estate Settlement Procedures Act (Regulation X); Notices",
    "sealed": "Federal Housing Administration (FHA): Adjustable Terms",
}


def _has_place(page: SitePage, name: str) -> bool:
    pattern = {
        "period": r"\b\d{1,2} (?:calendar |business )?(?:days|months|years|percent)",
        "not": r"\b(?:is|are|may|shall|must) (?!not)",
        "duty": r"\b(?:shall|must)\b(?! not)",
        "and or": r" or ",
    }[name]
    return any(re.search(pattern, one) for _, blocks in page.sections for one in blocks)


def _amend(page: SitePage, at: int, day: int) -> None:
    blocks = page.sections[0][1]
    if at % 3 == 0:
        blocks.insert(1, f"(b) A servicer must give the revised notice within {20 + at} days of the request.")
    elif at % 3 == 1 and any(re.search(r"\b(?:shall|must)\b", one) for one in blocks):
        blocks[:] = [re.sub(r"\b(?:shall|must)\b", "is required to", one, count=1) for one in blocks]
    else:
        blocks[0] = f"{blocks[0]} This paragraph applies to notices given on or after August {at + 1}, 2026."
