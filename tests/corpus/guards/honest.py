"""Cleanings that are true: made by operators as a careful editor works, without looking at how they are judged.

Each operator takes a random generator and a page, and gives a draft and its cleaning, or None. Some put into the draft
what is then taken out of it: the boilerplate that real pages carry.
"""

from __future__ import annotations

import re
from random import Random
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tests.corpus.guards.pages import Page


class Pair(NamedTuple):
    """A draft and what became of it."""

    draft: str
    cleaned: str


#: As such blocks stand on real pages of agencies, courts, publishers and software companies.
BOILERPLATE = (
    "Skip to main content",
    "[Skip to main content](#main-content)",
    "[Skip navigation](#nav)",
    "Share this page",
    "Print this page",
    "[Back to top](#top)",
    "Menu",
    "Advertisement",
    "[Book a demo](https://www.acme.example/demo)",
    "[Get started for free](https://www.acme.example/signup)",
    "Subscribe to our newsletter",
    "Sign up for email updates",
    "Follow us on Twitter",
    "[Learn more](https://www.acme.example/more)",
    "[Read more](https://www.acme.example/more)",
    "You may also like",
    "[Facebook](https://www.facebook.com/a) [Twitter](https://twitter.com/a) [LinkedIn](https://www.linkedin.com/a)",
    "- [Facebook](https://www.facebook.com/a)\n- [Twitter](https://twitter.com/a)\n- [Email](mailto:?subject=a)",
    "- Print\n- Share",
    "Was this page helpful?",
    "[Contact us](https://www.example.gov/contact)",
    "[Log in](https://www.example.gov/login)",
    "[Home](https://www.example.gov/) > [About us](https://www.example.gov/about)",
    "Stay connected",
    "All rights reserved.",
    "[Privacy policy](https://www.example.gov/privacy) | [Accessibility](https://www.example.gov/accessibility)",
    "[Talk to sales](https://www.acme.example/sales)",
    "Loading...",
    "**Quick links**",
    "Click here to subscribe",
)
ENDINGS = (
    "## Related articles\n\n- [Choosing a lender](https://www.example.gov/a)\n- [Moving house](https://www.example.gov/b)",
    "## Share this page\n\n[Facebook](https://www.facebook.com/a) [LinkedIn](https://www.linkedin.com/a)",
    "### Subscribe to our newsletter\n\nGet updates by email.\n\n[Sign up](https://www.example.gov/signup)",
    "## Quick links\n\n- [Home](https://www.example.gov/)\n- [Site map](https://www.example.gov/map)",
    "Related links:\n\n- [For lenders](https://www.example.gov/lenders)\n- [For buyers](https://www.example.gov/buyers)",
    "## You may also like\n\n- [Closing on time](https://www.example.gov/close)\n\n[View all](https://www.example.gov/all)",
)
OPERATORS: dict[str, Callable[[Random, Page], Pair | None]] = {}
_HEADING = re.compile(r"(?m)^(#{2,4}) (.+)$")
_FENCES = re.compile(r"(?ms)^```.*?^```$")


def honest(operator: Callable[[Random, Page], Pair | None]) -> Callable[[Random, Page], Pair | None]:
    """Note *operator* under its name."""
    OPERATORS[operator.__name__] = operator
    return operator


def cleanings(pages: Sequence[Page], count: int, seed: int = 2) -> Iterator[tuple[str, Page, Pair]]:
    """*count* honest cleanings (operator, page, pair), each operator in turn, over pages at random."""
    rng = Random(seed)
    made = 0
    while made < count:
        for name, operator in OPERATORS.items():
            for page in rng.sample(list(pages), len(pages)):
                pair = operator(rng, page)
                if pair is not None and pair.draft != pair.cleaned:
                    yield name, page, pair
                    made += 1
                    break
            if made == count:
                return


def _blocks(text: str) -> list[str]:
    return re.split(r"\n\n(?=\S)", text.strip("\n"))


def _outside_code(text: str, change: Callable[[str], str]) -> str:
    parts = re.split(r"(?ms)(^```.*?^```$)", text)
    return "".join(part if at % 2 else change(part) for at, part in enumerate(parts))


# --- what is taken away ---------------------------------------------------------------------------------------------


@honest
def boilerplate_dropped(rng: Random, page: Page) -> Pair:
    blocks = _blocks(page.body)
    for block in rng.sample(BOILERPLATE, rng.randrange(1, 5)):
        # Lists that stand next to each other are one: a list goes before a heading or at the ends.
        places = [at for at in range(len(blocks) + 1) if at in {0, len(blocks)} or blocks[at].startswith("#")]
        blocks.insert(rng.choice(places), block)
    return Pair("\n\n".join(blocks) + "\n", page.body)


@honest
def ending_dropped(rng: Random, page: Page) -> Pair:
    return Pair(f"{page.body.rstrip()}\n\n{rng.choice(ENDINGS)}\n", page.body)


