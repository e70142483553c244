"""A draft that has come to a person: published without one, where the site's rules as they stand now allow it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.corpus.running.beginning import DELTA, MACHINES
from rori_spiders.corpus.site_rules import read_rules
from rori_spiders.corpus.unattended.acting import publish_unattended
from rori_spiders.terminal.corpus.releasing import loaded
from rori_spiders.terminal.listing import harmless

if TYPE_CHECKING:
    from rori_spiders.ledger.corpus.runs import CorpusRun
    from rori_spiders.terminal.corpus.desk import Desk

_MOST_SHOWN = 12


def publish_if_allowed(desk: Desk, run: CorpusRun) -> int:
    """Publish *run* and start its loader, or tell why it waits. 1: the loader failed. Raises StagingError, UsageError.

    Not the rules that the run began with hold, but those in the file: whoever takes the permission back is obeyed.
    """
    if (run.state, run.kind) != ("ready_for_review", DELTA) or run.requested_by not in MACHINES:
        return 0
    rules = read_rules(desk.rules_text(run.domain), f"site rules of {run.domain}").unattended
    if rules is None:
        return 0
    row, why = publish_unattended(desk.work(run), rules)
    if row is None:
        print("It is not published without a person:")
        print(*(harmless(f"  {one}") for one in why[:_MOST_SHOWN]), sep="\n")
        return 0
    print(f"{run.domain}: version {row.version} was published without a person, as its site rules allow")
    return loaded(desk, run.domain, row.version)
