"""Pages and parts of pages that public packages ship, labelled by their files' names; parts stand in a shell.

A template is not run: what it says in the marks of its language stays (``{% trans "Sign in" %}``), other marks go, and
where a form is drawn by a macro a form for name and password stands. Each package is in one half, by its name's hash.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.templates import shells

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_SUFFIX = re.compile(
    r"(?:\.(?:html?|xhtml|hbs|tpl|tt2?|twig|erb|ftl|j2|jinja2?|mako|pt|ejs|ep|phtml|tmpl|var|jsp|cshtml|default|"
    r"mustache|njk|liquid|blade\.php|swig))+$"
)
_NAMED_ALONE = re.compile(r"/body_factory/default/[a-z#_]+$|/c_icap/templates/\w+/en/[A-Z_]+$|/ukenglish/\w+\.html$")
_KINDS = (
    (
        "login",
        (
            r"(?:\w+[_-])?(?:log[_-]?in|sign[_-]?in|log[_-]?on)(?:[_-]?(?:form|page|basic|cover|simple|\d))?"
            r"|(?:auth|user|page|account)[_-](?:log[_-]?in|sign[_-]?in)\w*|lock[_-]?screen|sso[_-]?login"
            r"|(?:(?:forgot|reset|recover|lost|change)(?:ten)?[_-]?password"
            r"|password[_-]?(?:reset|forgot\w*|lost|recover\w*))(?:[_-](?:form|page|request))?"
        ),
    ),
    (
        "error",
        (
            r"(?:\w+[_-])?(?:http[_-]?)?(?:error[_-]?)?(?:40[0-59]|410|429|50[0-4]|52\d)"
            r"(?:[_-]?(?:error|page|full|basic|[a-z]+(?:[_-][a-z]+)*))?"
            r"|(?:http|page|server|internal|fatal|pages)?[_-]?errors?(?:[_-]?page)?|(?:page|http|error)?[_-]?not[_-]?found"
            r"|(?:access|permission|http|error)?[_-]?(?:denied|forbidden|unauthori[sz]ed)"
            r"|(?:server|internal|internal_server)[_-]error|http_(?!continue)[a-z_]+|blocked"
            r"|(?:access|request|login)[_-](?:blocked|denied|refused)"
        ),
    ),
    (
        "maintenance",
        (
            r"(?:\w+[_-])?(?:maintenance|offline|coming[_-]?soon|under[_-]?construction|unavailable|site[_-]?closed)"
            r"(?:[_-]?(?:page|mode|\d))?"
        ),
    ),
    (
        "innocent",
        (
            r"(?:\w+[_-])?(?:faqs?|about(?:[_-]us)?|contacts?(?:[_-]us)?|help|terms|privacy(?:[_-]policy)?|tos|support"
            r"|glossary|license|pricing|profile|timeline|typography|invoice|blog|tables?(?:[_-]basic)?|services)"
        ),
    ),
)
_APART = re.compile(
    r"/(?:vendors?|node_modules|plugins|_includes|_layouts|layouts|partials?|includes|mails?|e?mailer|emails?|admin/"
    r"advanced|locale|i18n|tests?|testing|__tests__|snippets|components?|widgets|macros|cypress|coverage)/",
    re.IGNORECASE,
)
_FOREIGN = re.compile(
    r"/(?:de|fr|es|it|pt|pt-br|pt_br|nl|pl|ru|cs|sv|da|fi|tr|ja|zh\w*|ko|hu|el|bg|ro|uk|ca|sk|sl|he|ar|german|french|"
    r"spanish|italian|polish|portuguese)/",
    re.IGNORECASE,
)
_WORDING = re.compile(
    r"(?:\{\{|\{%|<%|\[%|<\?|\$\{|\{)[^{}<>%]{0,60}?\b(?:_|__|t|trans|translate|gettext|_t|i18n|tr|loc|l10n|N_|msg|"
    r"ugettext|esc_html_e|_e)\b[^\"'{}<>]{0,12}[\"']([^\"'{}<>]{2,200})[\"'][^{}<>]{0,80}(?:\}\}|%\}|%>|%\]|\?>|\})"
)
_MARKS = re.compile(
    r"\{\{\{?.*?\}?\}\}|\{%.*?%\}|<%.*?%>|\[%.*?%\]|<\?.*?\?>|\{#.*?#\}|\A---\n.*?\n---\n|\$\{.*?\}|"
    r"\{[a-z$!/@][^{}\n]{0,200}\}|<tmpl_\w+[^>]*>|^\s*%.*?$|"
    r"^\s*@(?:extends|section|endsection|if|else|endif|include|lang)\b.*?$",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)
_TITLE = re.compile(r"\{%-?\s*block\s+\w*title\w*\s*-?%\}(.*?)\{%-?\s*end", re.DOTALL)
_HEADING = re.compile(r"<h[12][^>]*>(.*?)</h[12]>", re.DOTALL | re.IGNORECASE)
_NOT_SHOWN = re.compile(r"<(script|style|head)\b.*?</\1>|<[^>]+>", re.DOTALL | re.IGNORECASE)
_PASSWORD = re.compile(r"type=[\"']?password", re.IGNORECASE)
_FORM_BLOCK = re.compile(r"\{%-?\s*(?:end)?(?:block|form_theme)[^{}]*%\}")
_FORM = re.compile(
    r"\{\{[^{}]*?\b(?:form|render_form|crispy|wtf)[^{}]*\}\}"
    r"|\{%[^{}]*?(?:crispy|bootstrap_form|render_form|form)\w*\s[^{}]*%\}",
    re.IGNORECASE,
)
_NO_FIELD = re.compile(r"csrf|hidden|non_field|errors|media|action|endform|block|trans")
_FIELDS = (
    '<p><label>Username</label><input type="text" name="username"></p>'
    '<p><label>Password</label><input type="password" name="password"></p>'
)
_ENGLISH_VARIANT = re.compile(r"^Body:(-+en--)\n(.*?)^\1", re.DOTALL | re.MULTILINE)
_SPEAKS_OF_WALLS = re.compile(
    r"password|log ?in|sign ?in|authenti|error|not found|denied|forbidden|access|permission|maintenance|unavailable|"
    r"cookie|consent|\b(?:404|403|500|503)\b|session|missing",
    re.IGNORECASE,
)
_MOST_OF_A_KIND, _MOST_OF_A_MANUAL, _SHORT_WORDS = 12, 25, 250


class PackagePage(NamedTuple):
    kind: str
    name: str
    html: str


def is_sealed(package: str) -> bool:
    return bool(sha256(package.removeprefix("@").replace("/", "-").encode()).digest()[0] % 2)


def package_pages(package: str, folder: Path) -> Iterator[PackagePage]:
    """Walls and pages such as questions, contacts and tables; each text once, few of a kind."""
    seen: set[str] = set()
    count: Counter[str] = Counter()
    for path in sorted(folder.rglob("*")):
        name = str(path).removeprefix(str(folder))
        kind = _kind_of(name, path.name) if path.is_file() and path.stat().st_size <= 400_000 else None
        is_manual = kind != "innocent" and "/doc/" in name and "/examples/" not in name
        if kind is None or is_manual or _APART.search(name) or _FOREIGN.search(name):
            continue
        raw = path.read_text(encoding="utf-8", errors="replace")
        if path.suffix == ".var":
            found = _ENGLISH_VARIANT.search(raw)
            raw = found[2] if found else ""
        page = _without_marks(raw, is_login=kind == "login")
        text = _shown(page)
        size = len(text.split())
        is_known = text in seen or count[kind] >= _MOST_OF_A_KIND
        has_no_field = kind == "login" and "<input" not in page.lower()
        if is_known or has_no_field or not _is_english(text) or size < (25 if kind == "innocent" else 3):
            continue
        seen.add(text)
        count[kind] += 1
        if "<body" in page.lower():
            yield PackagePage(f"{kind} whole", f"{package}{name}", page)
        else:
            yield PackagePage(f"{kind} in a shell", f"{package}{name}", _in_shell(package, path.name, raw, page))


def manual_pages(package: str, folder: Path) -> Iterator[PackagePage]:
    """Of a package's manual pages those that are named for what walls say, and short ones."""
    named: list[PackagePage] = []
    short: list[PackagePage] = []
    for path in sorted(folder.rglob("*.htm*")):
        name = str(path).removeprefix(str(folder))
        is_template = "/templates/" in name or "/examples/" in name or not re.search(r"/(?:doc|docs|help)/", name)
        is_index = "genindex" in path.name or path.name == "search.html" or _kind_of(name, path.name)
        if is_template or is_index or _FOREIGN.search(name) or not path.is_file() or path.stat().st_size > 300_000:
            continue
        page = path.read_text(encoding="utf-8", errors="replace")
        if "<body" not in page.lower() or 'http-equiv="refresh' in page.lower():
            continue
        head = " ".join(
            _shown(part) for part in re.findall(r"<title>.*?</title>|<h1.*?</h1>", page, re.DOTALL | re.IGNORECASE)
        )
        size = len(_shown(page).split())
        if size < 25 or not _is_english(_shown(page)):
            continue
        if _SPEAKS_OF_WALLS.search(head):
            named.append(PackagePage("manual", f"{package}{name}", page))
        elif size <= _SHORT_WORDS:
            short.append(PackagePage("manual", f"{package}{name}", page))
    for some in (named, short):
        yield from some[:: max(1, len(some) // _MOST_OF_A_MANUAL)][:_MOST_OF_A_MANUAL]


def _kind_of(path: str, name: str) -> str | None:
    if _NAMED_ALONE.search(path):
        return "error"
    if not _SUFFIX.search(name.lower()):
        return None
    stem = _SUFFIX.sub("", name.lower()).replace(".", "-").replace("#", "-")
    return next((kind for kind, pattern in _KINDS if re.fullmatch(pattern, stem)), None)


def _without_marks(raw: str, *, is_login: bool) -> str:
    if is_login and not _PASSWORD.search(raw):
        raw = _FORM_BLOCK.sub(lambda found: found[0].replace("form", "f_"), raw)
        raw = _FORM.sub(lambda found: " " if _NO_FIELD.search(found[0]) else _FIELDS, raw)
        before, fields, behind = raw.partition(_FIELDS)
        raw = before + fields + behind.replace(_FIELDS, " ")
    for _ in range(2):
        raw = _WORDING.sub(r" \1 ", raw)
    return _MARKS.sub(" ", raw)


def _in_shell(package: str, name: str, raw: str, page: str) -> str:
    block, heading = _TITLE.search(raw), _HEADING.search(page)
    title = _shown(_without_marks(block[1], is_login=False)) if block else ""
    title = title or (_shown(heading[1]) if heading else "")
    plain = package.removeprefix("@").replace("/", "-")
    around = shells.SEALED if is_sealed(package) else shells.DEVELOPMENT
    shell = around[sha256(f"{plain}/{name}".encode()).digest()[1] % len(around)]
    return shell(html.escape(title or "Example"), page).html


def _shown(page: str) -> str:
    return " ".join(html.unescape(_NOT_SHOWN.sub(" ", page)).split())


def _is_english(text: str) -> bool:
    return sum(ord(char) > 127 for char in text) <= 0.05 * len(text)
