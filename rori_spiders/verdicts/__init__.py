"""Verdicts: what a response is, before anything may count it as a page. See docs/verdicts.md for every kind."""

from rori_spiders.verdicts.judge import judge
from rori_spiders.verdicts.verdict import KINDS, Fired, Kind, Known, Verdict

__all__ = ["KINDS", "Fired", "Kind", "Known", "Verdict", "judge"]
