"""Generated citations are found whole, with their canonical form; generated near misses are none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from rori_spiders.content.citations import find

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn

BEFORE = st.sampled_from(("", "See ", "as required by ", "(", "The rule in "))
AFTER = st.sampled_from((".", ", which applies", ")", "; and", " applies here."))
BLANK = st.sampled_from((" ", "\N{NO-BREAK SPACE}", "\n"))
DASH = st.sampled_from(("-", "\N{EN DASH}"))
HYPHENS = ("-", "\N{HYPHEN}", "\N{NON-BREAKING HYPHEN}", "\N{MINUS SIGN}")
NUMBER = st.integers(1, 29)


def pinned(draw: DrawFn) -> str:
    levels = [draw(st.sampled_from("abcdefgh")), str(draw(st.integers(1, 9))), draw(st.sampled_from(("i", "ii", "iv")))]
    return "".join(f"({level})" for level in levels[: draw(st.integers(0, 3))])


@st.composite
def codes(draw: DrawFn) -> tuple[str, str]:
    title, section, blank = draw(NUMBER), draw(st.integers(100, 4999)), draw(BLANK)
    pins = pinned(draw)
    if draw(st.booleans()):
        name, sign = draw(st.sampled_from(("CFR", "C.F.R.", "C. F. R."))), draw(st.sampled_from(("", "§", "§ ")))
        number = f"{section}.{draw(NUMBER)}{pins}"
        return f"{title}{blank}{name}{blank}{sign}{number}", f"{title} C.F.R. § {number}"
    name, sign = draw(st.sampled_from(("USC", "U.S.C.", "U. S. C."))), draw(st.sampled_from(("", "§ ", "section ")))
    if draw(st.booleans()):
        hyphen, letter = draw(st.sampled_from(HYPHENS)), draw(st.sampled_from("abcs"))
        last = draw(NUMBER)
        return (
            f"{title}{blank}{name}{blank}{sign}{section}{letter}{hyphen}{last}",
            f"{title} U.S.C. § {section}{letter}-{last}",
        )
    return f"{title}{blank}{name}{blank}{sign}{section}{pins}", f"{title} U.S.C. § {section}{pins}"


@st.composite
def parts(draw: DrawFn) -> tuple[str, str]:
    part, letter, tail = draw(st.integers(100, 4999)), draw(st.sampled_from("ABCDEH")), draw(st.integers(0, 5))
    plain = f"12{draw(BLANK)}CFR part {part}"
    inner = (f"Subpart {letter}", f"Appendix {letter}", "Supplement I")[tail % 3]
    written = (
        f"{plain}, {inner.lower()[:-1]}{inner[-1]}" if tail < 3 else f"{inner} {'of' if tail == 3 else 'to'} {plain}"
    )
    return written, f"12 C.F.R. Part {part}, {inner}"


@st.composite
def places(draw: DrawFn) -> tuple[str, str]:
    chapter, leaf, comma = draw(NUMBER), draw(NUMBER), draw(st.sampled_from((", ", " ")))
    if draw(st.booleans()):
        book = draw(st.sampled_from(("VA Pamphlet 26-7", "VA Lenders Handbook", "VA Lender’s Handbook", "M26-7")))
        place, canonical = f"Topic {leaf}", f"VA Pamphlet 26-7, Chapter {chapter}, Topic {leaf}"
    else:
        book = draw(st.sampled_from(("HB-1-3555", "Handbook-1-3555", "USDA HB 1-3555", "USDA RD Handbook HB-1-3555")))
        word = draw(st.sampled_from(("Paragraph", "paragraph", "Section", "§")))
        place, canonical = f"{word} {chapter}.{leaf}", f"USDA HB-1-3555, Chapter {chapter}, Section {chapter}.{leaf}"
    orders = (
        f"{book}{comma}Chapter {chapter}{comma}{place}",
        f"Chapter {chapter}{comma}{place} of {book}",
        f"{place} of Chapter {chapter} of the {book}",
    )
    return draw(st.sampled_from(orders)), canonical


@st.composite
def comments(draw: DrawFn) -> tuple[str, str]:
    point = draw(st.sampled_from(("", ".i", ".iv", ".ii.A")))
    section, pins, number = draw(st.integers(1, 61)), pinned(draw), draw(NUMBER)
    written = f"{draw(st.sampled_from(('comment', 'Comment')))} {section}{pins}{draw(DASH)}{number}{point}"
    return written, f"12 C.F.R. Part 1026, Supplement I, comment {section}{pins}-{number}{point}"


@st.composite
def acts_states_cases(draw: DrawFn) -> tuple[str, str]:
    number = f"{draw(st.integers(100, 999))}{pinned(draw)}"
    act = draw(st.sampled_from(("RESPA", "TILA", "Dodd-Frank Act", "Fair Housing Act", "National Housing Act")))
    code = draw(st.sampled_from(("Cal. Civ. Code", "Minn. Stat.", "Tex. Prop. Code", "N.Y. Real Prop. Law", "A.R.S.")))
    volume = draw(st.integers(1, 999))
    reporter = draw(st.sampled_from(("U.S.", "F.3d", "S. Ct.", "F. Supp. 2d", "P.3d", "N.E.2d", "Cal. Rptr. 3d")))
    spellings = (
        (f"{act} section {number}", f"{act} § {number}"),
        (f"section {number} of {'' if act.isupper() else 'the '}{act}", f"{act} § {number}"),
        (f"{code} § {number}", f"{code} § {number}"),
        (f"{volume} {reporter} {volume + 1}", f"{volume} {reporter} {volume + 1}"),
    )
    return draw(st.sampled_from(spellings))


@settings(max_examples=300, deadline=None)
@given(st.one_of(codes(), parts(), places(), comments(), acts_states_cases()), BEFORE, AFTER)
def test_find_citations_generated_in_sentence_are_found_whole(
    generated: tuple[str, str], before: str, after: str
) -> None:
    written, canonical = generated
    text = before + written + after
    context = {"title": "12 CFR", "part": "1026"} if "comment" in canonical else None
    assert [(text[one.start : one.end], one.canonical) for one in find(text, context)] == [(written, canonical)]


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(
        (
            "§ {a} of the contract", "Part {a} of this guide", "Section {a}.{b} of the lease", "paragraph {a}.{b}",
            "${a}.{b}", "${a},{c}.{b}", "call 202-555-01{b}", "version {a}.{b}.{c}", "{a} Nov. 20{b}", "{a}/{b}/2024",
            "Chapter {a}, Topic {b} of the course", "comment {a} of {b}", "{a} Del. Ave. {b}", "{a} Root {c}",
            "Title {a}, Chapter {c}", "Subpart B, item {a}", "model V-{c}", "{a} Main St. {b}", "page {a} of {c}",
            "Rule {a} of the game", "{a} U.S. states", "the {c} Act", "Appendix {a}", "room {a}-{c}",
        )
    ),
    st.integers(10, 49), st.integers(10, 49), st.integers(100, 999), BEFORE, AFTER,
)  # fmt: skip
def test_find_citations_generated_near_misses_are_none(
    form: str, a: int, b: int, c: int, before: str, after: str
) -> None:
    assert find(before + form.format(a=a, b=b, c=c) + after) == []
