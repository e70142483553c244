"""The last failures, the last runs and the last changes of all sources: from an index, however large the ledger."""

from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    op.create_index("ix_audit_state_time", "audit", ["state", "timestamp"])
    op.create_index("ix_versions_time", "versions", ["captured_at"])
    op.create_index("ix_runs_started", "runs", ["started_at"])
