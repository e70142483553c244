"""What a page of the corpus states: its day of publication, its place. `dated` may be a sitemap's, of a change."""

import sqlalchemy as sa
from alembic import op

revision = "0048"
down_revision = "0047"


def upgrade() -> None:
    op.add_column("corpus_pages", sa.Column("published", sa.String(40)))
    op.add_column("corpus_pages", sa.Column("stated", sa.JSON))
    # Those of a source were the page's own, and so were those of pages that a collection held.
    op.execute("UPDATE corpus_pages SET published = dated WHERE source_id IS NOT NULL AND got = 'staged'")
