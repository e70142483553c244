"""What cleaning is not sure of in a page, beside what the audit finds: it holds the page for a person."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rori_spiders.corpus.cleaning.draft import NEEDS_VARIANT_REVIEW
from rori_spiders.corpus.reviewing.approving import NEEDS_REVIEW, PUBLISHABLE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Row

    from rori_spiders.corpus.running.work import Work

#: Flags of cleaning that say the page has variants; the others are about what a rule did.
_OF_RULES = frozenset({"rule_kept_block", "rule_kept_section", "rule_removed_what_binds", "leads_to_document"})


@dataclass(frozen=True, slots=True)
class Doubt:
    """One of them, in the form of the audit's findings."""

    flag: str
    code: str
    says: str

    def told(self) -> dict[str, Any]:
        return {"code": self.code, "severity": "review", "where": "", "says": self.says}


def doubts_of(work: Work, row: Row[Any]) -> list[Doubt]:
    """The flags of the cleaning by rules, and why a model's cleaning was refused."""
    done = json.loads(work.text(row.removals_object)) if row.removals_object else {}
    found = []
    for one in done.get("flags", ()):
        name = one["name"]
        found.append(Doubt(name if name in _OF_RULES else NEEDS_VARIANT_REVIEW, name, one["evidence"]))
    rewritten = json.loads(work.text(row.cleaning_object)) if row.cleaning_object else {}
    found += [Doubt("guards", one["code"], one["says"]) for one in rewritten.get("refusals", ())]
    return found


def gate_with(gate: str, doubts: Sequence[Doubt]) -> str:
    """The audit's gate, or a person's look where cleaning is not sure."""
    return NEEDS_REVIEW if doubts and gate == PUBLISHABLE else gate
