"""Canaries: a secret that went in anywhere comes out nowhere."""

from __future__ import annotations

import base64
import html
import json
import logging
import sys
from urllib.parse import quote

import pytest

from rori_spiders.runtime import redacted_output
from rori_spiders.runtime.redaction import MASK, Redactor, contains_any
from tests.support.cases import cases

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
def test_redaction_known_secret_is_masked_everywhere(redactor: Redactor, text: str) -> None:
    assert CANARY not in redactor.text(text)
    assert MASK in redactor.text(text)


@pytest.mark.parametrize(
    "spelling",
    [AWKWARD, "s3cr3t/pass%20word%2B1%26x", "s3cr3t%2Fpass%20word%2B1%26x", "s3cr3t%2Fpass+word%2B1%26x"],
)
def test_redaction_url_encoded_secret_is_masked(redactor: Redactor, spelling: str) -> None:
    assert redactor.text(f"GET /?login={spelling} failed") == f"GET /?login={MASK} failed"


@pytest.mark.parametrize("secret", ["ghp_0123456789", "wJalrXUtnFEMI", "lower-case-name"])
def test_redaction_variables_are_known_by_name(redactor: Redactor, secret: str) -> None:
    assert redactor.text(f"<{secret}>") == f"<{MASK}>"


def test_redaction_other_text_is_unchanged(redactor: Redactor) -> None:
    text = "yes, /home/collector holds 5 pages"
    assert redactor.text(text) == text


def test_redaction_overlapping_secrets_leave_nothing() -> None:
    assert Redactor(["abcdef", "abcdefghijkl"]).text("abcdefghijkl abcdef") == f"{MASK} {MASK}"


def test_redaction_learned_secret_is_masked() -> None:
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
def test_redaction_secret_parameters_by_name(before: str, name: str) -> None:
    redacted = Redactor().text(f"{before}{name}={CANARY}&after=1")
    assert redacted == f"{before}{name}={MASK}&after=1"


@cases(
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
def test_redaction_other_parameters_stay(text: str) -> None:
    assert Redactor().text(text) == text


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("postgresql://rori:hunter2@db/rori", f"postgresql://{MASK}@db/rori"),
        ("https://u:p@ss@h.gov/x", f"https://{MASK}@h.gov/x"),
        ("https://u@h.gov/x and https://v:w@i.gov", f"https://{MASK}@h.gov/x and https://{MASK}@i.gov"),
    ],
)
def test_redaction_credentials_in_urls(text: str, redacted: str) -> None:
    assert Redactor().text(text) == redacted


@cases(
    "name",
    [
        *("Authorization", "AUTHORIZATION", "Proxy-Authorization", "Cookie", "Set-Cookie", "X-Api-Key", "api-key"),
        *("X-Auth-Token", "X-Amz-Security-Token", "Ocp-Apim-Subscription-Key", "X-Client-Secret", "X-CSRF-Token"),
    ],
)
def test_redaction_secret_headers_by_name(name: str) -> None:
    assert Redactor().headers({name: [CANARY, "second"]}) == {name: [MASK]}


def test_redaction_other_headers_keep_their_values(redactor: Redactor) -> None:
    headers = {"Server": ["nginx"], "Location": [f"/?k={CANARY}", "/x"], "Surrogate-Key": ["page-5"]}
    assert redactor.headers(headers) == {
        "Server": ["nginx"],
        "Location": [f"/?k={MASK}", "/x"],
        "Surrogate-Key": ["page-5"],
    }


# --- what is known ---------------------------------------------------------------------------------------------------


@cases(
    "name",
    [
        *("ZYTE_API_KEY", "APIKEY", "MYAPIKEY", "SECRET_KEY", "HF_TOKEN", "PGPASSWORD", "DB_PASS", "MYSQL_PWD"),
        *("BASIC_AUTH", "aws_credential_blob", "SIGNING_JWT", "SSH_PASSPHRASE", "API_KEYS"),
    ],
)
def test_redaction_secret_variable_names(name: str) -> None:
    assert Redactor.from_environment({name: CANARY}).text(CANARY) == MASK


