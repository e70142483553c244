"""Pages by construction: families of ``families_*.toml``, filled with values by chance, set as real pages are.

A family's field has ``states``, of which one is taken: blocks of HTML with ``{v}`` for the value as it is written, or
``{items}`` for the items of a list; what stands between ``⟦`` and ``⟧`` proves it. A fifth of the fields is not stated.
``stale`` is a sentence with a value that the field had once. ``kind`` says how values are made.
"""

from __future__ import annotations

import random
import re
import tomllib
from datetime import date, timedelta
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.fields.samples import TAG, Sample, Statement
from rori_spiders.fields.schema import define_fields

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rori_spiders.manifest.models import FieldDefinition

HALVES = ("development", "sealed")
_STATED, _STALE = 0.8, 0.4
_LISTS = {
    "counties": ["Adams", "Bell", "Clay", "Dubois", "Essex", "Franklin", "Greene", "St. Mary's", "Prince George's"],
    "forms": ["NCU-5300", "DI-12", "B-401", "SC 104", "Form 1120-R", "FR 2052a"],
    "documents": ["a floor plan", "a copy of the lease", "proof of insurance", "a tax certificate", "two photographs"],
    "repairs": ["new roofs", "storm windows", "heat pumps", "attic insulation", "water heaters"],
    "workers": ["independent contractors", "railroad employees", "elected officials", "student interns"],
}
_PEOPLE = ("Maria", "John", "Ngozi", "Seán", "Ana-Lucía", "William", "Thu", "Ruth")
_FAMILIES = ("O'Brien", "Smith-Jones", "Núñez", "Adeyemi", "van der Berg", "Whitfield", "Tran", "Goldberg")
_STREETS = ("Main Street", "Capitol Avenue", "Old Mill Road", "Fifth Street", "State Route 9")
_TENS = {3: "three", 5: "five", 7: "seven", 10: "ten", 12: "twelve", 14: "fourteen", 15: "fifteen", 20: "twenty",
         21: "twenty-one", 30: "thirty", 45: "forty-five", 60: "sixty"}  # fmt: skip


_DAY_FORMS = (
    "{d:%B} {d.day}, {d.year}",
    "{d:%B} {d.day}, {d.year}",
    "{d.day} {d:%B} {d.year}",
    "{d:%Y-%m-%d}",
    "{d:%m/%d/%Y}",
    "{d:%A}, {d:%B} {d.day}, {d.year}",
    "{d:%b}. {d.day}, {d.year}",
    "{d.month}/{d.day}/{d.year}",
)


def constructed_samples(seed: int, pages: int) -> list[Sample]:
    """So many *pages* of each family of both halves; the same for the same *seed*."""
    samples = []
    for half in HALVES:
        text = (Path(__file__).parent / f"families_{half}.toml").read_text("utf-8")
        for number, family in enumerate(tomllib.loads(text)["family"]):
            samples += [_sample(family, half, number, page, seed) for page in range(pages)]
    return samples


def _sample(family: dict[str, Any], half: str, number: int, page: int, seed: int) -> Sample:
    rng = random.Random(f"{seed} {half} {number} {page}")  # noqa: S311  # which values a page has
    fields: list[FieldDefinition] = []
    stated: dict[str, Sequence[Statement]] = {}
    stale: dict[str, Statement] = {}
    blocks: list[str] = []
    rows: list[str] = []
    for one in family["fields"]:
        field = _definition(one)
        fields.append(field)
        if rng.random() < _STATED:
            block, stated[field.name] = _state(one, rng)
            (rows if block.startswith("<tr>") else blocks).append(block)
        if "stale" in one and rng.random() < _STALE:
            value, written = _make(one["kind"], rng)
            if value not in [statement.value for statement in stated.get(field.name, ())]:
                block = _typeset(one["stale"].format(v=written), rng)
                stale[field.name] = Statement(value, _read(block))
                blocks.append(f"<p>{block}</p>")
    asides = rng.sample(family["noise"], 3)
    blocks += [f"<p>{one}</p>" for one in asides]
    rng.shuffle(blocks)
    html = _page(family, blocks, rows, rng)
    url = f"https://www.example.gov/{half}/{number}/{page}"
    return Sample(f"{half}-{number}-{page}", half, url, html, fields, stated, stale, [_read(one) for one in asides])


