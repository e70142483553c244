"""Reason codes and their details for runs, beside the sentences, from which old rows get them."""

import re

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"

# The sentences of that time; the first that matches counts. A run that was limited bears the reason of its URLs.
_REMAINING = r"; (?P<pending>\d+) of (?P<discovered>\d+) URLs?(?: and (?P<lists>\d+) lists? of pages)? remains?\Z"
_SENTENCES = tuple(
    (re.compile(pattern, re.DOTALL), code)
    for pattern, code in (
        (r"its hours have ended" + _REMAINING, "window_closed"),
        (r"(?:nothing|the outcome of a URL) could (?:not )?be recorded" + _REMAINING, "not_recorded"),
        (r"(?P<error>stopped.*)" + _REMAINING, "stopped"),
        (r"(?P<error>.*)" + _REMAINING, "lease_lost"),
        (r"another job goes on with it \((?P<error>.*)\)", "taken_over"),
        (r"(?P<discovered>\d+) URLs? discovered, \d+ ended, (?P<pending>\d+) pending", "urls_pending"),
        (r"(?P<pending>\d+) pages? without a final state", "urls_pending"),
        (r"(?P<pending>\d+) pages? (?:was|were) not fetched in time", "not_in_time"),
        (r"its job ended before ", "job_died"),
        (r"not all of its pages are known, (?P<error>.*)", "pages_unknown"),
        (r"the start URL failed: (?P<error>.*)", "start_failed"),
        (r"the start URL may not be fetched: (?P<error>.*)", "start_excluded"),
        (r"(?P<failed>\d+) of (?P<tried>\d+) URLs? that the run tried failed", "mostly_failed"),
        (r"(?P<pages>\d+) pages? where at least (?P<limit>\d+) (?:is|are) expected", "below_min_pages"),
        (r"(?P<pages>\d+) pages?(?: where|;) (?P<rule>.*); no(?:thing of it| page) is .* gone\Z", "below_baseline"),
        (r"rate_limited: (?P<error>.*)", "cooling_down"),
    )
)
_NUMBERS = {"pending", "discovered", "lists", "failed", "tried", "pages", "limit"}


def upgrade() -> None:
    op.add_column("runs", sa.Column("reason_code", sa.String(40)))
    op.add_column("runs", sa.Column("reason_detail", sa.JSON))
    runs = sa.table(
        "runs",
        *(sa.column(name) for name in ("run_id", "state", "reason", "reason_code")),
        sa.column("reason_detail", sa.JSON(none_as_null=True)),
    )
    conn = op.get_bind()
    complete = runs.c.reason.is_(None) & (runs.c.state == "complete")
    conn.execute(sa.update(runs).where(complete).values(reason_code="complete", reason_detail={}))
    changes = []
    for row in conn.execute(sa.select(runs).where(runs.c.reason.is_not(None))):
        code, detail = read_sentence(row.reason)
        if code is not None:
            changes.append({"of_run": row.run_id, "code": code, "detail": detail})
    if changes:
        change = sa.update(runs).where(runs.c.run_id == sa.bindparam("of_run"))
        conn.execute(change.values(reason_code=sa.bindparam("code"), reason_detail=sa.bindparam("detail")), changes)


def read_sentence(reason: str) -> tuple[str | None, dict[str, str | int]]:
    """Code and details of a run's sentence; (None, {}) for one that nothing matches."""
    for pattern, code in _SENTENCES:
        if found := pattern.match(reason):
            known = {name: said for name, said in found.groupdict().items() if said is not None}
            return code, {name: int(said) if name in _NUMBERS else said for name, said in known.items()}
    return None, {}
