"""Verdicts on what servers say of a request, in the layout of a site: `python -m benchmarks.verdict_statuses FOLDER`.

Frameworks describe each status of HTTP in a sentence or two, and sites print that in a layout of their own: once alone
below a heading that says nothing ("text"), once below the status's phrase ("phrase"). FOLDER is that of
`benchmarks.unseen.packages`. Development: Python, werkzeug and webob in the development shells; sealed, totals only:
Tomcat and http-status (npm) in the sealed ones. ``-v`` names what is missed in development.
"""

from __future__ import annotations

import argparse
import ast
import html
import re
import zipfile
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.templates import shells
from benchmarks.unseen.packages import STATUSES, folder_of
from benchmarks.verdict_templates import judged

if TYPE_CHECKING:
    from collections.abc import Iterator

_FORMS = ("text", "phrase")
_FIELD = re.compile(r"\$?\{[^}]*\}|<br\s*/?>")
_MESSAGE = re.compile(r"""["']?([45]\d\d)_MESSAGE["']?\s*:\s*(["'`])(.*?)\2""")
_PROPERTY = re.compile(r"^http\.([45]\d\d)\.desc=(.*)$", re.MULTILINE)


def development_texts(root: Path) -> Iterator[tuple[int, str]]:
    yield from ((int(one), one.description) for one in HTTPStatus if one >= HTTPStatus.BAD_REQUEST and one.description)
    for name in ("werkzeug/exceptions.py", "webob/exc.py"):
        for path in sorted(root.glob(f"*/{name}")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ClassDef) and (found := _of_class(node)):
                    yield found


def _of_class(node: ast.ClassDef) -> tuple[int, str] | None:
    values = {}
    for statement in node.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            try:
                values[statement.targets[0].id] = ast.literal_eval(statement.value)
            except ValueError:
                continue
    code, text = values.get("code"), values.get("description") or values.get("explanation")
    is_error = isinstance(code, int) and code >= HTTPStatus.BAD_REQUEST and isinstance(text, str)
    return (code, _FIELD.sub(" ", text)) if is_error else None


def sealed_texts(root: Path) -> Iterator[tuple[int, str]]:
    folders = {name: folder_of(root, name, version) for _, name, version in STATUSES}
    for path in sorted(folders["http-status"].rglob("*.*js")):
        if not path.name.endswith(".d.ts"):
            yield from ((int(one[1]), one[3]) for one in _MESSAGE.finditer(path.read_text(encoding="utf-8")))
    for path in sorted(folders["libtomcat10-java"].rglob("tomcat10-catalina.jar")):
        with zipfile.ZipFile(path) as jar:
            text = jar.read("org/apache/catalina/valves/LocalStrings.properties").decode()
        yield from ((int(code), one.strip()) for code, one in _PROPERTY.findall(text))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="of `benchmarks.unseen.packages`")
    parser.add_argument("--sealed", action="store_true", help="the sealed half, totals only")
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args()
    texts = dict.fromkeys((sealed_texts if options.sealed else development_texts)(options.folder))
    around = shells.SEALED if options.sealed else shells.DEVELOPMENT
    for form in _FORMS:
        detected = 0
        for number, (code, text) in enumerate(texts):
            phrase = HTTPStatus(code).phrase if code in set(HTTPStatus) else "Error"
            head = f"<h1>{phrase}</h1>" if form == "phrase" else ""
            shell = around[number % len(around)]
            page = shell(phrase if head else "Example", f"{head}<p>{html.escape(text, quote=False)}</p>").html
            verdict = judged(page)
            is_wall = not verdict.is_content and not verdict.is_doubtful
            detected += is_wall
            if options.verbose and not options.sealed and not is_wall:
                print(f"{form}: {code} {text}")
        print(f"{form}: {detected} of {len(texts)} detected ({detected / max(1, len(texts)):.3f})")


if __name__ == "__main__":
    main()
