"""Verdicts: what a response is, before anything may count it as a page. Kinds: docs/reference/verdicts.md."""

from rori_spiders.verdicts.judge import judge
from rori_spiders.verdicts.verdict import KINDS, FiredRule, Kind, PageExpectation, Verdict

__all__ = ["KINDS", "FiredRule", "Kind", "PageExpectation", "Verdict", "judge"]
