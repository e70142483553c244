"""Real pages for `benchmarks.change_history`: how they change where it matters, and what changes by itself on pages.

Reads `real_edits.toml` or `board_edits.toml` beside it, and the pages from a folder outside of the project. Both halves
of each were written before their author had read the rules of importance; of `sealed` only totals are printed.
"""

from __future__ import annotations

import gzip
import html
import re
import tomllib
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

FOLDER = Path("/work/shared/data/real-pages")
_MORE_PAGES = FOLDER.with_name("more-pages")
#: Pages of agencies on which only noise changes.
NOISY = (
    "html/gov-msha.gov",
    "html/gov-nclabor.com",
    "html/gov-opioids.gov",
    "html/gov-ncosfm.gov",
    "html/gov-relocatefeds.gov",
    "html/gov-stopfraudcolorado.gov",
    "html/opengov-can_patents-glossary",
    "html/edgi-truepos-image-removal-a",
)


class RealEdit(NamedTuple):
    """A page as it is served before and after."""

    part: str
    name: str
    title: str
    content_type: str
    before: bytes
    after: bytes


def read_page(file: str) -> str:
    folder = _MORE_PAGES if file.startswith("more/") else FOLDER
    found = next(folder.glob(f"{file.removeprefix('more/')}*"))
    body = found.read_bytes()
    return (gzip.decompress(body) if found.suffix == ".gz" else body).decode("utf-8", errors="replace")


def _read_material(material: str) -> dict[str, Any]:
    """`real` | `boards`: its edits by half; of boards also the templates of its noise."""
    name = {"real": "real_edits.toml", "boards": "board_edits.toml"}[material]
    return tomllib.loads(Path(__file__).with_name(name).read_text("utf-8"))


def real_edits(material: str) -> list[RealEdit]:
    halves = _read_material(material)
    return [_edit(part, **one) for part in ("development", "sealed") for one in halves[part]]


def _edit(  # the keys of an edit in the file
    part: str,
    name: str,
    file: str,
    changes: list[list[str]] = [],  # noqa: B006  # never changed
    section: str = "",
    becomes: str = "",
    pdf: bool = False,
) -> RealEdit:
    before = " ".join(read_page(file).split())
    if section:
        before = _section(before, section)
    after = " ".join(read_page(becomes).split()) if becomes else before
    for old, new in changes:
        if old not in html.unescape(after):
            raise SystemExit(f"{part}, {name}: not in the page: {old}")
        after = after.replace(old, new) if old in after else html.unescape(after).replace(old, new)
    kind = "application/xml" if file.startswith("xml/") and not section else "text/html"
    if pdf:
        return RealEdit(part, name, name, "application/pdf", _pdf(before), _pdf(after))
    return RealEdit(part, name, name, kind, before.encode(), after.encode())


def _section(part: str, number: str) -> str:
    """A section of a part of the CFR, as GPO or eRegs have it, as a page of its own."""
    label = number.replace(".", "-")
    if found := re.search(rf'<section label="{label}".*?<subject>(.*?)</subject>(.*?)</section>', part):
        texts = "".join(
            f"<p>{mark} {plain_text(text)}</p>"
            for mark, text in re.findall(r'marker="([^"]*)">(.*?)(?=<paragraph|</paragraph)', found[2])
        )
        return _page(plain_text(found[1]), texts)
    for one in re.findall(r"<SECTION>(.*?)</SECTION>", part):
        mark, subject = re.search(r"<SECTNO>(.*?)</SECTNO>", one), re.search(r"<SUBJECT>(.*?)</SUBJECT>", one)
        if mark and subject and mark[1].endswith(f" {number}"):
            title = f"{mark[1]} {subject[1]}"
            texts = "".join(f"<p>{plain_text(text)}</p>" for text in re.findall(r"<P>(.*?)</P>", one))
            return _page(title, texts)
    raise SystemExit(f"no section {number}")


def _page(title: str, texts: str) -> str:
    return (
        f'<!DOCTYPE html><html lang="en"><head><title>{title}</title></head>'
        f"<body><main><h1>{title}</h1>{texts}</main></body></html>"
    )


