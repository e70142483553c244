"""The log of facts: one append-only Merkle tree over what the ledger's rows say, its signed heads, and the chains that
it replaced.
"""

from sqlalchemy import BigInteger, Column, Integer, LargeBinary, String, Table

from rori_spiders.ledger.tables.base import AnyText, UtcDateTime, metadata

#: Leaves of one transaction and subject, which stand one after the other in the tree.
fact_leaves = Table(
    "fact_leaves",
    metadata,
    # of the first leaf in the tree: 0, and then the position before it and its number of leaves
    Column("position", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=False),
    Column("kind", String(20), nullable=False),  # ledger/audit/facts.py
    Column("subject", AnyText, nullable=False),  # what they are facts of: a run, a manifest, ...
    Column("hashes", LargeBinary, nullable=False),  # 32 bytes each
)

#: The last hash of each run's chain of audit rows, from before there was a log of facts.
audit_chains = Table(
    "audit_chains",
    metadata,
    Column("run_id", String(36), primary_key=True),
    Column("rows", Integer, nullable=False),  # that the chain covers: seq 1 to this
    Column("row_hash", String(64), nullable=False),
)

#: The heads of the log that were signed, one a size.
log_heads = Table(
    "log_heads",
    metadata,
    Column("size", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=False),  # leaves
    Column("at", UtcDateTime, nullable=False),
    Column("note", AnyText, nullable=False),  # the signed note (evidence/checkpoints.py)
    Column("receipts", AnyText, nullable=False),  # further signature lines: timestamps, cosignatures
    Column("frontier", LargeBinary, nullable=False),  # roots of the perfect subtrees, 32 bytes each: the next goes on
)

#: How far each destination of RORI_EVIDENCE_HEADS has the heads.
head_destinations = Table(
    "head_destinations",
    metadata,
    Column("destination", AnyText, primary_key=True),  # as it is shown: without user, password and secret path
    Column("size", BigInteger().with_variant(Integer, "sqlite"), nullable=False),  # of the last head that it has
    Column("failed_at", UtcDateTime),  # when it first did not accept one; NULL: the last was accepted
    Column("error", AnyText),
)
