"""When each source is collected. Steps: pure functions of (sources, their states, a time that is given).

In: sources of the manifest, their rows of ``source_state``. Out: what is due, in which order, held until when, and why.
"""

from rori_spiders.schedule.explain import explain, interval_words
from rori_spiders.schedule.hours import closing, hours_of, opening
from rori_spiders.schedule.plan import INTERVAL_DAYS, Due, State, hindrance, interval, next_due, plan

__all__ = [
    "INTERVAL_DAYS",
    "Due",
    "State",
    "closing",
    "explain",
    "hindrance",
    "hours_of",
    "interval",
    "interval_words",
    "next_due",
    "opening",
    "plan",
]
