"""Numbers by the hash of a URL: what was put in is there, and nothing else."""

from __future__ import annotations

import pytest

from rori_spiders.urls.canonical import url_hash
from rori_spiders.urls.hash_table import UrlHashTable


def test_url_hash_table_has_what_was_set_and_nothing_else() -> None:
    table = UrlHashTable(number_bytes=2)
    keys = [url_hash(f"https://www.hud.gov/{number}") for number in range(20_000)]
    for number, key in enumerate(keys[::2]):
        table.set(key, number)
    assert len(table) == 10_000
    assert [table.get(key) for key in keys[::2]] == list(range(10_000))
    assert not any(key in table for key in keys[1::2])
    table.set(keys[0], 7)
    assert (table.get(keys[0]), table.get(keys[1]), len(table)) == (7, None, 10_000)
    with pytest.raises(OverflowError):
        table.set(keys[1], 65_536)


def test_url_hash_table_bytes_across_two_entries_are_no_entry() -> None:
    table = UrlHashTable()
    table.set(f"abc{'01' * 15}".ljust(64, "0"), 2)
    table.set(f"abc{'03' * 15}".ljust(64, "0"), 4)
    across = f"abc{'01' * 7}02{'03' * 7}".ljust(64, "0")
    assert across not in table
    table.set(across, 5)
    assert (table.get(across), len(table)) == (5, 3)
