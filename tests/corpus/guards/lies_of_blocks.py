"""Lies in sentences, blocks, headings, links and citations."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.corpus.guards.lying import LINK, PROSE, at_random, blocks_of, insert, joined, lie, put, substance

if TYPE_CHECKING:
    from random import Random

# --- sentences and blocks -------------------------------------------------------------------------------------------


@lie
def sentence_added(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, PROSE, text), lambda found: f"{found[0]} This does not apply to small lenders.")


@lie
def sentence_dropped(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, r"(?<=\. )[A-Z][^.\n|]{20,}\.(?=\s)", text), "")


@lie
def sentences_swapped(rng: Random, text: str) -> str | None:
    found = at_random(rng, r"(?m)(?<=\. )([A-Z][^.\n|]{20,}\.) ([A-Z][^.\n|]{20,}\.)(?=\s)", text)
    return put(text, found, lambda it: f"{it[2]} {it[1]}")


@lie
def summary_added(rng: Random, text: str) -> str | None:
    return insert(rng, text, "In short: you qualify when your income is low enough.")


@lie
def paragraph_dropped(rng: Random, text: str) -> str | None:
    blocks = blocks_of(text)
    if not (ours := substance(blocks)):
        return None
    del blocks[rng.choice(ours)]
    return joined(blocks)


@lie
def paragraph_doubled(rng: Random, text: str) -> str | None:
    blocks = blocks_of(text)
    if not (ours := substance(blocks)):
        return None
    at = rng.choice(ours)
    blocks.insert(at, blocks[at])
    return joined(blocks)


@lie
def paragraphs_swapped(rng: Random, text: str) -> str | None:
    blocks = blocks_of(text)
    ours = substance(blocks)
    if len(ours) < 2:
        return None
    one, other = rng.sample(ours, 2)
    blocks[one], blocks[other] = blocks[other], blocks[one]
    return joined(blocks)


@lie
def end_cut_off(rng: Random, text: str) -> str | None:
    blocks = blocks_of(text)
    ours = substance(blocks)
    if not ours:
        return None
    cut = blocks[: ours[-1] + 1]
    cut[-1] = cut[-1][: len(cut[-1]) * rng.randrange(3, 9) // 10] + "..."
    return joined(cut)


@lie
def tail_dropped(rng: Random, text: str) -> str | None:
    blocks = blocks_of(text)
    ours = substance(blocks)
    return joined(blocks[: rng.choice(ours)]) if len(ours) > 1 else None


@lie
def section_dropped(rng: Random, text: str) -> str | None:
    sections = re.split(r"(?m)^(?=#{2,4} )", text)
    ours = [at for at, one in enumerate(sections) if at and len(one) > 300]
    if not ours:
        return None
    del sections[rng.choice(ours)]
    return "".join(sections)


@lie
def item_dropped(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, r"(?m)^(?:- (?!\[)|\d\. ).{30,}\n", text), "")


# --- headings -------------------------------------------------------------------------------------------------------


@lie
def heading_asserts(rng: Random, text: str) -> str | None:
    more = rng.choice([" does not apply", " (optional)", " for everyone", ": repealed", " - free of charge"])
    return put(text, at_random(rng, r"(?m)^##+ .+$", text), lambda found: found[0] + more)


@lie
def heading_reworded(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, r"(?m)(?<=^## ).+$", text), "What you need to know")


@lie
def heading_put_in(rng: Random, text: str) -> str | None:
    blocks = blocks_of(text)
    ours = substance(blocks)
    if not ours:
        return None
    blocks.insert(rng.choice(ours), rng.choice(["## Exempt lenders", "### Optional", "## Repealed rules"]))
    return joined(blocks)


@lie
def heading_taken_out(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, r"(?m)^##+ .+\n\n(?=[^#])(?!\[|- \[)", text), "")


@lie
def heading_demoted(rng: Random, text: str) -> str | None:
    """The second of two neighbours becomes part of the first."""
    found = at_random(rng, r"(?ms)^## [^\n]+\n(?:(?!^#).)*?\n(?=## )", text)
    return None if found is None else text[: found.end()] + "#" + text[found.end() :]


@lie
def heading_promoted(rng: Random, text: str) -> str | None:
    """What was part of a section stands beside it."""
    found = at_random(rng, r"(?ms)^## [^\n]+\n(?:(?!^#).)*?^(?=### )", text)
    return None if found is None else text[: found.end()] + text[found.end() + 1 :]


@lie
def headings_swapped(rng: Random, text: str) -> str | None:
    found = list(re.finditer(r"(?m)^## (.+)$", text))
    if len(found) < 2:
        return None
    one, other = sorted(rng.sample(found, 2), key=lambda it: it.start())
    return text[: one.start()] + other[0] + text[one.end() : other.start()] + one[0] + text[other.end() :]


@lie
def paragraph_became_heading(rng: Random, text: str) -> str | None:
    blocks = blocks_of(text)
    ours = [at for at in substance(blocks) if len(blocks[at]) < 300 and "\n" not in blocks[at]]
    if not ours:
        return None
    at = rng.choice(ours)
    blocks[at] = f"### {blocks[at]}"
    return joined(blocks)


# --- links and citations --------------------------------------------------------------------------------------------


@lie
def links_swapped(rng: Random, text: str) -> str | None:
    found = list(LINK.finditer(text))
    if len({it[2] for it in found}) < 2:
        return None
    one = rng.choice(found)
    other = rng.choice([it for it in found if it[2] != one[2]])
    return text[: one.start(2)] + other[2] + text[one.end(2) :]


@lie
def link_turned_elsewhere(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, LINK, text), lambda it: f"[{it[1]}](https://evil.example/{rng.randrange(99)})")


@lie
def link_target_edited(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, LINK, text), lambda it: f"[{it[1]}]({it[2]}{rng.choice(['x', '?ref=1', '#a'])})")


@lie
def link_text_changed(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, LINK, text), lambda it: f"[click here]({it[2]})")


@lie
def link_unlinked(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, LINK, text), lambda it: it[1])


@lie
def link_added(rng: Random, text: str) -> str | None:
    found = at_random(rng, r"(?m)(?<=[a-z] )[a-z]{5,}(?= [a-z])", text)
    return put(text, found, lambda it: f"[{it[0]}](https://evil.example/)")


@lie
def link_title_added(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, LINK, text), lambda it: f'[{it[1]}]({it[2]} "not in force")')


@lie
def citation_changed(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, r"(?:CFR|U\.S\.C\.|§|Part|sections?) (?=\d)", text), lambda it: f"{it[0]}1")


@lie
def reference_put_in(rng: Random, text: str) -> str | None:
    return f'{text}\n[note]: https://evil.example/ "this rule was repealed"\n'
