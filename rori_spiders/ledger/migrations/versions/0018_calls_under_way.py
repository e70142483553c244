"""Calls that are under way, counted before each that costs: found without looking through all of the month."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    is_open = sa.text("settled_at IS NULL")
    op.create_index("ix_costs_open", "costs", ["reserved_at"], sqlite_where=is_open, postgresql_where=is_open)
