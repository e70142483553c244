"""The picture of a page, by version."""

import sqlalchemy as sa
from alembic import op

revision = "0043"
down_revision = "0042"


def upgrade() -> None:
    op.add_column("versions", sa.Column("screenshot_object", sa.String(64)))
