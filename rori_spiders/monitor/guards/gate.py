"""The gate that every request passes: the right host, somebody signed in, and for what acts, the page itself.

What another program sends is signed instead (``signed.py``).
"""

from __future__ import annotations

import hmac
import secrets
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from fastapi.responses import RedirectResponse
from sqlalchemy.exc import SQLAlchemyError
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.requests import Request

from rori_spiders.exceptions import LedgerError
from rori_spiders.ledger import sessions, users
from rori_spiders.monitor.errors import Refused, answer
from rori_spiders.monitor.guards import signed
from rori_spiders.monitor.guards.people import Person
from rori_spiders.monitor.guards.visitor import Visitor, visitor

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from rori_spiders.monitor.served import Served

LOGIN = "/login"
#: What anybody who is signed in may do for themselves.
_OWN = frozenset({"/logout", "/api/session/password"})
_LOOKS = frozenset({"GET", "HEAD", "OPTIONS"})


def cookie_name(*, https: bool) -> str:
    """Behind https the name itself keeps the cookie to this host, and to https."""
    return "__Host-rori-session" if https else "rori-session"


class Gate:
    """ASGI middleware. It leaves the ``Person`` and the ``Visitor`` in ``scope["state"]``."""

    def __init__(self, app: ASGIApp, served: Served) -> None:
        self._app = app
        self._served = served
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
            self._may(scope, person)
        except Refused as refused:
            await _no(scope, refused)(scope, receive, send)
            return
        except (LedgerError, SQLAlchemyError) as error:
            said = str(error) if isinstance(error, LedgerError) else "The ledger did not answer."
            await answer(Refused(503, "ledger_unavailable", said))(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _look(self, scope: Scope) -> Visitor:
        """Raises Refused for a host that is not ours: a page elsewhere that had its own name lead here."""
        try:
            name = urlsplit(f"//{Headers(scope=scope).get('host', '')}").hostname or ""
        except ValueError:
            name = ""
        if name not in self._served.terms.names:
            raise Refused(
                400, "unknown_host", "The monitor is not asked by this name. RORI_MONITOR_NAMES says which it has."
            )
        return visitor(scope, self._served.terms)

    def _person(self, scope: Scope, seen: Visitor) -> Person | None:
        if seen.user is not None:
            return self._named_by_proxy(seen.user)
        token = Request(scope).cookies.get(cookie_name(https=seen.https))
        if not token:
            return None
        ledger, now = self._served.ledger, self._served.now()
        with ledger.connect() as conn:
            found = sessions.find(conn, token, now=now, lasting=self._served.terms.lasting)
        if found is None:
            return None
        if not found.was_seen(now):
            with ledger.begin() as conn:
                sessions.see(conn, found, now=now)
        return Person(found.user, found.role, token.encode(), found.token_hash)

    def _named_by_proxy(self, name: str) -> Person:
        with self._served.ledger.connect() as conn:
            user = users.find(conn, name)
        if user is None:
            raise Refused(403, "not_allowed", "The reverse proxy let you in, but there is no user of that name here.")
        return Person(user.name, user.role, self._proxy_key + name.encode())

    def _may(self, scope: Scope, person: Person | None) -> None:
        path, headers = scope["path"], Headers(scope=scope)
        acts = scope["method"] not in _LOOKS
        if acts:
            _same_origin(headers)
        if path == LOGIN or (scope["method"], path) in signed.DOORS:
            return
        if person is None:
            raise Refused(401, "not_signed_in", "Sign in first.")
        if not acts:
            return
        if not hmac.compare_digest(headers.get("x-csrf-token", "").encode(), person.csrf.encode()):
            raise Refused(403, "csrf", "The header X-CSRF-Token is not that of this session. Load the page again.")
        if path not in _OWN and not person.may_act:
            raise Refused(403, "not_allowed", "Only operators may do this; you may look.")


def _same_origin(headers: Headers) -> None:
    """A browser says which page sends: it must be one of ours. What is no browser says nothing."""
    origin, site = headers.get("origin"), headers.get("sec-fetch-site")
    if origin is not None:
        ours = origin.partition("://")[2].lower() == headers.get("host", "").lower()
    else:
        ours = site in {None, "same-origin", "none"}
    if not ours:
        raise Refused(403, "csrf", "This was sent from a page of another site.")


def _no(scope: Scope, refused: Refused) -> ASGIApp:
    """A page without a session leads to the login page; all else is told in the API's form.

    A page that is open already fetches parts of itself: a login page in the place of a script would be an error there.
    """
    if refused.status_code != 401 or scope["path"].startswith(("/api/", "/assets/")) or scope["method"] not in _LOOKS:
        return answer(refused)
    wanted = scope["path"] + (f"?{scope['query_string'].decode('latin-1')}" if scope["query_string"] else "")
    return RedirectResponse(f"{LOGIN}?next={quote(wanted, safe='/')}", 303)
