"""What the text of a page of the corpus was made of, where it only leads to a document."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    op.add_column("corpus_pages", sa.Column("linked", sa.JSON))
