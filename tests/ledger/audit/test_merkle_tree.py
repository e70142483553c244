"""Trees are hashed as RFC 6962 says: its definition, written out, and the examples of Certificate Transparency."""

from __future__ import annotations

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rori_spiders.ledger.audit.merkle_tree import TreeFrontier, hash_leaf, split_hashes
from tests.support.cases import cases

#: Of the reference implementation (google/certificate-transparency, cpp/merkletree/merkle_tree_test.cc).
LEAVES = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]


def _defined_root(leaves: list[bytes]) -> bytes:
    """Section 2.1, word for word."""
    if len(leaves) < 2:
        return sha256(b"\0" + leaves[0]).digest() if leaves else sha256().digest()
    k = 1
    while 2 * k < len(leaves):
        k *= 2
    return sha256(b"\1" + _defined_root(leaves[:k]) + _defined_root(leaves[k:])).digest()


@cases("size", range(9))
def test_root_of_the_published_leaves_is_the_published_root(size: int) -> None:
    tree = TreeFrontier()
    tree.extend(hash_leaf(bytes.fromhex(leaf)) for leaf in LEAVES[:size])
    assert tree.root().hex() == ROOTS[size]


@given(st.lists(st.binary(max_size=9), max_size=70), st.integers(min_value=0, max_value=70))
def test_root_of_a_resumed_tree_is_the_defined_one(leaves: list[bytes], cut: int) -> None:
    first = TreeFrontier()
    first.extend(map(hash_leaf, leaves[:cut]))
    tree = TreeFrontier(first.size, first.nodes)
    tree.extend(map(hash_leaf, leaves[cut:]))
    assert (tree.size, tree.root()) == (len(leaves), _defined_root(leaves))


def test_frontier_with_another_number_of_nodes_is_refused() -> None:
    with pytest.raises(ValueError, match="a tree of 3 leaves has 2 perfect subtrees, not 1"):
        TreeFrontier(3, [b"x" * 32])


def test_half_a_hash_is_refused() -> None:
    with pytest.raises(ValueError, match="33 bytes"):
        split_hashes(b"x" * 33)
