"""Versions are counted by what changed at each scrape of the metrics: from an index, not from the rows."""

from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    op.create_index("ix_versions_change", "versions", ["change_type"])