def _definition(one: dict[str, Any]) -> FieldDefinition:
    name, kind, description = one["define"].split(":", 2)
    definition: dict[str, Any] = {"name": name, "type": kind, "description": description}
    if one["kind"].startswith("choice "):
        definition["enum"] = one["kind"].partition(" ")[2].split("|")
    return define_fields([definition])[0]


def _state(one: dict[str, Any], rng: random.Random) -> tuple[str, Sequence[Statement]]:
    """A block that states a value of the field, and what it states."""
    value, written = _make(one["kind"], rng)
    if one["kind"] == "boolean":
        block = _typeset(rng.choice(one["states"] if value else one["denies"]), rng)
        return _unmarked(block), [Statement(value, _quoted(block))]
    template = rng.choice(one["states"])
    if not isinstance(value, list):
        block = _typeset(template.format(v=written), rng)
        return _unmarked(block), [Statement(value, _quoted(block))]
    if "{items}" in template:
        items = [_typeset(shown, rng) for shown in written]
        block = template.format(items="".join(f"<li>{shown}</li>" for shown in items))
        return block, [Statement(item, _read(shown)) for item, shown in zip(value, items, strict=True)]
    block = _typeset(template.format(v=f"{', '.join(written[:-1])} and {written[-1]}"), rng)
    return _unmarked(block), [Statement(item, _quoted(block)) for item in value]


# Values, and how they are written.


def _make(kind: str, rng: random.Random) -> tuple[Any, Any]:
    """A value of *kind* and its written form; of a list, the items and theirs."""
    name, _, rest = kind.partition(" ")
    if name == "list":
        return _make_list(rest, rng)
    if name == "choice":
        value = rng.choice(rest.split("|"))
        return value, value
    return _MAKERS[name](rest, rng)


def _make_list(rest: str, rng: random.Random) -> tuple[list[Any], list[str]]:
    if rest.startswith("money"):
        made = [_money(rest.removeprefix("money "), rng) for _ in range(3)]
        unique = {str(value): (value, written) for value, written in made}
        return [value for value, _ in unique.values()], [written for _, written in unique.values()]
    items = rng.sample(_LISTS[rest], rng.randint(2, 4))
    return items, items


def _integer(rest: str, rng: random.Random) -> tuple[int, str]:
    value = rng.randint(*map(int, rest.split()))
    return value, f"{value:,}"


def _count(rest: str, rng: random.Random) -> tuple[int, str]:
    least, most = map(int, rest.split())
    value = rng.choice([one for one in _TENS if least <= one <= most])
    return value, rng.choice([str(value), str(value), f"{_TENS[value]} ({value})", _TENS[value]])


def _percent(rest: str, rng: random.Random) -> tuple[float, str]:
    value = rng.randint(4, 19) * 5 if rest else rng.randint(8, 79) / 8
    written = f"{value:g}"
    return value, rng.choice([f"{written}%", f"{written}%", f"{written} percent", f"{written}\N{NO-BREAK SPACE}%",
                              f"{written}\N{THIN SPACE}%", f"{written} per cent"])  # fmt: skip


def _decimal(_: str, rng: random.Random) -> tuple[float, str]:
    value = rng.randint(2, 140) / 10
    return value, f"{value:g}"


