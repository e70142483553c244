"""Two stored words become the glossary's: pages of earlier runs are found by ``ledger``, and the cause is ``webhook``.

Neither is part of a fact.
"""

from alembic import op

revision = "0032"
down_revision = "0031"


def upgrade() -> None:
    op.execute("UPDATE run_urls SET found_by = 'ledger' WHERE found_by = 'kept'")
    op.execute("UPDATE alerts SET cause = 'webhook' WHERE event = 'hook_down' AND cause = 'web hook'")
