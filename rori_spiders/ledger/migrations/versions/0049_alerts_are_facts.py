"""Rows of `alerts` become leaves of the log of facts: the upgrade adds those of the rows that are there."""

revision = "0049"
down_revision = "0048"


def upgrade() -> None:
    """No table changes: ``fact_log.adopt_rows`` adds the leaves."""
