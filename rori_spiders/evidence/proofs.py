"""Proofs over the log of facts as RFC 6962 (section 2.1) defines them: that a leaf is in it."""

from __future__ import annotations

from rori_spiders.ledger.audit.merkle_tree import EMPTY_ROOT, HASH_BYTES, hash_node


class ProofTree:
    """The whole tree in memory, 64 bytes a leaf. *leaves* are the hashes of its leaves, one after the other."""

    def __init__(self, leaves: bytes | bytearray) -> None:
        if len(leaves) % HASH_BYTES:
            raise ValueError(f"{len(leaves)} bytes are no whole number of hashes")
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
