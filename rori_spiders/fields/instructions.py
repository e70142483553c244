"""Sentences of a page that talk to a language model instead of a reader: they prove nothing, and are not shown to it.

In: markdown. Out: stretches of it, from such a sentence to the end of its paragraph, row or item. Narrow on purpose:
law tells people to disregard and to answer as well. What is worded otherwise is not found (docs/fields.md says what
that means).
"""

from __future__ import annotations

import re

_NEAR = r"(?:\W+\w+){0,6}?\W+"
_MODEL = r"(?:ai|language model|llm|chat ?bot|assistant|gpt|chatgpt|claude|gemini)s?"
_ORDERS = r"(?:instructions?|prompts?|directions?|directives?|messages?|guidelines|commands?)"
_EARLIER = r"(?:above|previous|prior|preceding|earlier|foregoing|before|everything)"
_LAW = r"(?:sections?|paragraphs?|parts?|rules?|sentences?|provisions?|requirements?|amounts?|years?|periods?)"
_VALUE = r"[\"'`“]?(?:-?\d[\d.,]*|true|false|null|none|yes|no)[\"'`”]?"
_TO = r"(?:dear|attention|note to|instructions? (?:for|to)|if you are)(?: an?| the| any| all)?"
_SAY = r"(?:answer|respond|reply|output|return|print)(?: only| always| with| as| just)*(?: the \w+)?"
_ENDED = (
    r"(?=[.!;,\"'`”]|\s*$| (?:for|to|in) (?:all|any|every|each|the|this)\b| (?:regardless|whatever|instead|only)\b)"
)
_KINDS = (
    # "Ignore all of your previous instructions", "ignore the above": not "disregard the preceding paragraph".
    rf"\b(?:ignore|disregard|forget|override|bypass){_NEAR}{_ORDERS}\b",
    rf"\b(?:ignore|disregard|forget)(?: \w+){{0,3}}? {_EARLIER}\b(?!,? {_LAW}\b)",
    # "You are now an AI assistant", "Note to the language model".
    rf"\b(?:you are|act as|pretend to be) (?:now )?(?:an? |the )?(?:\w+ )?{_MODEL}\b",
    rf"\b{_TO}(?: \w+)? {_MODEL}\b",
    r"\b(?:system|developer|hidden) prompt\b|\b(?:new|updated) instructions?\s*:",
    # "Answer 0", "respond with true": as a sentence of its own, or for whatever is asked.
    rf"\b{_SAY} {_VALUE}{_ENDED}",
    r"\b(?:set|fill) (?:the |every |all |each )?(?:\w+ ){0,2}(?:fields?|values?|json) (?:to|with|as)\b",
    r"</?(?:system|assistant|user|instructions?|prompt)>|\[/?INST\]|<\|\w+\|>",
)
_ADDRESSED = re.compile("|".join(_KINDS), re.IGNORECASE | re.MULTILINE)
_SENTENCE = re.compile(r"[.!?:][\"'”)*_]*\s+|\n")
_PARAGRAPH_ENDS = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*+|#>]|\d{1,9}[.)]\s))")


def instructions_in(markdown: str) -> list[tuple[int, int]]:
    """Stretches (start, end) that address a model, in order; none overlaps another."""
    found: list[tuple[int, int]] = []
    for one in _ADDRESSED.finditer(markdown):
        if found and one.start() < found[-1][1]:
            continue
        ended = _PARAGRAPH_ENDS.search(markdown, one.end())
        found.append((_sentence_start(markdown, one.start()), ended.start() if ended else len(markdown)))
    return found


def _sentence_start(markdown: str, at: int) -> int:
    begin = max(0, at - 400)
    ends = [found.end() for found in _SENTENCE.finditer(markdown, begin, at)]
    return ends[-1] if ends else begin
