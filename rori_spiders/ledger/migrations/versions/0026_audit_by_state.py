"""The index of audit rows by state leaves out unchanged pages: nearly all rows, which nobody lists by their state."""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"

_CHANGED = sa.text("state != 'unchanged'")


def upgrade() -> None:
    op.drop_index("ix_audit_state_time", "audit")
    op.create_index(
        "ix_audit_state_time", "audit", ["state", "timestamp"], sqlite_where=_CHANGED, postgresql_where=_CHANGED
    )
