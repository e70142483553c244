"""The access check of every request: the host, the signed-in user, the CSRF token, the role, and how often a token
asks.
"""

from __future__ import annotations

import hmac
import re
import secrets
import threading
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from typing import TYPE_CHECKING
from urllib.parse import quote

from fastapi.responses import RedirectResponse
from sqlalchemy.exc import SQLAlchemyError
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.requests import Request

from rori_spiders.exceptions import LedgerError
from rori_spiders.ledger.operations import accounts, api_tokens
from rori_spiders.monitor.rest.errors import ApiError, error_response
from rori_spiders.monitor.security import webhook_signature
from rori_spiders.monitor.security.permissions import Person, refuse_action

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from starlette.types import ASGIApp, Receive, Scope, Send

    from rori_spiders.monitor.state.dependencies import AppState
    from rori_spiders.monitor.state.settings import MonitorSettings


#: In a minute of the clock. The page itself asks some 30 times a minute while it is open.
MOST_REQUESTS = 120


class RequestRates:
    """Counts by minutes of the clock: up to two minutes' worth can fall into one that straddles them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._minute: int | None = None
        self._counts: dict[int, int] = {}

    def count_request(self, token_id: int, now: datetime) -> int | None:
        """Count a request; in how many seconds the token may ask again, None: this one may pass."""
        seconds = int(now.timestamp())
        with self._lock:
            if self._minute != seconds // 60:
                self._minute, self._counts = seconds // 60, {}
            self._counts[token_id] = self._counts.get(token_id, 0) + 1
            return 60 - seconds % 60 if self._counts[token_id] > MOST_REQUESTS else None


@dataclass(frozen=True, slots=True)
class ClientInfo:
    """The origin of a request. Forwarding headers count only from a trusted proxy."""

    address: str  # of the browser
    https: bool
    user: str | None  # as the proxy names it


def read_client_info(scope: Scope, terms: MonitorSettings) -> ClientInfo:
    """Read the origin from the connection, and from the headers of a proxy in RORI_MONITOR_TRUSTED_PROXIES."""
    client = scope.get("client")
    address = _plain_address(client[0]) if client else ""
    if not _is_trusted_proxy(address, terms):
        return ClientInfo(address, scope["scheme"] == "https", None)
    headers = Headers(scope=scope)
    # Each proxy adds the address that it saw at the end: what stands before the last untrusted one anybody may write.
    chain = [one.strip() for one in ",".join(headers.getlist("x-forwarded-for")).split(",") if one.strip()]
    chain = [_plain_address(one) for one in chain]
    seen = next((one for one in reversed(chain) if not _is_trusted_proxy(one, terms)), address)
    https = headers.get("x-forwarded-proto", scope["scheme"]).split(",")[-1].strip() == "https"
    named = headers.getlist(terms.user_header) if terms.user_header else []
    # Twice the same header: one of them may be the browser's own.
    return ClientInfo(seen, https, named[0].strip() or None if len(named) == 1 else None)


def _plain_address(text: str) -> str:
    """The address in *text* without port and zone, which change from one connection to the next; else *text*.

    A socket for both families names an IPv4 address as an IPv6 one.
    """
    bracketed, _, _ = text.removeprefix("[").partition("]")
    host = bracketed if text.startswith("[") else text.partition(":")[0] if text.count(":") == 1 else text
    try:
        parsed = ip_address(host.partition("%")[0])
    except ValueError:
        return text
    mapped = parsed.ipv4_mapped if isinstance(parsed, IPv6Address) else None
    return str(mapped or parsed)


def _is_trusted_proxy(address: str, terms: MonitorSettings) -> bool:
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    return any(parsed in network for network in terms.proxies)


#: A host and a port, and nothing of a URL beside them: two readers of a header must not find two hosts in it.
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::[0-9]{1,5})?")


# The gate that every request passes: the right host, somebody signed in, and for what acts, the page itself. What
# another program sends is signed instead (``webhook_signature.py``).

LOGIN_PATH = "/login"
#: Feeds of changes: their addresses have a token each.
FEED_PATHS = "/feeds/"
#: Actions that every signed-in user may take.
_OWN_ACCOUNT_PATHS = ("/logout", "/api/v1/session/")
#: Actions that a token of the scope `review` may take.
_REVIEW_PATHS = "/api/v1/changes/"
_BEARER = "Bearer "
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


def cookie_name(*, https: bool) -> str:
    """Return the cookie's name; with https the prefix ``__Host-`` binds it to this host and to https."""
    return "__Host-rori-session" if https else "rori-session"


