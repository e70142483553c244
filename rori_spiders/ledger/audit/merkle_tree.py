"""Merkle trees as RFC 6962 (section 2.1) hashes them: SHA-256, a byte 0 before a leaf, a byte 1 before two nodes.

Written here, since no library fits: pymerkle 7 keeps its own storage, outside of our transactions, under the GPL;
sigstore's module is private and only verifies (2026-11). The tree is thirty lines, checked in tests against the
definition and the published examples. The hashes of leaves, one after the other, are the tiles of level 0 of C2SP's
tlog-tiles once they are cut at 256.
"""

from collections.abc import Iterable, Sequence
from hashlib import sha256

HASH_BYTES = 32
#: The root of a tree without leaves.
EMPTY_ROOT = sha256().digest()


def hash_leaf(data: bytes) -> bytes:
    """The hash of a leaf with this data."""
    return sha256(b"\0" + data).digest()


def hash_node(left: bytes, right: bytes) -> bytes:
    """The hash of a node over two others."""
    return sha256(b"\1" + left + right).digest()


class TreeFrontier:
    """A tree that grows at its end: of *size* leaves it keeps the roots of its perfect subtrees, largest first."""

    def __init__(self, size: int = 0, nodes: Sequence[bytes] = ()) -> None:
        self.size = size
        self.nodes = list(nodes)
        if size.bit_count() != len(self.nodes):
            raise ValueError(f"a tree of {size} leaves has {size.bit_count()} perfect subtrees, not {len(nodes)}")

    def append(self, leaf: bytes) -> None:
        """Add the hash of a leaf."""
        node, size = leaf, self.size
        while size & 1:
            node, size = hash_node(self.nodes.pop(), node), size >> 1
        self.nodes.append(node)
        self.size += 1

    def extend(self, leaves: Iterable[bytes]) -> None:
        """Add the hashes of leaves."""
        for leaf in leaves:
            self.append(leaf)

    def root(self) -> bytes:
        """The root of the tree as it is now."""
        if not self.nodes:
            return EMPTY_ROOT
        root = self.nodes[-1]
        for node in reversed(self.nodes[:-1]):
            root = hash_node(node, root)
        return root


def split_hashes(hashes: bytes) -> list[bytes]:
    """The hashes that stand one after the other. Raises ValueError for half a hash."""
    if len(hashes) % HASH_BYTES:
        raise ValueError(f"{len(hashes)} bytes are not a whole number of hashes")
    return [hashes[at : at + HASH_BYTES] for at in range(0, len(hashes), HASH_BYTES)]