@cases(
    "name",
    [
        *("PWD", "OLDPWD", "SSH_AUTH_SOCK", "MONKEY", "KEYBOARD", "TOKENIZERS_PARALLELISM", "TLS_KEY_FILE", "PATH"),
        *("PASSWORDLESS_HOME", "KEYS_DIR", "RORI_HEADER_API_KEY_HOSTS"),
    ],
)
def test_redaction_other_variable_names(name: str) -> None:
    assert Redactor.from_environment({name: CANARY}).text(CANARY) == CANARY


@cases("value", ["production", "Development", "600000", "disabled", "false", "     "])
def test_redaction_switch_values_are_no_secrets(value: str) -> None:
    assert Redactor.from_environment({"DEPLOY_KEY": value}).text(f"a {value} page") == f"a {value} page"


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://rori:{CANARY}@db/rori",
        f"https://user:p/{CANARY}#@proxy:8080",
        f"amqp://u:{CANARY.replace('-', '%2D')}@h",
    ],
)
def test_redaction_passwords_in_urls_of_environment(url: str) -> None:
    redactor = Redactor.from_environment({"SOME_URL": url})
    password = url.split(":", 2)[2].rpartition("@")[0]
    assert password not in redactor.text(f"cannot log in with {password}")


def test_redaction_command_line_values_are_known() -> None:
    redactor = Redactor()
    redactor.learn_arguments(["crawl", "-s", f"ZYTE_API_KEY={CANARY}", "--set=A_TOKEN=typed-secret-1"])
    assert redactor.text(f"{CANARY} typed-secret-1 crawl") == f"{MASK} {MASK} crawl"


@pytest.mark.parametrize(
    ("name", "value", "seen"),
    [
        ("Authorization", "Bearer abcdef-123456", "abcdef-123456"),
        ("Authorization", f"Basic {base64.b64encode(b'rori:hunter2-and-more').decode()}", "hunter2-and-more"),
        ("Cookie", "lang=en; session=0123456789abcdef", "0123456789abcdef"),
        ("X-Agency-Pass", "canary-agency", "canary-agency"),
    ],
)
def test_redaction_parts_of_header_are_known(name: str, value: str, seen: str) -> None:
    redactor = Redactor()
    redactor.learn_header(name, value)
    assert redactor.text(f"<{seen}>") == f"<{MASK}>"
    assert redactor.headers({name.lower(): [value]}) == {name.lower(): [MASK]}


def test_redaction_contact_of_user_agent_is_no_secret() -> None:
    redactor = Redactor()
    redactor.learn_header("User-Agent", "Agency-Reader/1.0")
    redactor.learn_header("Host", "www.hud.gov")
    assert redactor.text("Agency-Reader/1.0 www.hud.gov") == "Agency-Reader/1.0 www.hud.gov"


# --- what pages and addresses are searched for -----------------------------------------------------------------------

SPELLED = 'canary/<7f3a>&"9c"'