def plain_text(xml: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", "", xml).split())


def _pdf(page: str) -> bytes:
    """The page's paragraphs as a PDF of one font, fifty lines a page."""
    lines: list[str] = []
    for text in re.findall(r"<(?:h1|p)>(.*?)</(?:h1|p)>", page):
        words, line = html.unescape(text).split(), ""
        for word in words:
            if len(line) + len(word) > 90:
                lines.append(line)
                line = ""
            line = f"{line} {word}".strip()
        lines += [line, ""]
    pages = [lines[at : at + 50] for at in range(0, len(lines), 50)]
    kids = " ".join(f"{4 + 2 * at} 0 R" for at in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for at, its in enumerate(pages):
        shown = "".join(
            "({}) Tj T*\n".format(one.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")) for one in its
        )
        stream = f"BT /F1 10 Tf 50 760 Td 14 TL\n{shown}ET"
        objects += [
            (
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> "
                f"/Contents {5 + 2 * at} 0 R >>"
            ),
            f"<< /Length {len(stream.encode('cp1252', 'replace'))} >>\nstream\n{stream}\nendstream",
        ]
    made, places = b"%PDF-1.4\n", []
    for number, one in enumerate(objects, start=1):
        places.append(len(made))
        made += f"{number} 0 obj\n{one}\nendobj\n".encode("cp1252", "replace")
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    return (
        made
        + (
            f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
            f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(made)}\n%%EOF\n"
        ).encode()
    )


def _day(on: datetime) -> str:
    return f"{on:%B} {on.day}, {on.year}"


def _items(texts: list[str], tag: str = "ul") -> str:
    return f"<{tag}>{''.join(f'<li>{one}</li>' for one in texts)}</{tag}>"


def _staff(dice: random.Random, names: list[str]) -> str:
    return "<h2>Staff directory</h2>" + _items(
        [
            f"{name}, {dice.choice(['Program Analyst', 'Deputy Director', 'Counsel', 'Public Affairs'])}, "
            f"(202) 555-0{dice.randint(100, 199)}"
            for name in dice.sample(names, 4)
        ]
    )


def _press(dice: random.Random, on: datetime, headlines: list[str]) -> str:
    return "<h2>Press releases</h2>" + _items(
        [
            f"{_day(on - timedelta(days=at * 3))}: <a href='/press/{at}'>{one}</a>"
            for at, one in enumerate(dice.sample(headlines, 4))
        ]
    )


def _shuffled(dice: random.Random, heading: str, texts: list[str]) -> str:
    return f"<h2>{heading}</h2>" + _items(dice.sample(texts, len(texts)))


def _directory_table(dice: random.Random) -> str:
    rows = "".join(
        f"<tr><td>{office}</td><td>{dice.choice(_NAMES['sealed'])}</td><td>ext. {dice.randint(2000, 7999)}</td></tr>"
        for office in ("Atlanta", "Boston", "Chicago", "Denver")
    )
    return f"<table><tr><th>Field office</th><th>Contact</th><th>Extension</th></tr>{rows}</table>"


_NAMES = {
    "development": [
        "Dana Whitfield",
        "Marcus Oyelaran",
        "Priya Raman",
        "Ellen Sorensen",
        "Tom Baptiste",
        "Lucia Ferro",
    ],
    "sealed": ["R. Castellanos", "J. Okafor", "M. Lindqvist", "S. Haddad", "P. Kowalczyk"],
}
_HEADLINES = {
    "development": [
        "Agency recovers $2.3 million for borrowers in Ohio",
        "Director visits disaster recovery center",
        "Statement on the resignation of the general counsel",
        "Agency and state attorneys general hold roundtable",
        "Grants of $14 million awarded to 31 counseling agencies",
        "New video series explains closing costs",
    ],
    "sealed": [
        "See how neighbors rebuilt after the flood",
        "Know before you owe: a quiz",
        "Director marks 15 years of the agency",
        "Meet the 2026 research fellows",
        "Tour the new learning center",
    ],
}
_COOKIES = {
    "development": [
        "We use cookies to understand how you use our website. Read our privacy notice.",
        "This website uses cookies to improve your experience. By continuing you accept their use.",
        "Cookies help us to count visits. You may change your preferences at any time.",
    ],
}
_TYPOGRAPHY = {
    "development": [
        "The lender's \"good faith\" estimate - see below - is given to the applicant's agent.",
        "The lender’s “good faith” estimate – see below – is given to the applicant’s agent.",
        "The lender’s “good faith” estimate—see below—is given to the applicant’s agent.",
    ],
    "sealed": [
        "Send an e-mail to the Web site's administrator, or call during business hours.",
        "Send an email to the website's administrator, or call during business hours.",
        "Send an email  to the Website’s administrator, or call during business hours.",
    ],
}
_TOPICS = {
    "development": ["Appraisals", "Escrow accounts", "Force-placed insurance", "Loan estimates", "Servicing transfers"],
}
_MENU = ["About", "Careers", "Contact", "Data", "Español", "FAQs", "Forms", "Newsroom", "Offices", "Site map"]
_EVENTS = [
    "Webinar: appraisal basics",
    "Town hall in Tulsa",
    "Advisory board meeting",
    "Training for housing counselors",
    "Open house at the Denver office",
]
#: What changes by itself in the content of pages. Each gives a paragraph, a list or a table.
NOISE: dict[str, tuple[Callable[[random.Random, datetime], str], ...]] = {
    "development": (
        lambda dice, on: f"<p>Registered users online: {dice.randint(20, 900)}</p>",
        lambda dice, on: (
            f"<p>Our offices will be closed on {_day(on + timedelta(days=3))} in observance of "
            f"{dice.choice(['Juneteenth', 'Independence Day', 'Labor Day', 'Veterans Day'])}.</p>"
        ),
        lambda dice, on: _staff(dice, _NAMES["development"]),
        lambda dice, on: _press(dice, on, _HEADLINES["development"]),
        lambda dice, on: f"<p>{dice.choice(_COOKIES['development'])}</p>",
        lambda dice, on: f"<p>{dice.choice(_TYPOGRAPHY['development'])}</p>",
        lambda dice, on: _shuffled(dice, "Related topics", _TOPICS["development"]),
        lambda dice, on: f"<p>Reviewed by the web team {on:%d %b %Y}</p>",
    ),
    "sealed": (
        lambda dice, on: f"<p>Site last refreshed {on:%m/%d/%y} {dice.randint(10, 23)}:{dice.randint(10, 59)}</p>",
        lambda dice, on: f"<p>Was this article useful? {dice.randint(3, 400)} yes / {dice.randint(0, 40)} no</p>",
        lambda dice, on: (
            f"<p>Slide {(number := dice.randint(1, 5))} of 5: <a href='/slide/{number}'>"
            f"{dice.choice(_HEADLINES['sealed'])}</a></p>"
        ),
        lambda dice, on: _items([f"<a href='/{one}'>{one}</a>" for one in sorted(dice.sample(_MENU, 7))]),
        lambda dice, on: _directory_table(dice),
        lambda dice, on: f"<p>Views: {dice.randint(900, 9000):,} | Downloads: {dice.randint(30, 900)}</p>",
        lambda dice, on: f"<p>{dice.choice(_TYPOGRAPHY['sealed'])}</p>",
        lambda dice, on: (
            "<h2>Upcoming events</h2>"
            + _items(
                [f"{on + timedelta(days=at * 5 + 2):%b %d} | {one}" for at, one in enumerate(dice.sample(_EVENTS, 3))]
            )
        ),
    ),
}


_FIELD = re.compile(r"\{(\w+)(?::([^}]*))?\}")


def noise_of(material: str) -> dict[str, tuple[Callable[[random.Random, datetime], str], ...]]:
    """What changes by itself, by half; under `sitewide` what stands on all pages of a source at once."""
    if material == "real":
        return NOISE
    if material == "drawn":
        return {}
    if material == "agencies":
        return _agency_noise()
    noise = _read_material(material)["noise"]
    made = {part: tuple(_template(one, noise["lists"]) for one in noise[part]) for part in ("development", "sealed")}
    return {**made, "sitewide": tuple(_template(one, noise["lists"]) for one in noise["sitewide"].values())}


def _agency_noise() -> dict[str, tuple[Callable[[random.Random, datetime], str], ...]]:
    noise = tomllib.loads(Path(__file__).with_name("agency_noise.toml").read_text("utf-8"))
    halves: dict[str, list[Callable[[random.Random, datetime], str]]] = {"development": [], "sealed": []}
    for one in noise["template"]:
        half = "sealed" if sha256(one["name"].encode()).digest()[0] % 2 else "development"
        halves[half].append(_template(one["html"], noise["lists"]))
    return {half: tuple(its) for half, its in halves.items()}


def _template(text: str, lists: dict[str, list[str]]) -> Callable[[random.Random, datetime], str]:
    """Fields: `day`, `short`, `iso`, `time`, `soon`, `int:LOW-HIGH`, `pick:LIST`, `list:LIST:COUNT`, `shuffle:LIST`."""

    def fill(found: re.Match[str], dice: random.Random, on: datetime) -> str:
        kind, (first, _, second) = found[1], (found[2] or "").partition(":")
        if kind == "int":
            low, high = first.split("-")
            return str(dice.randint(int(low), int(high)))
        if kind == "pick":
            return make(dice.choice(lists[first]), dice, on)
        if kind in ("list", "shuffle"):
            chosen = dice.sample(lists[first], int(second or len(lists[first])))
            return _items([make(one, dice, on) for one in chosen])
        soon = on + timedelta(days=dice.randint(1, 20))
        hour = f"{dice.randint(1, 12)}:{dice.randint(10, 59)} p.m."
        return {"day": _day(on), "short": f"{on:%m/%d/%Y}", "iso": f"{on:%Y-%m-%d}", "time": hour, "soon": _day(soon)}[
            kind
        ]

    def make(template: str, dice: random.Random, on: datetime) -> str:
        return _FIELD.sub(lambda found: fill(found, dice, on), template)

    return lambda dice, on: make(text, dice, on)
