"""The webhook that begins a draft of a corpus: who is believed, and that nothing else is let in."""

from __future__ import annotations

import json
import time
from base64 import b64encode
from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders.monitor.security.webhook_signature import SECRET_VARIABLE
from tests.corpus.factories import DOMAIN
from tests.support.webhooks import sign

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastapi.testclient import TestClient
    from httpx2 import Response

    from rori_spiders.monitor.state.dependencies import AppState

pytestmark = pytest.mark.parametrize("dialect", ["sqlite"])
PATH = "/hooks/corpus"
KEY = b"a secret of this test, 32 bytes."
ASKED = {"type": "corpus.changed", "data": {"domain": DOMAIN}}


@pytest.fixture(autouse=True)
def _secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SECRET_VARIABLE, f"whsec_{b64encode(KEY).decode()}")


@pytest.fixture
def sent(stranger: TestClient) -> Callable[..., Response]:
    """Sends a message as somebody who knows the secret, or not."""

    def send(asked: Any = ASKED, *, key: bytes = KEY, late_s: float = 0, body: bytes | None = None) -> Response:
        said = json.dumps(asked).encode()
        signed = sign(key, said, late_s)
        return stranger.post(PATH, content=said if body is None else body, headers=signed)

    return send


def why(answer: Response) -> str:
    assert answer.status_code == 401 and answer.json()["error"]["code"] == "not_signed_in"
    return str(answer.json()["error"]["message"])


def test_corpus_webhook_wrong_secret_is_refused(sent: Callable[..., Response], stranger: TestClient) -> None:
    assert "No matching signature found" in why(sent(key=b"another secret of 32 bytes......"))
    assert "No matching signature found" in why(sent(body=json.dumps({**ASKED, "more": 1}).encode()))
    assert "Message timestamp too old" in why(sent(late_s=301))
    assert "Message timestamp too new" in why(sent(late_s=-302))
    assert "Missing required headers" in why(stranger.post(PATH, json=ASKED))


@pytest.mark.parametrize("seconds", ["²", "nan", "1e400", "-1", ""])
@pytest.mark.parametrize("signature", ["v1,é", "v1", "v1,x,y", "v2,abc=", "v1,AAA", " , "])
def test_corpus_webhook_malformed_signature_is_refused(stranger: TestClient, seconds: str, signature: str) -> None:
    odd = {b"webhook-id": b"1", b"webhook-timestamp": seconds.encode(), b"webhook-signature": signature.encode()}
    assert why(stranger.post(PATH, json=ASKED, headers=odd))
    now = {**odd, b"webhook-timestamp": str(int(time.time())).encode()}
    assert why(stranger.post(PATH, json=ASKED, headers=now))
    assert why(stranger.post(PATH, content=b"\xff", headers=now))


def test_corpus_webhook_signature_opens_no_other_route(stranger: TestClient) -> None:
    assert stranger.get(PATH).status_code == 303, "to the login page, as every page"
    for path in (f"{PATH}/", f"{PATH}/x", "/hooks", "/api/v1/hooks/corpus"):
        assert stranger.post(path, json=ASKED).status_code == 401
    assert stranger.post(PATH, json=ASKED, headers={"Origin": "https://evil.example"}).status_code == 403
    assert stranger.put(PATH, json=ASKED).status_code == 401


def test_corpus_webhook_without_secret_is_disabled(sent: Callable[..., Response], served: AppState) -> None:
    served.hook_secret = None
    assert f"{SECRET_VARIABLE} is not set" in why(sent())


def test_corpus_webhook_old_and_new_secret_are_accepted(stranger: TestClient) -> None:
    body = json.dumps(ASKED).encode()
    ours, theirs = sign(KEY, body), sign(b"x" * 32, body)
    ours["webhook-signature"] = f"{theirs['webhook-signature']} {ours['webhook-signature']}"
    assert stranger.post(PATH, content=body, headers=ours).status_code == 404, "believed, and nothing is published yet"


@pytest.mark.parametrize(
    "asked", [[], "x", {"type": "other", "data": {"domain": DOMAIN}}, {**ASKED, "data": {"domain": "../x"}}]
)
def test_corpus_webhook_other_message_is_refused(sent: Callable[..., Response], asked: Any) -> None:
    answer = sent(asked)
    assert answer.status_code == 422 and answer.json()["error"]["details"]["problems"], answer.text
