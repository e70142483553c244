"""Hosts that no name server can hold are no hosts, wherever they stand: the ledger has no room for them either."""

from __future__ import annotations

import pytest

from rori_spiders.urls.canonical import normalise_url


def test_canonical_url_host_of_253_characters_is_longest() -> None:
    longest = "a." * 125 + "gov"
    assert normalise_url(f"https://{longest}/") == f"https://{longest}/"
    with pytest.raises(ValueError, match="an invalid host name"):
        normalise_url(f"https://a{longest}/")