class AccessControlMiddleware:
    """ASGI middleware. It leaves the ``Person`` and the ``ClientInfo`` in ``scope["state"]``."""

    def __init__(self, app: ASGIApp, served: AppState, list_methods: Callable[[str], frozenset[str]]) -> None:
        """*list_methods*: what the API's document declares for a path; nothing for a path that it does not have."""
        self._app = app
        self._served = served
        self._list_methods = list_methods
        self._rates = RequestRates()
        self._proxy_key = secrets.token_bytes(32)  # of this process: a restart makes pages fetch their token anew

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # a web socket: there are none
            await send({"type": "websocket.close", "code": 1008})
            return
        try:
            seen = self._look(scope)
            person = await run_in_threadpool(self._person, scope, seen)
            scope.setdefault("state", {}).update(visitor=seen, person=person)
            if person is not None:
                self._refuse_undeclared(scope)
            self._may(scope, person)
        except ApiError as refused:
            await _denied_response(scope, refused)(scope, receive, send)
            return
        except (LedgerError, SQLAlchemyError) as error:
            message = str(error) if isinstance(error, LedgerError) else "The ledger is unavailable."
            await error_response(ApiError(503, "ledger_unavailable", message))(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _look(self, scope: Scope) -> ClientInfo:
        """Raises Refused for a host that is not ours: a page elsewhere that had its own name lead here."""
        found = _HOST.fullmatch(Headers(scope=scope).get("host", ""))
        if found is None or found[1].strip("[]").lower() not in self._served.terms.names:
            raise ApiError(
                400,
                "unknown_host",
                "Unknown host name. RORI_MONITOR_ALLOWED_HOSTS lists the allowed names.",
            )
        return read_client_info(scope, self._served.terms)

    def _person(self, scope: Scope, seen: ClientInfo) -> Person | None:
        header = Headers(scope=scope).get("authorization", "")
        if header.startswith(_BEARER + api_tokens.PREFIX):
            return self._named_by_token(header.removeprefix(_BEARER))
        if seen.user is not None:
            return self._named_by_proxy(seen.user)
        token = Request(scope).cookies.get(cookie_name(https=seen.https))
        if not token:
            return None
        ledger, now = self._served.ledger, self._served.now()
        with ledger.connect() as conn:
            found = accounts.find_session(conn, token, now=now, lasting=self._served.terms.lasting)
        if found is None:
            return None
        if not found.was_seen(now):
            with ledger.begin() as conn:
                accounts.touch_session(conn, found, now=now)
        return Person(found.user, found.role, token.encode(), found.token_hash)

    def _named_by_token(self, token: str) -> Person:
        ledger, now = self._served.ledger, self._served.now()
        with ledger.connect() as conn:
            found = api_tokens.find_token(conn, token, now=now)
        if found is None:
            raise ApiError(401, "invalid_token", "This token is unknown, revoked or expired.")
        row, role = found
        if (wait_s := self._rates.count_request(row.token_id, now)) is not None:
            message = f"This token may send {MOST_REQUESTS} requests a minute. Try again in {wait_s} s."
            raise ApiError(429, "too_many_requests", message, headers={"Retry-After": str(wait_s)})
        if row.seen_at is None or abs(now - row.seen_at) >= accounts.SEEN_INTERVAL:
            with ledger.begin() as conn:
                api_tokens.touch_token(conn, row, now=now)
        return Person(row.user_name, role, token.encode(), scope=row.scope)

    def _named_by_proxy(self, name: str) -> Person:
        with self._served.ledger.connect() as conn:
            user = accounts.find_user(conn, name)
        if user is None:
            raise ApiError(
                403, "not_allowed", "The reverse proxy signed you in, but this monitor has no user with that name."
            )
        return Person(user.name, user.role, self._proxy_key + name.encode())

    def _refuse_undeclared(self, scope: Scope) -> None:
        """Before roles: a method that nobody may use is not refused to a role."""
        declared = self._list_methods(scope["path"])
        if declared and scope["method"] not in declared:
            allow = ", ".join(sorted(declared))
            raise ApiError(405, "method_not_allowed", f"This address supports {allow}.", headers={"Allow": allow})

    def _may(self, scope: Scope, person: Person | None) -> None:
        path, headers = scope["path"], Headers(scope=scope)
        acts = scope["method"] not in _SAFE_METHODS
        if acts:
            # A browser sends the origin of the page, which must be ours. Other clients send none.
            origin, site = headers.get("origin"), headers.get("sec-fetch-site")
            if origin is not None:
                ours = origin.partition("://")[2].lower() == headers.get("host", "").lower()
            else:
                ours = site in {None, "same-origin", "none"}
            if not ours:
                raise ApiError(403, "csrf", "Cross-site request refused.")
        has_own_proof = (scope["method"], path) in webhook_signature.SIGNED_ROUTES
        if path == LOGIN_PATH or has_own_proof or (not acts and path.startswith(FEED_PATHS)):
            return
        if person is None:
            raise ApiError(401, "not_signed_in", "Sign in first.")
        if not acts:
            return
        if person.scope is not None:
            self._may_by_token(path, person)
            return
        if not hmac.compare_digest(headers.get("x-csrf-token", "").encode(), person.csrf.encode()):
            raise ApiError(403, "csrf", "The X-CSRF-Token header does not match this session. Reload the page.")
        if not path.startswith(_OWN_ACCOUNT_PATHS) and not person.may_act:
            raise refuse_action(person)

    def _may_by_token(self, path: str, person: Person) -> None:
        """A token comes with no cookie, so no other site can send it. It never makes tokens or sets passwords."""
        if path.startswith(_OWN_ACCOUNT_PATHS):
            raise ApiError(403, "not_allowed", "Only its user can do this, signed in to the page; not a token.")
        if not (person.may_review if path.startswith(_REVIEW_PATHS) else person.may_act):
            raise refuse_action(person)


def _denied_response(scope: Scope, refused: ApiError) -> ASGIApp:
    """Redirect a page without a session to the login page; answer anything else in the API's error form.

    A page that is open already fetches parts of itself: a login page in the place of a script would be an error there.
    """
    if (
        refused.status_code != 401
        or scope["path"].startswith(("/api/", "/assets/"))
        or scope["method"] not in _SAFE_METHODS
    ):
        return error_response(refused)
    wanted = scope["path"] + (f"?{scope['query_string'].decode('latin-1')}" if scope["query_string"] else "")
    return RedirectResponse(f"{LOGIN_PATH}?next={quote(wanted, safe='/')}", 303)
