"""Indexes for what a fleet asks of each job and each run: when jobs began and ended, which versions a run made."""

from alembic import op

revision = "0040"
down_revision = "0039"


def upgrade() -> None:
    op.create_index("ix_jobs_started", "jobs", ["started_at"])
    op.create_index("ix_jobs_ended", "jobs", ["ended_at"])
    op.create_index("ix_jobs_outcome", "jobs", ["outcome", "ended_at"])
    op.create_index("ix_runs_state", "runs", ["state", "source_id", "finished_at"])
    op.create_index("ix_versions_run", "versions", ["run_id"])
