"""What a crawl's end says as a file; the time that a run took; what its sitemap said of a page's last change."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    time = sa.String(27).with_variant(sa.DateTime(timezone=True), "postgresql")  # as 0001 has it
    op.add_column("run_urls", sa.Column("lastmod", sa.String(40)))
    op.add_column("runs", sa.Column("seconds", sa.Float, nullable=False, server_default="0"))
    op.create_table(
        "run_summaries",
        sa.Column(
            "run_id", sa.String(36), sa.ForeignKey("runs.run_id", name="fk_run_summaries_run_id_runs"), primary_key=True
        ),
        sa.Column("seq", sa.Integer, primary_key=True),
        sa.Column("path", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("made_at", time, nullable=False),
        sa.Column("written", sa.Boolean, nullable=False),
        sa.UniqueConstraint("path", name="uq_run_summaries_path"),
    )
