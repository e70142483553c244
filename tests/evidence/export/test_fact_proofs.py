"""Inclusion and consistency proofs, checked by the algorithms of RFC 9162 (2.1.3.2, 2.1.4.2), written for this test."""

from __future__ import annotations

import pytest

from rori_spiders.ledger.audit.merkle_tree import EMPTY_ROOT, TreeFrontier, hash_leaf, hash_node
from tests.evidence.whole_tree import WholeTree

SIZES = (1, 2, 3, 4, 5, 7, 8, 9, 31, 32, 33, 100)
LEAVES = [hash_leaf(b"%d" % n) for n in range(max(SIZES))]


@pytest.fixture(scope="module")
def tree() -> WholeTree:
    return WholeTree(b"".join(LEAVES))


def root_by_inclusion(leaf: bytes, index: int, size: int, path: list[bytes]) -> bytes:
    fn, sn, root = index, size - 1, leaf
    for node in path:
        assert sn > 0, "the path is too long"
        if fn & 1 or fn == sn:
            root = hash_node(node, root)
            while not fn & 1 and fn:
                fn, sn = fn >> 1, sn >> 1
        else:
            root = hash_node(root, node)
        fn, sn = fn >> 1, sn >> 1
    assert sn == 0, "the path is too short"
    return root


def roots_by_consistency(old: int, new: int, old_root: bytes, path: list[bytes]) -> tuple[bytes, bytes]:
    if old & (old - 1) == 0:
        path = [old_root, *path]
    fn, sn = old - 1, new - 1
    while fn & 1:
        fn, sn = fn >> 1, sn >> 1
    first = second = path[0]
    for node in path[1:]:
        assert sn > 0, "the path is too long"
        if fn & 1 or fn == sn:
            first, second = hash_node(node, first), hash_node(node, second)
            while not fn & 1 and fn:
                fn, sn = fn >> 1, sn >> 1
        else:
            second = hash_node(second, node)
        fn, sn = fn >> 1, sn >> 1
    assert sn == 0, "the path is too short"
    return first, second


def test_root_of_first_leaves_is_that_of_tree_that_grew(tree: WholeTree) -> None:
    frontier = TreeFrontier()
    assert tree.root(0) == EMPTY_ROOT
    for size, leaf in enumerate(LEAVES, 1):
        frontier.append(leaf)
        assert tree.root(size) == frontier.root(), size
    assert tree.root() == frontier.root()


@pytest.mark.parametrize("size", SIZES)
def test_inclusion_path_leads_from_each_leaf_to_root(tree: WholeTree, size: int) -> None:
    for index in range(size):
        path = tree.inclusion_path(index, size)
        assert root_by_inclusion(LEAVES[index], index, size, path) == tree.root(size), index


@pytest.mark.parametrize("new", SIZES)
def test_consistency_path_leads_to_both_roots(tree: WholeTree, new: int) -> None:
    for old in range(1, new):
        path = tree.consistency_path(old, new)
        assert roots_by_consistency(old, new, tree.root(old), path) == (tree.root(old), tree.root(new)), old
    assert tree.consistency_path(0, new) == tree.consistency_path(new, new) == []


def test_proof_beyond_tree_is_refused(tree: WholeTree) -> None:
    with pytest.raises(IndexError):
        tree.inclusion_path(5, 5)
    with pytest.raises(IndexError):
        tree.inclusion_path(0, 101)
    with pytest.raises(IndexError):
        tree.consistency_path(4, 3)


def test_tree_of_half_a_hash_is_refused() -> None:
    with pytest.raises(ValueError, match="not a whole number of hashes"):
        WholeTree(b"half")
