"""The step of each state in which a machine works."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.corpus.running.auditing import validated
from rori_spiders.corpus.running.cleaning import cleaned
from rori_spiders.corpus.running.mapping import mapped
from rori_spiders.corpus.running.rewriting import rewritten
from rori_spiders.corpus.running.sampling import sampled
from rori_spiders.corpus.running.scraping import scraped
from rori_spiders.corpus.running.triaging import triaged

if TYPE_CHECKING:
    from rori_spiders.corpus.running.machine import Step
    from rori_spiders.corpus.states import State

STEPS: dict[State, Step] = {
    "mapping": mapped,
    "section_sampling": sampled,
    "page_triage": triaged,
    "scraping": scraped,
    "deterministic_preflight": cleaned,
    "llm_cleanup": rewritten,
    "validation_audit": validated,
}
