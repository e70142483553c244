"""Canaries: a secret that went in anywhere comes out nowhere."""

from __future__ import annotations

import pytest

from rori_spiders.redaction import MASK, Redactor

CANARY = "zyte-live-7f3a9c"
AWKWARD = "s3cr3t/pass word+1&x"

ENVIRONMENT = {
    "ZYTE_API_KEY": CANARY,
    "SCRAPYD_PASSWORD": AWKWARD,
    "GITHUB_TOKEN": "ghp_0123456789",
    "AWS_SECRET_ACCESS_KEY": "wJalrXUtnFEMI",
    "aws_credential_blob": "lower-case-name",
    "SHORT_KEY": "yes",
    "HOME": "/home/collector",
}


@pytest.fixture
def redactor() -> Redactor:
    return Redactor.from_environment(ENVIRONMENT)


@pytest.mark.parametrize(
    "text",
    [
        CANARY,
        f"the provider answered: invalid key {CANARY}.",
        f"https://api.zyte.com/v1/extract?k={CANARY}",
        f"https://{CANARY}:@api.zyte.com/",
        f"{CANARY}{CANARY}",
        f"prefix{CANARY}suffix",
        f"line one\nline two {CANARY}\n",
        f'{{"error": "{CANARY}"}}',
    ],
)
def test_a_known_secret_is_seen_nowhere(redactor: Redactor, text: str) -> None:
    assert CANARY not in redactor.text(text)
    assert MASK in redactor.text(text)


@pytest.mark.parametrize(
    "spelling",
    [AWKWARD, "s3cr3t/pass%20word%2B1%26x", "s3cr3t%2Fpass%20word%2B1%26x", "s3cr3t%2Fpass+word%2B1%26x"],
)
def test_a_secret_is_known_as_a_url_spells_it(redactor: Redactor, spelling: str) -> None:
    assert redactor.text(f"GET /?login={spelling} failed") == f"GET /?login={MASK} failed"


@pytest.mark.parametrize("secret", ["ghp_0123456789", "wJalrXUtnFEMI", "lower-case-name"])
def test_variables_are_known_by_their_names(redactor: Redactor, secret: str) -> None:
    assert redactor.text(f"<{secret}>") == f"<{MASK}>"


def test_what_is_no_secret_stays(redactor: Redactor) -> None:
    text = "yes, /home/collector holds 5 pages"
    assert redactor.text(text) == text


def test_a_secret_that_holds_another_leaves_nothing_behind() -> None:
    assert Redactor(["abcdef", "abcdefghijkl"]).text("abcdefghijkl abcdef") == f"{MASK} {MASK}"


def test_secrets_can_be_learnt() -> None:
    redactor = Redactor()
    redactor.learn("header-value-1")
    redactor.learn("tiny")
    assert redactor.text("header-value-1 tiny") == f"{MASK} tiny"


@pytest.mark.parametrize(
    "name",
    [
        *("token", "key", "api_key", "api-key", "apikey", "access_token", "refresh_token", "client_secret", "password"),
        *("passwd", "secret", "signature", "sig", "X-Amz-Signature", "X-Amz-Credential", "jwt", "auth", "TOKEN"),
    ],
)
@pytest.mark.parametrize("before", ["https://a.gov/x?", "https://a.gov/x?page=2&", "https://a.gov/x#", ""])
def test_parameters_that_are_secrets_by_their_name(before: str, name: str) -> None:
    redacted = Redactor().text(f"{before}{name}={CANARY}&after=1")
    assert redacted == f"{before}{name}={MASK}&after=1"


@pytest.mark.parametrize(
    "text",
    [
        "https://a.gov/x?keyword=loans&monkey=1&tokens=3",
        "https://a.gov/key=1/x",
        "https://a.gov/?design=flat",
        "https://a.gov/@user",
        "https://a.gov?mail=info@hud.gov",
        "write to info@hud.gov",
    ],
)
def test_other_parameters_and_signs_stay(text: str) -> None:
    assert Redactor().text(text) == text


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("postgresql://rori:hunter2@db/rori", f"postgresql://{MASK}@db/rori"),
        ("https://u:p@ss@h.gov/x", f"https://{MASK}@h.gov/x"),
        ("https://u@h.gov/x and https://v:w@i.gov", f"https://{MASK}@h.gov/x and https://{MASK}@i.gov"),
    ],
)
def test_credentials_in_urls(text: str, redacted: str) -> None:
    assert Redactor().text(text) == redacted


@pytest.mark.parametrize(
    "name",
    [
        *("Authorization", "AUTHORIZATION", "Proxy-Authorization", "Cookie", "Set-Cookie", "X-Api-Key", "api-key"),
        *("X-Auth-Token", "X-Amz-Security-Token", "Ocp-Apim-Subscription-Key", "X-Client-Secret", "X-CSRF-Token"),
    ],
)
def test_headers_that_are_secrets_by_their_name(name: str) -> None:
    assert Redactor().headers({name: [CANARY, "second"]}) == {name: [MASK]}


def test_other_headers_keep_what_is_no_secret(redactor: Redactor) -> None:
    headers = {"Server": ["nginx"], "Location": [f"/?k={CANARY}", "/x"], "Surrogate-Key": ["page-5"]}
    assert redactor.headers(headers) == {
        "Server": ["nginx"],
        "Location": [f"/?k={MASK}", "/x"],
        "Surrogate-Key": ["page-5"],
    }
