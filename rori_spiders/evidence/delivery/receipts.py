"""Receipts for heads: an RFC 3161 timestamp, and the cosignature of a witness (https://c2sp.org/tlog-witness)."""

from base64 import b64encode
from urllib.parse import urlsplit

from sqlalchemy import Connection

from rori_spiders.evidence.delivery.base import REQUEST_TIMEOUT_S, DeliveryFailed, ReceiptDestination
from rori_spiders.evidence.signed_notes import NoteError, VerifierKey, parse_note, parse_signature
from rori_spiders.evidence.timestamps import accept_response, request_timestamp
from rori_spiders.ledger.audit import fact_log, head_log
from rori_spiders.ledger.audit.head_log import StoredHead
from rori_spiders.ledger.audit.merkle_tree import TreeFrontier, hash_node, split_hashes
from rori_spiders.ledger.database import Ledger
from rori_spiders.runtime.http_requests import Answer, RequestFailed, send_request

_MAX_RESPONSE_BYTES = 64 * 1024


class TimestampDestination(ReceiptDestination):
    """A timestamp authority at *url*."""

    def __init__(self, name: str, url: str) -> None:
        super().__init__(name)
        self._url = url

    def request(self, ledger: Ledger, head: StoredHead, since: int) -> str:
        """The line with the authority's timestamp over the text of *head*."""
        query = request_timestamp(parse_note(head.note).text)
        status, answer = _post(self._url, query.as_bytes(), {"content-type": "application/timestamp-query"})
        if status != 200:
            raise DeliveryFailed(f"the timestamp authority answered {status}")
        authority = urlsplit(self._url).hostname or ""
        try:
            return f"{accept_response(query, answer, authority)}\n"
        except NoteError as error:
            raise DeliveryFailed(str(error)) from error


class WitnessDestination(ReceiptDestination):
    """A witness at *url*, whose cosignatures are of *key*."""

    def __init__(self, name: str, url: str, key: VerifierKey) -> None:
        super().__init__(name)
        self._url, self._key = f"{url.rstrip('/')}/add-checkpoint", key

    def request(self, ledger: Ledger, head: StoredHead, since: int) -> str:
        """The witness's line for *head*. A witness that has seen another size says which, and is asked once more."""
        status, answer = self._add(ledger, head, since)
        if status == 409 and (seen := answer.decode("ascii", "replace").strip()).isdecimal() and int(seen) != since:
            status, answer = self._add(ledger, head, int(seen))
        if status != 200:
            raise DeliveryFailed(f"the witness answered {status}: {_first_line(answer)}")
        text = parse_note(head.note).text
        try:
            lines = [parse_signature(line) for line in answer.decode().splitlines()]
        except (NoteError, UnicodeDecodeError) as error:
            raise DeliveryFailed(f"the witness answered what is not a cosignature: {_first_line(answer)}") from error
        own = [line for line in lines if self._key.verifies(text, line)]
        if not own:
            raise DeliveryFailed(f"none of the witness's cosignatures is of {self._key.name}")
        return "".join(f"{line}\n" for line in own)

    def _add(self, ledger: Ledger, head: StoredHead, old: int) -> tuple[int, bytes]:
        with ledger.connect() as conn:
            path = prove_growth(conn, old, head.size)
        proof = "".join(f"{b64encode(node).decode()}\n" for node in path)
        return _post(self._url, f"old {old}\n{proof}\n{head.note}".encode(), {"content-type": "text/plain"})


def prove_growth(conn: Connection, old: int, new: int) -> list[bytes]:
    """The consistency proof between heads of *old* and *new* leaves, from the old head's frontier and the leaves since.

    Raises DeliveryFailed where the ledger has no head of *old* leaves.
    """
    if old in {0, new}:
        return []
    before = head_log.find_head(conn, old)
    if before is None or old > new:
        raise DeliveryFailed(f"the witness has seen {old} leaves; the ledger has no such head before this one of {new}")
    since = b"".join(row.hashes for row in fact_log.stream_leaves(conn, since=old))
    return _Growth(TreeFrontier(old, split_hashes(before.frontier)), split_hashes(since)).path(new)


class _Growth:
    """A tree of which the roots of the old perfect subtrees are known, and each leaf since."""

    def __init__(self, frontier: TreeFrontier, leaves: list[bytes]) -> None:
        self._old, self._leaves = frontier.size, leaves
        self._known, start = {}, 0
        for bit, node in zip(_powers(frontier.size), frontier.nodes, strict=True):
            self._known[start, start + bit] = node
            start += bit

    def path(self, new: int) -> list[bytes]:
        return self._consistency(0, new, is_known=True)

    def _consistency(self, start: int, end: int, *, is_known: bool) -> list[bytes]:
        if self._old == end:
            return [] if is_known else [self._subtree(start, end)]
        middle = start + (1 << ((end - start - 1).bit_length() - 1))
        if self._old <= middle:
            return [*self._consistency(start, middle, is_known=is_known), self._subtree(middle, end)]
        return [*self._consistency(middle, end, is_known=False), self._subtree(start, middle)]

    def _subtree(self, start: int, end: int) -> bytes:
        if (start, end) in self._known:
            return self._known[start, end]
        if end - start == 1:
            return self._leaves[start - self._old]
        middle = start + (1 << ((end - start - 1).bit_length() - 1))
        return hash_node(self._subtree(start, middle), self._subtree(middle, end))


def _powers(size: int) -> list[int]:
    return [1 << bit for bit in reversed(range(size.bit_length())) if size >> bit & 1]


def _post(url: str, body: bytes, headers: dict[str, str]) -> Answer:
    try:
        return send_request(
            "POST", url, body=body, headers=headers, timeout_s=REQUEST_TIMEOUT_S, max_bytes=_MAX_RESPONSE_BYTES
        )
    except RequestFailed as error:
        raise DeliveryFailed(str(error)) from error


def _first_line(answer: bytes) -> str:
    return ascii(answer[:200].decode("utf-8", "replace").partition("\n")[0])