def _money(rest: str, rng: random.Random) -> tuple[dict[str, Any], str]:
    if rest == "cents":
        value: float = rng.randint(310, 620) / 100
        return {"amount": value, "currency": "USD"}, rng.choice([f"${value:.2f}", f"USD {value:.2f}"])
    least, most = map(int, rest.split())
    if most >= 1_000_000:
        tenths = rng.randint(least // 100_000, most // 100_000)
        value = tenths * 100_000
        written = rng.choice([f"${value:,}", f"${tenths / 10:g} million", f"${tenths / 10:g}\N{NO-BREAK SPACE}million"])
        return {"amount": value, "currency": "USD"}, written
    value = rng.randrange(least, most, 5)
    written = rng.choice([f"${value:,}", f"${value:,}", f"${value:,}.00", f"USD {value:,}", f"{value:,} dollars",
                          f"US${value:,}", f"$\N{NO-BREAK SPACE}{value:,}"])  # fmt: skip
    return {"amount": value, "currency": "USD"}, written


def _date(_: str, rng: random.Random) -> tuple[str, str]:
    day = date(2025, 1, 1) + timedelta(days=rng.randrange(900))
    return day.isoformat(), rng.choice(_DAY_FORMS).format(d=day).replace("May. ", "May ")


def _boolean(_: str, rng: random.Random) -> tuple[bool, str]:
    value = rng.random() < 0.5
    return value, ""


def _phone(_: str, rng: random.Random) -> tuple[str, str]:
    value = f"{rng.randint(201, 989)}-555-{rng.randint(100, 9999):04d}"
    value = rng.choice([value, f"({value[:3]}) {value[4:]}", f"1-{value}"])
    return value, value


def _person(_: str, rng: random.Random) -> tuple[str, str]:
    value = f"{rng.choice(_PEOPLE)} {rng.choice(_FAMILIES)}"
    return value, value


def _docket(_: str, rng: random.Random) -> tuple[str, str]:
    number = rng.randint(10, 9999)
    year = rng.randint(2019, 2026)
    value = rng.choice([f"DI-{year}-{number:04d}", f"R-{number}", f"{year}-{number:05d}", f"NC{number:07d}"])
    return value, value


def _address(_: str, rng: random.Random) -> tuple[str, str]:
    value = f"{rng.randint(1, 990)} {rng.choice(_STREETS)}, Room {rng.randint(100, 499)}"
    return value, value


def _email(_: str, rng: random.Random) -> tuple[str, str]:
    value = (
        f"{rng.choice(['permits', 'info', 'public-questions', 'ask.us'])}@{rng.choice(['health', 'city'])}.example.gov"
    )
    return value, value


_MAKERS = {
    "integer": _integer, "count": _count, "percent": _percent, "decimal": _decimal, "money": _money, "date": _date,
    "boolean": _boolean, "phone": _phone, "person": _person, "docket": _docket, "address": _address, "email": _email,
}  # fmt: skip


# HTML as it is found: lines broken anywhere, emphasis, links, curly apostrophes.


def _typeset(block: str, rng: random.Random) -> str:
    """*block* with other white space and markup in it; the words stay."""
    if rng.random() < 0.3:
        block = block.replace("'", "’")
    if rng.random() < 0.4:
        block = re.sub(r"(?<=[\w,]) (?=\w)(?![^<]*>)", lambda _: rng.choice([" ", " ", "\n        "]), block)
    if rng.random() < 0.3:
        figure = r"(?<![\w<$.,-])\$?\d[\d.,]*\d%?(?![\w.,-]*\w)(?![^<]*>)"
        block = re.sub(figure, lambda found: f"<strong>{found[0]}</strong>", block, count=1)
    if rng.random() < 0.2:
        block = re.sub(
            r"\b(benefits?|permit|claim|grant|loan|rule|proposal)\b(?![^<]*>)",
            r'<a href="/about/\1">\1</a>',
            block,
            count=1,
        )
    return block


def _unmarked(block: str) -> str:
    return block.replace("⟦", "").replace("⟧", "")


def _quoted(block: str) -> str:
    return _read(block[block.index("⟦") + 1 : block.index("⟧")])


def _read(html: str) -> str:
    """What a reader sees of *html*."""
    return " ".join(
        unescape(TAG.sub(lambda found: "" if re.match(r"</?(?:a|strong)\b", found[0]) else " ", html)).split()
    )


def _page(family: dict[str, Any], blocks: list[str], rows: list[str], rng: random.Random) -> str:
    heads = ["Overview", "What you should know", "Details"]
    third = -(-len(blocks) // 3)
    parts = [f"<h2>{heads[at]}</h2>{_group(blocks[at * third : (at + 1) * third])}" for at in range(3)]
    if rows:
        table = f"<table><tr><th>What</th><th>{family['title']}</th></tr>{''.join(rows)}</table>"
        parts.insert(rng.randint(0, 3), f"<h2>At a glance</h2>{table}")
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{family["title"]} | Example State</title></head><body>
<header><nav><ul><li><a href="/">Home</a></li><li><a href="/news">News</a></li></ul></nav></header>
<main><h1>{family["title"]}</h1><p>{family["intro"]}</p>
{chr(10).join(parts)}
</main>
<footer><p>Example State, 1 State House Square. All rights reserved.</p></footer></body></html>"""


def _group(blocks: list[str]) -> str:
    """Items stand in a list."""
    items = [one for one in blocks if one.startswith("<li>")]
    return "".join([*(one for one in blocks if one not in items), *(["<ul>", *items, "</ul>"] if items else [])])
