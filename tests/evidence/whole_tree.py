"""The whole tree of a ledger's log of facts, and that it only grew, by the recursive definition of RFC 6962 (2.1.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.evidence.export.fact_proofs import ProofTree
from rori_spiders.ledger.audit import fact_log

if TYPE_CHECKING:
    from sqlalchemy import Connection


class WholeTree(ProofTree):
    """With proofs that its first leaves begin it."""

    def consistency_path(self, old: int, new: int) -> list[bytes]:
        """The hashes that show that the first *old* leaves begin the first *new* ones. Raises IndexError."""
        if not 0 <= old <= new <= self.size:
            raise IndexError(f"{old} to {new} leaves, in a tree of {self.size}")
        return self._consistency(old, 0, new, is_known=True) if 0 < old < new else []

    def _consistency(self, old: int, start: int, end: int, *, is_known: bool) -> list[bytes]:
        if old == end:
            return [] if is_known else [self._subtree(start, end)]
        middle = start + (1 << ((end - start - 1).bit_length() - 1))
        if old <= middle:
            return [*self._consistency(old, start, middle, is_known=is_known), self._subtree(middle, end)]
        return [*self._consistency(old, middle, end, is_known=False), self._subtree(start, middle)]


def load_tree(conn: Connection) -> WholeTree:
    """The tree of the ledger's log of facts."""
    return WholeTree(b"".join(row.hashes for row in fact_log.stream_leaves(conn)))
