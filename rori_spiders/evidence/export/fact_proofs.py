"""Facts with their proofs: the canonical form of a row, its leaf, and the path from there to the root of a head."""

import json
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from rori_spiders.exceptions import LedgerError
from rori_spiders.ledger.audit import fact_log
from rori_spiders.ledger.audit.facts import FactKind
from rori_spiders.ledger.audit.merkle_tree import EMPTY_ROOT, HASH_BYTES, hash_node


class ProofTree:
    """The whole tree in memory, 64 bytes a leaf. *leaves* are the hashes of its leaves, one after the other."""

    def __init__(self, leaves: bytes | bytearray) -> None:
        if len(leaves) % HASH_BYTES:
            raise ValueError(f"{len(leaves)} bytes are not a whole number of hashes")
        self._levels = [leaves]  # of each level the roots of all perfect subtrees of 2 ** level leaves
        while len(self._levels[-1]) >= 2 * HASH_BYTES:
            self._levels.append(_hash_pairs(self._levels[-1]))

    @property
    def size(self) -> int:
        """The number of leaves."""
        return len(self._levels[0]) // HASH_BYTES

    def root(self, size: int | None = None) -> bytes:
        """The root of the tree's first *size* leaves; of all of them without."""
        size = self.size if size is None else size
        return self._subtree(0, size) if size else EMPTY_ROOT

    def inclusion_path(self, leaf: int, size: int) -> list[bytes]:
        """The hashes that lead from the leaf with this index to the root of the first *size* leaves.

        Raises IndexError where the tree or its first *size* leaves do not reach so far.
        """
        if not 0 <= leaf < size <= self.size:
            raise IndexError(f"leaf {leaf} of {size}, in a tree of {self.size}")
        return self._path(leaf, 0, size)

    def _path(self, leaf: int, start: int, end: int) -> list[bytes]:
        if end - start == 1:
            return []
        middle = start + _split(end - start)
        if leaf < middle:
            return [*self._path(leaf, start, middle), self._subtree(middle, end)]
        return [*self._path(leaf, middle, end), self._subtree(start, middle)]

    def _subtree(self, start: int, end: int) -> bytes:
        size = end - start
        if size & (size - 1) == 0:  # perfect, and where a tree is split it begins at a multiple of its size
            level = size.bit_length() - 1
            at = (start >> level) * HASH_BYTES
            return bytes(self._levels[level][at : at + HASH_BYTES])
        middle = start + _split(size)
        return hash_node(self._subtree(start, middle), self._subtree(middle, end))


def _split(size: int) -> int:
    """The leaves of the left subtree: the largest power of 2 that is smaller than *size*."""
    return 1 << ((size - 1).bit_length() - 1)


def _hash_pairs(hashes: bytes | bytearray) -> bytearray:
    pairs = bytearray()
    for at in range(0, len(hashes) - HASH_BYTES, 2 * HASH_BYTES):
        pairs += hash_node(bytes(hashes[at : at + HASH_BYTES]), bytes(hashes[at + HASH_BYTES : at + 2 * HASH_BYTES]))
    return pairs


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
