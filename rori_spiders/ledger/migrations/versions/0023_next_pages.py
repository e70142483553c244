"""The next page of a page's chain (``rel=next``), by which a list split over pages is walked again."""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"


def upgrade() -> None:
    op.add_column("pages", sa.Column("next_url", sa.Text))
