"""The login page, plain HTML without a script, and the end of a session."""

import base64
import hashlib
import re
from html import escape
from string import Template
from typing import Annotated
from urllib.parse import parse_qs

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from rori_spiders.ledger.operations import accounts
from rori_spiders.monitor.rest.errors import ApiError
from rori_spiders.monitor.security.access_control import LOGIN_PATH, ClientInfo, cookie_name
from rori_spiders.monitor.security.sign_in import SignIn  # noqa: TC001
from rori_spiders.monitor.state.dependencies import (
    AppState,
    AppStateDep,
)
from rori_spiders.runtime.redacted_output import name_rori

router = APIRouter(include_in_schema=False)

#: A place on this site: `//host` and `/\host` are others to a browser, which also drops tabs and ends of lines.
_LOCAL_PATH = re.compile(r"/(?![/\\])[^\\\x00-\x20\x7f]*")
_STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center;
  background: light-dark(#f8fafc, #0f172a); color: light-dark(#0f172a, #f1f5f9); }
main { width: min(22rem, calc(100vw - 3rem)); padding: 1.5rem 0; }
h1 { font-size: 1.375rem; margin: 0 0 .25rem; } p, form { margin: 0 0 1rem; }
label { display: block; margin: 1rem 0 .25rem; font-weight: 600; }
input, button { box-sizing: border-box; width: 100%; font: inherit; padding: .55rem .7rem; border-radius: .375rem;
  border: 1px solid light-dark(#64748b, #94a3b8); background: light-dark(#fff, #1e293b); color: inherit; }
button { margin-top: 1.25rem; border: 0; background: #1d4ed8; color: #fff; font-weight: 600; cursor: pointer; }
:focus-visible { outline: 3px solid light-dark(#1d4ed8, #93c5fd); outline-offset: 2px; }
.refused { padding: .6rem .8rem; border-radius: .375rem; background: light-dark(#fee2e2, #7f1d1d);
  color: light-dark(#7f1d1d, #fee2e2); }
a { color: light-dark(#1d4ed8, #93c5fd); } code { overflow-wrap: anywhere; }
"""
_POLICY = "; ".join(
    (
        "default-src 'none'",
        f"style-src 'sha256-{base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()}'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
_PAGE = Template("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sign in - RORI Collector</title>
<style>$style</style>
</head>
<body>
<main>
<h1>RORI Collector</h1>
<p>The monitor. Sign in to see how the collection stands.</p>
$message
<form method="post" action="/login">
<input type="hidden" name="next" value="$next">
<label for="name">Name</label>
<input id="name" name="name" value="$name" autocomplete="username" autocapitalize="none" spellcheck="false" required
 $focus_name>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required
 $focus_password>
<button>Sign in</button>
</form>
$below
</main>
</body>
</html>
""")


async def _request_body(request: Request) -> bytes:
    return await request.body()


@router.get(LOGIN_PATH)
def show_login(request: Request, served: AppStateDep, next: str = "/") -> Response:  # noqa: A002  # the word in the URL
    """Show the login form; redirect a user who is already signed in."""
    if request.state.person is not None:
        return RedirectResponse(_safe_redirect(next), 303)
    return _login_form(served, next=next)


@router.post(LOGIN_PATH)
def sign_in(request: Request, served: AppStateDep, body: Annotated[bytes, Depends(_request_body)]) -> Response:
    """Start a session and redirect to the requested page, or show the form again with the error."""
    form = {key: values[-1] for key, values in parse_qs(body.decode("utf-8", "replace")).items()}
    name, wanted = form.get("name", "").strip()[:100], form.get("next", "/")
    seen: ClientInfo = request.state.visitor
    signing: SignIn = request.app.state.sign_in
    try:
        token = signing.session(name, form.get("password", ""), seen.address)
    except ApiError as refused:
        return _login_form(served, next=wanted, name=name, refused=refused)
    name_of_cookie = cookie_name(https=seen.https)
    if replaced := request.cookies.get(name_of_cookie):  # nobody can sign out of it any more
        with served.ledger.begin() as conn:
            accounts.end_session(conn, replaced)
    response = RedirectResponse(_safe_redirect(wanted), 303)
    response.set_cookie(
        name_of_cookie,
        token,
        max_age=int(served.terms.lasting.longest.total_seconds()),
        secure=seen.https,
        httponly=True,
        samesite="strict",
    )
    return response


@router.post("/logout", status_code=204)
def sign_out(request: Request, served: AppStateDep) -> Response:
    """End the session and delete its cookie."""
    name = cookie_name(https=request.state.visitor.https)
    if token := request.cookies.get(name):
        with served.ledger.begin() as conn:
            accounts.end_session(conn, token)
    response = Response(status_code=204)
    response.delete_cookie(name, secure=request.state.visitor.https, httponly=True, samesite="strict")
    return response


def _safe_redirect(wanted: str) -> str:
    return wanted if _LOCAL_PATH.fullmatch(wanted) and not wanted.startswith(("/api/", LOGIN_PATH)) else "/"


def _login_form(served: AppState, *, next: str, name: str = "", refused: ApiError | None = None) -> Response:  # noqa: A002
    message = f'<p class="refused" role="alert">{escape(refused.message)}</p>' if refused else ""
    page = _PAGE.substitute(
        style=_STYLE,
        message=message,
        name=escape(name),
        next=escape(_safe_redirect(next)),
        below=_help_text(served, next),
        focus_name="" if name else "autofocus",
        focus_password="autofocus" if name else "",
    )
    status = refused.status_code if refused else 200
    more = dict(refused.headers or {}) if refused else {}
    return HTMLResponse(page, status, {"content-security-policy": _POLICY, **more})


def _help_text(served: AppState, wanted: str) -> str:
    """Return the help text for users who cannot sign in."""
    if served.terms.on_loopback:
        with served.ledger.connect() as conn:
            if not accounts.count_users(conn):
                how = f"<code>{name_rori('scrapy monitor users add NAME --role operator')}</code>"
                return f"<p>No users yet. In the project folder, run {how}</p>"
    if (
        place := _safe_redirect(wanted)
    ) != "/":  # a link in an e-mail comes without the cookie, one on our own page with it
        return f'<p><a href="{escape(place)}">Already signed in? Continue.</a></p>'
    return ""
