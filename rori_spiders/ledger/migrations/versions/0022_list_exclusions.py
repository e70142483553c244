"""Counts of the URLs that lists name outside a source's scope, in place of a row for each."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    op.create_table(
        "list_exclusions",
        sa.Column("run_id", sa.String(36), sa.ForeignKey("runs.run_id", name="fk_list_exclusions_run_id")),
        sa.Column("list_hash", sa.String(64)),
        sa.Column("mark", sa.Integer),
        sa.Column("list_url", sa.Text, nullable=False),
        sa.Column("list_object", sa.String(64), nullable=False),
        sa.Column("marks_object", sa.String(64), nullable=False),
        sa.Column("kind", sa.String(10), nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("reason_code", sa.String(40), nullable=False),
        sa.Column("reason_detail", sa.JSON),
        sa.Column("urls", sa.Integer, nullable=False),
        sa.Column("settled_at", sa.String(27) if is_sqlite else sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("run_id", "list_hash", "mark", name="pk_list_exclusions"),
    )