@honest
def empty_heading_dropped(rng: Random, page: Page) -> Pair | None:
    found = list(_HEADING.finditer(page.body))
    if not found or page.body.startswith("```"):
        return None
    at = rng.choice(found)
    empty = f"{at[1]} {rng.choice(['Overview', 'Details', 'Further information', 'Documents', 'Summary'])}\n\n"
    return Pair(page.body[: at.start()] + empty + page.body[at.start() :], page.body)


@honest
def rules_dropped(_: Random, page: Page) -> Pair | None:
    cleaned = re.sub(r"(?m)^---\n\n?", "", page.body)
    return Pair(page.body, cleaned)


# --- layout ---------------------------------------------------------------------------------------------------------


@honest
def blank_lines_normalised(rng: Random, page: Page) -> Pair:
    loose = _outside_code(page.body, lambda text: text.replace("\n\n", "\n" * rng.randrange(3, 6)))
    return Pair(loose, page.body)


@honest
def bullets_normalised(rng: Random, page: Page) -> Pair:
    mark = rng.choice("*+")
    return Pair(page.body, _outside_code(page.body, lambda text: re.sub(r"(?m)^(\s*)- (?!\[ )", rf"\1{mark} ", text)))


@honest
def lists_indented_again(_: Random, page: Page) -> Pair | None:
    if re.search(r"(?m)^(?: {1,3}| {5,})\S", page.body):
        return None
    return Pair(page.body, _outside_code(page.body, lambda text: re.sub(r"(?m)^ {4}(?=[-*] )", "  ", text)))


@honest
def bold_taken_off(_: Random, page: Page) -> Pair:
    return Pair(page.body, _outside_code(page.body, lambda text: text.replace("**", "")))


@honest
def italics_written_otherwise(_: Random, page: Page) -> Pair:
    return Pair(page.body, re.sub(r"(?<![*\\\w])\*(\w[^*\n]*\w)\*(?![*\w])", r"_\1_", page.body))


@honest
def quotes_straightened(_: Random, page: Page) -> Pair:
    """Not in the targets of links: those lead elsewhere then."""
    straight = str.maketrans("‘’“”", "''\"\"")
    parts = re.split(r"(\]\([^()\s]*\))", page.body)
    return Pair(page.body, "".join(part if at % 2 else part.translate(straight) for at, part in enumerate(parts)))


@honest
def spaces_taken_off(rng: Random, page: Page) -> Pair:
    lines = page.body.split("\n")
    loose = [line + " " if line and not line.startswith("|") and rng.random() < 0.3 else line for line in lines]
    return Pair("\n".join(loose), page.body)


@honest
def lines_wrapped(_: Random, page: Page) -> Pair | None:
    lines = page.body.split("\n")
    ours = [at for at, line in enumerate(lines) if len(line) > 200 and line[:1].isalpha()]
    if not ours:
        return None
    for at in ours:
        half = lines[at].find(" ", len(lines[at]) // 2)
        if half > 0 and lines[at][half + 1 : half + 2].isalpha():
            lines[at] = f"{lines[at][:half]}\n{lines[at][half + 1 :]}"
    return Pair(page.body, "\n".join(lines))


@honest
def table_columns_padded(_: Random, page: Page) -> Pair:
    def padded(found: re.Match[str]) -> str:
        return found[0].replace(" |", "   |") if "---" not in found[0] else found[0].replace("---", ":-----")

    return Pair(page.body, re.sub(r"(?m)^\|.*\|$", padded, page.body))


# --- headings -------------------------------------------------------------------------------------------------------


def _first_of_title(page: Page) -> str | None:
    return re.split(r" \| | - ", page.title)[0] if page.title else None


@honest
def heading_with_title(rng: Random, page: Page) -> Pair | None:
    found = list(_HEADING.finditer(page.body))
    title = _first_of_title(page)
    if not found or not title:
        return None
    at = rng.choice(found)
    form = rng.choice(["{1} - {0}", "{1}: {0}", "{0} ({1})", "{1} – {0}", "{0} - {1}"])
    return Pair(page.body, f"{page.body[: at.start(2)]}{form.format(at[2], title)}{page.body[at.end(2) :]}")


@honest
def every_heading_with_its_parent(_: Random, page: Page) -> Pair | None:
    lines, parent, changed = [], {1: ""}, False
    for line in page.body.split("\n"):
        found = _HEADING.match(line) or re.match(r"(#) (.+)$", line)
        if found:
            level = len(found[1])
            above = next((parent[one] for one in range(level - 1, 1, -1) if parent.get(one)), "")
            parent = {one: name for one, name in parent.items() if one < level} | {level: found[2]}
            line = f"{found[1]} {above}: {found[2]}" if above else line
            changed = changed or bool(above)
        lines.append(line)
    return Pair(page.body, "\n".join(lines)) if changed else None


@honest
def levels_closed_up(_: Random, page: Page) -> Pair | None:
    """What skips a level does no longer."""
    if re.search(r"(?m)^##+ ", page.body) is None or "```" in page.body:
        return None
    loose = re.sub(r"(?m)^(##+) ", r"#\1 ", page.body)
    return Pair(loose, page.body)


@honest
def title_put_above(_: Random, page: Page) -> Pair | None:
    title = _first_of_title(page)
    if title is None or re.match(r"# ", page.body) is None or re.search(r"(?m)(?<=\n)# ", page.body):
        return None
    without = page.body.split("\n", 1)[1].lstrip("\n")
    return Pair(without, f"# {title}\n\n{without}")


@honest
def capitals_made_sentence_case(rng: Random, page: Page) -> Pair | None:
    found = [one for one in _HEADING.finditer(page.body) if re.fullmatch(r"[A-Za-z ]{5,}", one[2]) and " " in one[2]]
    if not found:
        return None
    at = rng.choice(found)
    return Pair(page.body[: at.start(2)] + at[2].upper() + page.body[at.end(2) :], page.body)


@honest
def questions_promoted(_: Random, page: Page) -> Pair | None:
    """Bold lines that head what follows become headings, all of their section."""
    bold = len(re.findall(r"(?m)^[ ]*\*\*[^*\n]+\*\*[ ]*$", page.body))
    if bold != len(re.findall(r"(?<![^\n]\n)^\*\*[^*\n]+(?<![.,])\*\*$(?!\n[^\n])", page.body, re.MULTILINE)):
        return None  # one of them is a sentence, or a line among others
    lines, level = [], 1
    if re.search(r"(?m)^\*\*[^*]+\*\*\n: ", page.body):
        return None  # the terms of a definition list, which would fall apart
    all_lines = page.body.split("\n")
    headings = [len(found[1]) if (found := re.match(r"(#+) ", line)) else 0 for line in all_lines]
    for at, line in enumerate(all_lines):
        level = headings[at] or level
        # Above a heading that is deeper by more than one it is a sister of that, and not its parent.
        below = next(filter(None, headings[at + 1 :]), 0)
        lines.append(re.sub(r"^\*\*([^*]+)\*\*$", rf"{'#' * min(max(level + 1, below), 6)} \1", line))
    cleaned = "\n".join(lines)
    return Pair(page.body, cleaned) if cleaned != page.body else None


# --- tables told as prose -------------------------------------------------------------------------------------------


def _tables(text: str) -> list[tuple[int, int, list[list[str]]]]:
    tables = []
    for found in re.finditer(r"(?m)(?:^\|.*\|(?:\n|$)){3,}", text):
        rows = [[cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]] for row in found[0].strip().split("\n")]
        tables.append((found.start(), found.end(), [rows[0], *rows[2:]]))
    return tables


