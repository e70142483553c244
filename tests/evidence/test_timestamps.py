"""Responses of timestamp authorities: with a chain of certificates, in whatever order, and damaged ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from rfc3161_client import decode_timestamp_response

from rori_spiders.evidence import timestamps
from rori_spiders.evidence.signed_notes import NoteError
from tests.evidence.delivery.servers import Authority
from tests.support.cases import cases

if TYPE_CHECKING:
    from pathlib import Path

NOTE = "head\n1\nroot\n"


def test_accept_response_whose_certificates_are_in_no_order_keeps_it_as_it_came(tmp_path: Path) -> None:
    request = timestamps.request_timestamp(NOTE)
    with Authority(tmp_path) as authority:
        config = tmp_path / "tsa.cnf"
        config.write_text(f"{config.read_text()}certs = {authority.roots}\n")  # sent after that of the authority
        status, response = authority.answer(request.as_bytes())
    assert status == 200
    with pytest.raises(ValueError, match="InvalidSetOrdering"):  # if this passes one day, sort no more
        decode_timestamp_response(response)
    line = timestamps.accept_response(request, response, "tsa.example.org")
    assert line.signature == response
    stamp = timestamps.read_timestamp(NOTE, line, timestamps.load_roots(authority.roots))
    assert stamp is not None
    assert stamp.is_trusted


@cases("response", [b"", b"\x30", b"\x30\x82\xff", b"junk", b"\x30\x80\x00\x00", b"\x30\x03\x30\x01\x00"])
def test_accept_response_that_is_none_is_refused(response: bytes) -> None:
    with pytest.raises(NoteError, match="cannot be read"):
        timestamps.accept_response(timestamps.request_timestamp(NOTE), response, "tsa.example.org")
