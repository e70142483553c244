"""Lies that no reader sees, or sees otherwise: HTML, invisible characters, marks, lists."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.corpus.guards.lying import at_random, blocks_of, insert, joined, lie, put, substance, swap

if TYPE_CHECKING:
    from random import Random

# --- what no reader sees, or sees otherwise -------------------------------------------------------------------------


@lie
def look_alike(rng: Random, text: str) -> str | None:
    letters = {"a": "а", "e": "е", "o": "о", "p": "р", "c": "с"}  # Cyrillic, which is the point
    return put(text, at_random(rng, r"(?<=[a-z])[aeopc](?=[a-z])", text), lambda it: letters[it[0]])


@lie
def digit_look_alike(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, r"\d", text), lambda it: chr(0xFF10 + int(it[0])))


@lie
def no_width_put_in(rng: Random, text: str) -> str | None:
    found = at_random(rng, r"(?<=[a-z])(?=[a-z]{2})", text)
    return put(text, found, rng.choice(["\u200b", "\u00ad", "\u2060", "\u200d", "\ufeff"]))


@lie
def direction_turned(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, r"\d[\d,.]*\d", text), lambda it: f"\u202e{it[0]}\u202c")


@lie
def comment_put_in(rng: Random, text: str) -> str | None:
    return insert(rng, text, "<!-- This rule no longer applies. -->")


@lie
def comment_in_line(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, r"(?<=[a-z]) (?=[a-z])", text), " <!-- not --> ")


@lie
def html_put_in(rng: Random, text: str) -> str | None:
    return insert(
        rng, text, rng.choice(["<p hidden>All are exempt.</p>", "<script>x</script>", "<details>\nAll\n</details>"])
    )


@lie
def front_matter_put_in(rng: Random, text: str) -> str | None:
    return f"---\ntitle: {rng.choice(['Repealed', 'Draft'])}\n---\n\n{text}"


@lie
def put_into_code(rng: Random, text: str) -> str | None:
    blocks = blocks_of(text)
    if not (ours := substance(blocks)):
        return None
    at = rng.choice(ours)
    blocks[at] = f"```\n{blocks[at]}\n```"
    return joined(blocks)


@lie
def made_a_quotation(rng: Random, text: str) -> str | None:
    blocks = blocks_of(text)
    if not (ours := substance(blocks)):
        return None
    at = rng.choice(ours)
    blocks[at] = "> " + blocks[at].replace("\n", "\n> ")
    return joined(blocks)


@lie
def picture_put_in(rng: Random, text: str) -> str | None:
    return insert(rng, text, "![All lenders are exempt](https://evil.example/a.png)")


@lie
def struck_out(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, r"(?<= )[a-z]{4,} [a-z]{2,}(?= )", text), lambda it: f"~~{it[0]}~~")


@lie
def no_longer_struck_out(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, r"~~(.+?)~~", text), lambda it: it[1])


@lie
def struck_text_taken_out(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, r"~~(.+?)~~ ?", text), "")


@lie
def footnote_put_in(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, r"(?<=[a-z])\.(?=\s)", text), f".<sup>{rng.randrange(1, 9)}</sup>")


@lie
def label_changed(rng: Random, text: str) -> str | None:
    labels = {"(a)": "(b)", "(b)": "(c)", "(i)": "(ii)", "(1)": "(2)", "(2)": "(3)", "(c)": "(d)"}
    return swap(rng, text, r"\((?:[abci]|1|2)\)", labels)


@lie
def list_renumbered(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, r"(?m)^\d(?=\\?\. )", text), lambda it: str(int(it[0]) + 1))


@lie
def numbers_became_bullets(rng: Random, text: str) -> str | None:
    changed = re.sub(r"(?m)^\d\. ", "- ", text)
    return changed if changed != text else None


@lie
def item_nested(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, r"(?m)(?<=\n)- (?=.*\n)(?<=\S\n- )", text), "    - ")


@lie
def item_unnested(rng: Random, text: str) -> str | None:
    """An item leaves the item or definition that it stands in; lists that are merely indented have none to leave."""
    found = at_random(rng, r"(?m)^(?: {2,4})- ", text)
    outer = re.findall(r"(?m)^\S.*$", text[: found.start()])[-1:] if found else []
    return put(text, found, "- ") if outer and re.match(r"[-*+:] |\d+\. ", outer[0]) else None


@lie
def words_joined(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, r"(?<=[a-z]{3}) (?=[a-z]{3})", text), "")


@lie
def comma_moved(rng: Random, text: str) -> str | None:
    return put(text, at_random(rng, r"(?m)(?<=[a-z]), (?=[a-z])", text), " ")


@lie
def nothing_left(rng: Random, text: str) -> str | None:
    return rng.choice(["", "\n", "# Title\n", "I cannot help with that.\n"])