def _can_be_told(rows: list[list[str]]) -> bool:
    """Whether the titles tell the columns apart, and the first, which no sentence has, leads nowhere."""
    titles = rows[0]
    is_named = all(titles) and all(row[0] for row in rows)
    return is_named and len(set(titles)) == len(titles) and "](" not in titles[0]


def _told(rng: Random, page: Page, tell: Callable[[list[str], list[str]], str], joint: str = "\n\n") -> Pair | None:
    tables = [table for table in _tables(page.body) if _can_be_told(table[2])]
    if not tables:
        return None
    start, end, (titles, *rows) = rng.choice(tables)
    prose = joint.join(tell(titles, row) for row in rows)
    return Pair(page.body, f"{page.body[:start]}{prose}\n{page.body[end:]}")


def _each(titles: list[str], row: list[str]) -> list[tuple[str, str]]:
    return [(title, cell) for title, cell in zip(titles[1:], row[1:], strict=False) if cell]


@honest
def told_as_labels(rng: Random, page: Page) -> Pair | None:
    return _told(
        rng,
        page,
        lambda titles, row: "; ".join([f"{titles[0]}: {row[0]}", *(f"{t}: {c}" for t, c in _each(titles, row))]),
    )


@honest
def told_as_sentences(rng: Random, page: Page) -> Pair | None:
    def tell(titles: list[str], row: list[str]) -> str:
        facts = [f"the {title.lower() if title.istitle() else title} is {cell}" for title, cell in _each(titles, row)]
        return f"For {row[0]}, {' and '.join(facts)}."

    return _told(rng, page, tell)


@honest
def told_as_items(rng: Random, page: Page) -> Pair | None:
    def tell(titles: list[str], row: list[str]) -> str:
        return f"- {row[0]}\n" + "\n".join(f"  - {title}: {cell}" for title, cell in _each(titles, row))

    return _told(rng, page, tell, "\n")


@honest
def told_in_a_line_each(rng: Random, page: Page) -> Pair | None:
    return _told(
        rng, page, lambda titles, row: f"- **{row[0]}**: " + ", ".join(f"{t} {c}" for t, c in _each(titles, row)), "\n"
    )


# --- several at once ------------------------------------------------------------------------------------------------


@honest
def several_things_done(rng: Random, page: Page) -> Pair | None:
    """Two of the others after each other, and something dropped."""
    first = rng.choice([heading_with_title, told_as_labels, told_as_sentences, bullets_normalised, bold_taken_off])
    pair = first(rng, page)
    if pair is None:
        return None
    ending = rng.choice(ENDINGS)
    second = quotes_straightened(rng, page._replace(body=pair.cleaned))
    return Pair(f"{pair.draft.rstrip()}\n\n{ending}\n", second.cleaned if second else pair.cleaned)
