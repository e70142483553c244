"""The ids of versions and changes, as commands and the API accept them."""

from __future__ import annotations

import pytest

from rori_spiders.ledger.pages.vocabulary import format_version_id, parse_version_id
from tests.support.cases import cases


def test_version_id_is_parsed_as_formatted() -> None:
    assert parse_version_id("12-3") == (12, 3)
    assert parse_version_id(format_version_id(2**31 - 1, 1)) == (2**31 - 1, 1)


@cases("text", ["", "12", "12-", "-3", "0-1", "1-0", "1-2-3", "+1-2", "1 -2", "²-1", f"{2**31}-1"])
def test_version_id_malformed_or_out_of_range_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="version"):
        parse_version_id(text)
