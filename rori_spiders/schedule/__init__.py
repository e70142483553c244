"""When each source is collected. Steps: pure functions of (sources, their states, a time that is given).

In: sources of the manifest, their rows of ``source_state``. Out: what is due, in which order, held until when, and why.
"""

from rori_spiders.schedule.explain import explain, interval_words
from rori_spiders.schedule.hindrance import all_paused, hindrance
from rori_spiders.schedule.hours import closing, hours_of, opening
from rori_spiders.schedule.interval import INTERVAL_DAYS, LONGEST_RUN, State, interval, longest_pause, next_due
from rori_spiders.schedule.plan import Due, plan
from rori_spiders.schedule.progress import Progress, percent_done
from rori_spiders.schedule.span import Span, span

__all__ = [
    "INTERVAL_DAYS",
    "LONGEST_RUN",
    "Due",
    "Progress",
    "Span",
    "State",
    "all_paused",
    "closing",
    "explain",
    "hindrance",
    "hours_of",
    "interval",
    "interval_words",
    "longest_pause",
    "next_due",
    "opening",
    "percent_done",
    "plan",
    "span",
]
