"""Who may use the monitor, and who is signed in."""

from sqlalchemy import Column, Index, String, Table

from rori_spiders.ledger.tables.metadata import metadata
from rori_spiders.ledger.tables.types import Text, UtcDateTime

users = Table(
    "users",
    metadata,
    Column("name", String(100), primary_key=True),
    Column("role", String(20), nullable=False),  # viewer | operator
    Column("password_hash", Text),  # Argon2id, with its salt and costs; None: only a reverse proxy names this user
    Column("created_at", UtcDateTime, nullable=False),
    Column("password_at", UtcDateTime),  # when the password was set
    Column("seen_at", UtcDateTime),  # last sign of life, to the minute
)

sessions = Table(
    "sessions",
    metadata,
    Column("token_hash", String(64), primary_key=True),  # SHA-256 of the cookie: who reads this table cannot sign in
    Column("user_name", String(100), nullable=False),
    Column("started_at", UtcDateTime, nullable=False),
    Column("seen_at", UtcDateTime, nullable=False),
    Index("ix_sessions_user", "user_name"),
)