@pytest.mark.parametrize(
    "spelled",
    [
        SPELLED,
        html.escape(SPELLED),
        html.escape(SPELLED, quote=False),
        json.dumps(SPELLED)[1:-1],
        quote(SPELLED),
        quote(SPELLED, safe="").replace("%2F", "%2f").replace("%3C", "%3c").replace("%3E", "%3e"),
        base64.b64encode(SPELLED.encode()).decode(),
        base64.urlsafe_b64encode(SPELLED.encode()).decode(),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be"])
def test_redaction_page_is_searched_for_each_spelling(spelled: str, encoding: str) -> None:
    needles = Redactor([SPELLED]).needles()
    assert contains_any(f"<p>{spelled}</p>".encode(encoding), needles)
    assert not contains_any(f"<p>{spelled[1:]}</p>".encode(encoding), needles)


@cases("secret", ["mortgage", "Mortgage", "MORTGAGE", "20260213", "1024.41", "abc123"])
def test_redaction_chance_matches_in_pages_and_urls_stay(secret: str) -> None:
    redactor = Redactor([secret])
    assert not contains_any(secret.encode(), redactor.needles())
    assert redactor.url(f"https://a.gov/{secret}") == f"https://a.gov/{secret}"


def test_redaction_non_ascii_needles_are_whole() -> None:
    assert all(len(needle) >= 8 for needle in Redactor(["пароль-1234"]).needles())


@pytest.mark.parametrize(
    ("url", "recorded"),
    [
        (f"https://a.gov/x?k={CANARY}", f"https://a.gov/x?k={MASK}"),
        ("https://u:p@a.gov/x", f"https://{MASK}@a.gov/x"),
        ("https://a.gov/x?api_key=1234&b=2", f"https://a.gov/x?api_key={MASK}&b=2"),
        ("https://a.gov/x?X-Amz-Signature=ab12", f"https://a.gov/x?X-Amz-Signature={MASK}"),
        (f"https://a.gov/x?k={''.join(f'%{ord(c):02x}' for c in CANARY)}", f"https://a.gov/{MASK}"),
        (f"redirected to https://a.gov/?k={CANARY}", f"redirected to https://a.gov/?k={MASK}"),
    ],
)
def test_redaction_urls_for_ledger(redactor: Redactor, url: str, recorded: str) -> None:
    assert redactor.url(url) == recorded
    assert redactor.url(recorded) == recorded


@pytest.mark.parametrize("url", ["https://a.gov/?key=1234", "https://a.gov/f?token=ab&sig=1", "https://a.gov/a%20b@c"])
def test_redaction_page_names_stay(redactor: Redactor, url: str) -> None:
    assert redactor.url(url) == url


@cases(
    ("text", "redacted"),
    [
        ("{'ZYTE_API_KEY': 'ab', 'BOT_NAME': 'rori'}", f"{{'ZYTE_API_KEY': '{MASK}', 'BOT_NAME': 'rori'}}"),
        ('{"url": "https://a.gov", "mail": "info@a.gov"}', '{"url": "https://a.gov", "mail": "info@a.gov"}'),
        ("//rori:pass@a.gov/x", f"//{MASK}@a.gov/x"),
        ("?next=https%3A%2F%2Fu%3Ap%40a.gov%2Fx", f"?next=https%3A%2F%2F{MASK}@a.gov%2Fx"),
        ("?next=https%3A%2F%2Fa.gov%2Fx%40y", "?next=https%3A%2F%2Fa.gov%2Fx%40y"),
    ],
)
def test_redaction_dumps_and_nested_urls(text: str, redacted: str) -> None:
    assert Redactor().text(text) == redacted


# --- what prints -----------------------------------------------------------------------------------------------------


def written(*args: object, **kwargs: object) -> str:
    record = redacted_output.RedactedRecord("name", logging.ERROR, "path", 1, *args, **kwargs)
    return logging.Formatter().format(record)


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redacted_output, "get_redactor", lambda: Redactor([CANARY]))


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize(
    ("message", "args"),
    [
        (f"said {CANARY}", ()),
        ("said %s", (CANARY,)),
        ("said %(what)r", ({"what": {"deep": [CANARY]}},)),
        ("said %d", (CANARY,)),
        ("GET %s", (f"https://u:{CANARY}@a.gov/",)),
    ],
)
def test_redaction_log_record_has_no_secret(message: str, args: tuple[object, ...]) -> None:
    assert MASK in written(message, args, None)
    assert CANARY not in written(message, args, None)


@pytest.mark.usefixtures("known")
def test_redaction_traceback_has_no_secret() -> None:
    try:
        dict[str, str]()[CANARY]
    except KeyError:
        said = written("broke", (), sys.exc_info())
    assert f"KeyError: '{MASK}'" in said
    assert CANARY not in said
