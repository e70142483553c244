"""Facts with their proofs: the canonical form of a row, its leaf, and the path from there to the root of a head."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from rori_spiders.evidence.proofs import ProofTree
from rori_spiders.exceptions import LedgerError
from rori_spiders.ledger.audit import fact_log
from rori_spiders.ledger.audit.merkle_tree import HASH_BYTES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection

    from rori_spiders.ledger.audit.facts import FactKind


class UnprovenFact(LedgerError):
    """Raised for a row that the log of facts does not have as it is."""


class FactProver:
    """Proves rows of one state of the ledger. *head_sizes*: the sizes of the heads that proofs may lead to, ascending.

    A proof leads to the first head that covers its leaf: that is the earliest time by which it was recorded.
    """

    def __init__(self, conn: Connection, head_sizes: Sequence[int]) -> None:
        leaves = bytearray()
        self._places: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
        for row in fact_log.stream_leaves(conn):
            at = len(leaves) // HASH_BYTES
            self._places[row.kind, row.subject].append((at, at + len(row.hashes) // HASH_BYTES))
            leaves += row.hashes
        self._leaves = leaves
        self.tree = ProofTree(leaves)
        self._sizes = [size for size in head_sizes if size <= self.tree.size] or [self.tree.size]
        self.used_sizes = Counter[int]()  # how many proofs lead to each

    def prove(self, kind: FactKind, row: Mapping[Any, Any]) -> str:
        """A line of JSON: ``fact`` (its canonical form, as a string), ``leaf``, ``tree_size``, ``path`` (hex).

        Raises UnprovenFact.
        """
        leaf = self.leaf_of(kind, row)
        size = self._head_over(leaf)
        path = [one.hex() for one in self.tree.inclusion_path(leaf, size)]
        fact = kind.render_row(row).decode("ascii")
        return json.dumps({"fact": fact, "leaf": leaf, "tree_size": size, "path": path}, separators=(",", ":"))

    def leaf_of(self, kind: FactKind, row: Mapping[Any, Any]) -> int:
        """The index of the row's leaf. Raises UnprovenFact."""
        leaf = self._find_leaf(kind, row)
        if leaf is None:
            raise UnprovenFact(
                f"{kind.where} {row[kind.where]}: its {kind.name} row is not in the log of facts as it is in the "
                "ledger. Nothing was exported. `scrapy verify` lists every such row."
            )
        self.used_sizes[self._head_over(leaf)] += 1
        return leaf

    def _head_over(self, leaf: int) -> int:
        """The size of the first head that covers a leaf; of the whole tree where none does."""
        later = bisect_right(self._sizes, leaf)
        return self._sizes[later] if later < len(self._sizes) else self.tree.size

    def _find_leaf(self, kind: FactKind, row: Mapping[Any, Any]) -> int | None:
        wanted = kind.hash_row(row)
        ranges = self._places.get((kind.name, kind.subject_of(row)), [])
        if kind.is_state:  # the newest says how it is
            ranges = [(end - 1, end) for _, end in ranges[-1:]]
        for start, end in ranges:
            at = self._leaves.find(wanted, start * HASH_BYTES, end * HASH_BYTES)
            while at != -1 and at % HASH_BYTES:
                at = self._leaves.find(wanted, at + 1, end * HASH_BYTES)
            if at != -1:
                return at // HASH_BYTES
        return None
