"""What cleaning is not sure of in a page, beside what the audit finds: it holds the page for a person."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rori_spiders.corpus.cleaning.draft import NEEDS_VARIANT_REVIEW
from rori_spiders.corpus.documents.front_matter import one_line
from rori_spiders.corpus.reviewing.approving import NEEDS_REVIEW, PUBLISHABLE
from rori_spiders.corpus.rewriting.page import TOO_LONG
from rori_spiders.corpus.triage.asking import SURE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlalchemy import Row

    from rori_spiders.corpus.running.work import Work

#: Of what a model flags, so much is told: all of it stands in the ``cleaning_object``.
_MOST_FLAGS, _LONGEST_FLAG = 10, 200
#: Flags of cleaning that say the page has variants; the others are about what a rule did.
_OF_RULES = frozenset({"rule_kept_block", "rule_kept_section", "rule_removed_what_binds"})
#: What was seen, in a sentence for whoever reviews: docs/corpus.md has the flags.
_SAYS = {
    "contains_pricing_toggle": "its prices are shown for one period at a time: {}",
    "contains_calculator": "it has a calculator, whose answers are not in its text: {}",
    "has_query_driven_prices": "its prices depend on what is asked for: {}",
    "has_table_with_missing_headers": "a table has a column with entries and no name; its first row: {}",
    "lost_content": "something on it was not there when it was read: {}",
    "needs_variant_review": "look at the page itself: one visit does not show all that it says ({})",
    "rule_kept_block": "a rule of the site names a block that stays: {}",
    "rule_kept_section": "a rule of the site names a section that stays: most of the page, or half struck out: {}",
    "rule_removed_what_binds": "a rule of the site has taken out what may bind: {}",
}
LEADS, TOOK = "leads_to_document", "took_document"


@dataclass(frozen=True, slots=True)
class Doubt:
    """One of them, in the form of the audit's findings. ``severity``: review, or note, which holds nothing."""

    flag: str
    code: str
    says: str
    severity: str = "review"

    def told(self) -> dict[str, Any]:
        return {"code": self.code, "severity": self.severity, "where": "", "says": self.says}


def doubts_of(work: Work, row: Row[Any]) -> list[Doubt]:
    """The flags of the cleaning by rules; why a model's was refused or is none, and what the model is not sure of."""
    done = json.loads(work.text(row.removals_object)) if row.removals_object else {}
    found = []
    for one in done.get("flags", ()):
        name = one["name"]
        if name == LEADS:
            found.append(Doubt(LEADS, LEADS, _not_taken(row, one["evidence"])))
            continue
        says = _SAYS.get(name, "{}").format(one_line(one["evidence"]))
        found.append(Doubt(name if name in _OF_RULES else NEEDS_VARIANT_REVIEW, name, says))
    if row.linked and row.linked["object"]:
        # Whoever looks at the text sees where it comes from; the rules say that it is to be so.
        told = f"its text is that of the document which it leads to: {one_line(row.linked['url'])}"
        found.append(Doubt(TOOK, TOOK, told, "note"))
    rewritten = json.loads(work.text(row.cleaning_object)) if row.cleaning_object else {}
    return [*found, *_of_model(rewritten)]


def _not_taken(row: Row[Any], document: str) -> str:
    why = row.linked["reason"] if row.linked else "with `take_linked_documents` in the site's rules its text is taken"
    return f"it has hardly a text of its own, and leads to {one_line(document)}; {why}"


def _of_model(told: Mapping[str, Any]) -> Iterator[Doubt]:
    """*told* is a page's ``cleaning_object`` (``rewriting/kept.py``)."""
    for one in told.get("refusals", ()):
        yield Doubt("guards", one["code"], one["says"])
    for one in told.get("failures", ()):
        # Of a block that nobody asked about there is nothing to doubt: it is as without a model.
        severity = "note" if one["code"] == TOO_LONG else "review"
        yield Doubt("not_cleaned", one["code"], f"no model has cleaned it, or a part of it: {one['says']}", severity)
    confidence = told.get("confidence")
    if confidence is not None and confidence < SURE:
        yield Doubt("unsure_model", "confidence", f"the model is not sure of its cleaning ({confidence:g})")
    for flag in told.get("quality_flags", ())[:_MOST_FLAGS]:
        yield Doubt("model_flag", "quality_flag", f"the model says: {one_line(flag)[:_LONGEST_FLAG]}")
    if said := told.get("withheld", ()):
        yield Doubt("addresses_a_model", "withheld", f"it talks to a model: {one_line(said[0])[:_LONGEST_FLAG]}")


def gate_with(gate: str, doubts: Sequence[Doubt]) -> str:
    """The audit's gate, or a person's look where cleaning is not sure."""
    return NEEDS_REVIEW if gate == PUBLISHABLE and any(one.severity == "review" for one in doubts) else gate
