"""Alembic's folder: ``env.py`` runs the files of ``versions/`` on the connection that ``ledger.upgrades`` gives it."""
