"""Which held page of a source has a text is asked for each page that changes."""

import sqlalchemy as sa
from alembic import op

revision = "0050"
down_revision = "0049"

_HELD = sa.text("last_seq > 0 AND gone_at IS NULL")


def upgrade() -> None:
    op.drop_index("ix_pages_held", "pages")
    op.create_index("ix_pages_held", "pages", ["source_id", "content_hash"], sqlite_where=_HELD, postgresql_where=_HELD)
