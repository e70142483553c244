"""The language that a page of the corpus declares: its text may be too short to tell."""

import sqlalchemy as sa
from alembic import op

revision = "0041"
down_revision = "0040"


def upgrade() -> None:
    op.add_column("corpus_pages", sa.Column("language", sa.String(20)))
