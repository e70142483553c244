"""Run Alembic on the connection and in the transaction that ``ledger.upgrades`` has opened.

To write the next migration: ``docs/reference/ledger.md``, "A new table or column".
"""

from alembic import context

from rori_spiders.ledger.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
