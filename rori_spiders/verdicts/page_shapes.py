"""Detect pages by their shape, not their words: empty, an app shell, a stub, a sign-in form."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rori_spiders.verdicts.verdict import FiredRule, Verdict

if TYPE_CHECKING:
    from rori_spiders.verdicts.page_evidence import Evidence

# Ten captured application shells show 0 to 99 characters; the shortest good page with scripts shows 218 (2026-11).
_SHELL_CHARS = 200
_STUB_CHARS = 300
# Sign-in pages of the captured set have at most 700 characters outside their forms, content pages with a form 2,000.
_LOGIN_PROSE = 1200
_SIGN_IN = re.compile(
    r"\b(?:sign|log)[\s-]?(?:in|on)\b|\blogin\b|\blogon\b|\bpassword\b|outlook|user ?name|single sign", re.IGNORECASE
)
_SIGN_IN_TITLE = re.compile(r"\b(?:sign|log)[ -]?(?:in|on)\b|single sign", re.IGNORECASE)
_LOGIN_LINKS = 25
_LOGIN_URL = re.compile(r"log[io]n|sign-?in|returnurl|/sso|/adfs|/cas/|/saml|/auth\b", re.IGNORECASE)
_LOADING = re.compile(
    r"^(?:loading|please wait)\b|\bloading\b\W*$|enable (?:it|javascript)"
    r"|javascript (?:is )?(?:required|disabled)|(?:need|requires?|without) javascript",
    re.IGNORECASE,
)
_LEAVES = re.compile(r"\blocation(?:\.href)?\s*(?:=[^=]|\.(?:replace|assign)\s*\()|\.submit\s*\(\s*\)", re.IGNORECASE)
_GOES_ON = re.compile(r"redirect|click here|moved|continue|please wait|forward", re.IGNORECASE)
# The notice that US agencies show before a system of theirs (NIST SP 800-53, AC-8): a click first, then the page.
_NOTICE = re.compile(
    r"(?:by using this (?:is|system|information system)|by (?:clicking|continuing|proceeding))[^.]{0,120}you "
    r"(?:consent|agree|acknowledge|understand)|you are accessing a u\.s\. government",
    re.IGNORECASE,
)
_NOTICE_PROSE, _NOTICE_LINKS = 4000, 12
#: A page with more prose, and without a field for a password, has no shape that decides.
MOST_PROSE = max(_STUB_CHARS, _LOGIN_PROSE, _NOTICE_PROSE, 2 * _SHELL_CHARS)
_REFRESH = re.compile(r"^\s*(\d{1,3})(?:\.\d+)?\s*[;,]\s*(?:url\s*=)?\s*\S", re.IGNORECASE)


def verdict_from_shape(evidence: Evidence) -> Verdict | None:
    """A verdict from counts and positions; None when the page shows text of its own."""
    return (
        _detect_stub(evidence)
        or _detect_sign_in(evidence)
        or _detect_notice(evidence)
        or _detect_frame(evidence)
        or _detect_shell(evidence)
        or _detect_unfilled(evidence)
        or _detect_empty(evidence)
    )


def _detect_stub(evidence: Evidence) -> Verdict | None:
    refresh = _REFRESH.match(evidence.refresh or "")
    if refresh and int(refresh[1]) <= 10 and evidence.visible < _STUB_CHARS:
        return Verdict("redirect_stub", None, 0.85, (FiredRule("meta-refresh", "element:0"),))
    if evidence.visible >= _STUB_CHARS:
        return None
    leaves = _LEAVES.search(evidence.of("script"))
    short = _STUB_CHARS if _GOES_ON.search(evidence.of("text")) else _STUB_CHARS // 3
    if leaves and evidence.visible < short and not evidence.app_root and evidence.scripts <= 4:
        return Verdict("redirect_stub", None, 0.7, (FiredRule("script-leaves", f"script:{leaves.start()}"),))
    return None


def _detect_sign_in(evidence: Evidence) -> Verdict | None:
    if not evidence.passwords:
        return None
    # Government sign-in pages carry long warnings (up to 11,000 characters), but name themselves and lead nowhere else.
    if _SIGN_IN_TITLE.search(evidence.of("title")) and evidence.links <= _LOGIN_LINKS:
        return Verdict("login_wall", None, 0.85, (FiredRule("sign-in-title", "title"),))
    named = _SIGN_IN.search(f"{evidence.of('title')}\n{evidence.of('heading')}")
    at = _LOGIN_URL.search(evidence.of("url"))
    if not evidence.is_of_access:
        return None  # a page of something else, with a box for members
    if (named or at) and evidence.prose < _LOGIN_PROSE:
        return Verdict("login_wall", None, 0.8, (FiredRule("sign-in-form", "title" if named else "url"),))
    if evidence.prose < _SHELL_CHARS:
        return Verdict("login_wall", None, 0.7, (FiredRule("only-a-password-form", "element"),))
    return None


def _detect_notice(evidence: Evidence) -> Verdict | None:
    if evidence.prose >= _NOTICE_PROSE or evidence.links > _NOTICE_LINKS:
        return None
    if found := _NOTICE.search(evidence.of("text")):
        return Verdict("consent_wall", None, 0.8, (FiredRule("notice-and-consent", f"text:{found.start()}"),))
    return None


def _detect_frame(evidence: Evidence) -> Verdict | None:
    """A page that is nothing but a frame of another one (a masked redirect)."""
    if evidence.frames and evidence.visible < _SHELL_CHARS // 4 and not evidence.app_root and evidence.scripts <= 1:
        return Verdict("redirect_stub", None, 0.7, (FiredRule("only-a-frame", "source:0"),))
    return None


def _detect_shell(evidence: Evidence) -> Verdict | None:
    bare = evidence.app_root and evidence.prose < _SHELL_CHARS // 4 and evidence.visible < 2 * _SHELL_CHARS
    if not evidence.scripts or (evidence.visible >= _SHELL_CHARS and not bare):
        return None
    demand = _LOADING.search(evidence.of("text")) or _LOADING.search(evidence.of("noscript"))
    if evidence.app_root or demand:
        return Verdict(
            "js_shell",
            None,
            0.85,
            (FiredRule("application-root" if evidence.app_root else "asks-for-script", "element"),),
        )
    if evidence.visible < _SHELL_CHARS // 4 and evidence.scripts >= 2:
        return Verdict("js_shell", None, 0.6, (FiredRule("scripts-only", "source"),))
    return None


def _detect_unfilled(evidence: Evidence) -> Verdict | None:
    """A page of menus and a footer, however long these are, whose own part its scripts have yet to fill."""
    if not evidence.scripts or evidence.main is None or evidence.own >= _SHELL_CHARS:
        return None
    if not evidence.main:
        return Verdict("js_shell", None, 0.7, (FiredRule("empty-main", "element"),))
    if len(evidence.main) < _SHELL_CHARS // 2 and _LOADING.search(evidence.main):
        return Verdict("js_shell", None, 0.8, (FiredRule("main-is-loading", "text"),))
    return None


def _detect_empty(evidence: Evidence) -> Verdict | None:
    if evidence.visible:
        return None
    if evidence.app_root:
        return Verdict("js_shell", None, 0.7, (FiredRule("application-root", "element"),))
    if evidence.scripts:
        return Verdict("js_shell", None, 0.5, (FiredRule("script-without-text", "source"),))
    return Verdict("empty", None, 0.9, (FiredRule("no-text", "text:0"),))
