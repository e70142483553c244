"""Structure of pages that real themes lay out: `python -m benchmarks.unseen.themes FOLDER BIN [--sealed]`.

BIN is the folder of `sphinx-build` and `mkdocs` with the themes below. One guide of three pages is built with each
theme; what it says is the label: phrases, headings with level, cells, links and footnotes stay, the titles of the other
pages, which the theme puts into its menus, and the theme's own words go. Themes are split by name, each in one half.
"""

from __future__ import annotations

import argparse
import re
import statistics
import subprocess
from pathlib import Path
from typing import Any

from benchmarks.content_labels import found, read, scores
from rori_spiders.content.convert import convert

DEVELOPMENT = (
    ("sphinx", "alabaster"), ("sphinx", "furo"), ("sphinx", "classic"), ("sphinx", "sphinx_material"),
    ("mkdocs", "readthedocs"), ("mkdocs", "material"), ("mkdocs", "cinder"), ("mkdocs", "flatly"),
)  # fmt: skip
SEALED = (
    ("sphinx", "sphinx_rtd_theme"), ("sphinx", "pydata_sphinx_theme"), ("sphinx", "sphinx_book_theme"),
    ("sphinx", "nature"), ("sphinx", "bizstyle"), ("sphinx", "haiku"), ("sphinx", "sphinxdoc"), ("sphinx", "agogo"),
    ("sphinx", "sphinxawesome_theme"), ("mkdocs", "mkdocs"), ("mkdocs", "windmill"), ("mkdocs", "ivory"),
    ("mkdocs", "dracula"), ("mkdocs", "terminal"), ("mkdocs", "rtd-dropdown"), ("mkdocs", "bootstrap386"),
)  # fmt: skip
URL = "https://www.example.gov/guide/{name}.html"
_NAMES = ("escrow", "appraisal", "servicing")
_TITLES = {
    "escrow": "Escrow accounts under the guide",
    "appraisal": "Appraisal of dwellings by lenders",
    "servicing": "Servicing transfers and notices",
}
_WORDS_OF_THEMES = ("Built with", "Made with", "Powered by", "Created using", "Edit on GitHub", "Quick search",
                    "Back to top", "Skip to main", "Navigation menu")  # fmt: skip


def document(name: str, *, is_rest: bool) -> str:
    """One page of the guide as reStructuredText, or as Markdown."""
    title = _TITLES[name]
    head = f"{title}\n{'=' * len(title)}\n" if is_rest else f"# {title}\n"
    _NAMES[(_NAMES.index(name) + 1) % 3]

    def section(text: str) -> str:
        return f"\n{text}\n{'-' * len(text)}\n" if is_rest else f"\n## {text}\n"

    def sub(text: str) -> str:
        return f"\n{text}\n{'~' * len(text)}\n" if is_rest else f"\n### {text}\n"

    link = (
        f"`the {name} form <https://forms.example.gov/{name}>`_"
        if is_rest
        else f"[the {name} form](https://forms.example.gov/{name})"
    )
    note = " [#one]_" if is_rest else "[^one]"
    notice = (
        f".. warning::\n\n   Nobody may waive the {name} deadline of 45 days.\n"
        if is_rest
        else f"!!! warning\n\n    Nobody may waive the {name} deadline of 45 days.\n"
    )
    table = (
        f"=================  ==========\n{f'Kind of {name}':19}Limit\n=================  ==========\n"
        f"first lien         $1,2{len(name)}0\nsubordinate lien   0.{len(name)} %\n=================  ==========\n"
        if is_rest
        else f"| Kind of {name} | Limit |\n|---|---|\n| first lien | $1,2{len(name)}0 |\n"
        f"| subordinate lien | 0.{len(name)} % |\n"
    )
    term = (
        f"Covered {name}\n   Any {name} of which the balance is not more than $58,000.\n"
        if is_rest
        else f"Covered {name}\n:   Any {name} of which the balance is not more than $58,000.\n"
    )
    foot = (
        f".. [#one] The {name} footnote does not apply to reverse mortgages.\n"
        if is_rest
        else f"[^one]: The {name} footnote does not apply to reverse mortgages.\n"
    )
    nested = "\n\n   " if is_rest else "\n    "
    return "\n".join(
        (
            head,
            f"This part of the guide says when a lender may open an {name} file, and what stays with the borrower.\n",
            section(f"Who is covered by {name}"),
            f"A lender covered by {name} rules must keep each record for 3 years{note}. See {link}.\n",
            term,
            section(f"What the {name} notice holds"),
            (
                f"1. The name of the {name} agent.\n2. The date of the {name} cure:{nested}* within 30 days,\n"
                f"{nested.lstrip(chr(10))}* not later than 60 days of {name}.\n"
            ),
            sub(f"Amounts of {name}"),
            table,
            notice,
            sub(f"Where {name} ends"),
            f"The duty of {name} ends when the loan is paid. It does not end on sale.\n",
            foot,
        )
    )


def labels_of(name: str) -> dict[str, Any]:
    return {
        "keep": [
            f"says when a lender may open an {name} file", f"A lender covered by {name} rules must keep",
            f"Covered {name}", f"Any {name} of which the balance is not more than $58,000",
            f"The name of the {name} agent", "within 30 days", f"not later than 60 days of {name}",
            f"Nobody may waive the {name} deadline of 45 days", f"The duty of {name} ends when the loan is paid",
            f"The {name} footnote does not apply to reverse mortgages",
        ],
        "drop": [title for other, title in _TITLES.items() if other != name] + list(_WORDS_OF_THEMES),
        "headings": [
            (1, _TITLES[name]), (2, f"Who is covered by {name}"), (2, f"What the {name} notice holds"),
            (3, f"Amounts of {name}"), (3, f"Where {name} ends"),
        ],
        "cells": [("first lien", f"$1,2{len(name)}0"), ("Limit", f"0.{len(name)} %")],
        "enumerators": [],
        "links": [(f"the {name} form", f"https://forms.example.gov/{name}")],
        "url": URL.format(name=name),
    }  # fmt: skip


def built(folder: Path, programs: Path, maker: str, theme: str) -> Path:
    """The folder of the HTML of the guide in one theme; built once. Raises CalledProcessError."""
    source, target = folder / "themes" / theme / "source", folder / "themes" / theme / "html"
    if target.exists():
        return target
    source.mkdir(parents=True, exist_ok=True)
    is_rest = maker == "sphinx"
    for name in _NAMES:
        (source / f"{name}.{'rst' if is_rest else 'md'}").write_text(document(name, is_rest=is_rest))
    if is_rest:
        (source / "conf.py").write_text(
            f"project = 'Lending'\ncopyright = '2026, The Agency'\nhtml_theme = {theme!r}\n"
        )
        (source / "index.rst").write_text("Start\n=====\n\n.. toctree::\n\n   " + "\n   ".join(_NAMES) + "\n")
        command = [str(programs / "sphinx-build"), "-q", "-b", "html", str(source), str(target)]
    else:
        (source / "index.md").write_text("# Start\n\nWelcome to the guide.\n")
        (source.parent / "mkdocs.yml").write_text(
            f"site_name: Lending\ndocs_dir: source\nsite_dir: html\nuse_directory_urls: false\n"
            f"theme:\n  name: {theme}\n"
            "markdown_extensions: [admonition, footnotes, def_list, tables]\n"
        )
        command = [str(programs / "mkdocs"), "build", "-q", "-f", str(source.parent / "mkdocs.yml")]
    subprocess.run(command, check=True, capture_output=True)
    return target


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("programs", type=Path)
    parser.add_argument("--sealed", action="store_true", help="the sealed half, totals only")
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args()
    pages = []
    for maker, theme in SEALED if options.sealed else DEVELOPMENT:
        try:
            html = built(options.folder.resolve(), options.programs.resolve(), maker, theme)
        except subprocess.CalledProcessError as failed:
            print(f"{theme} was not built: {failed.stderr.decode()[-200:]}")
            continue
        for name in _NAMES:
            labels = labels_of(name)
            markdown = convert((html / f"{name}.html").read_bytes(), url=labels["url"]).markdown
            page = found(labels, read(markdown, labels["url"]))
            # Both ways: the reference leads to the note, and the mark stands in the block of the note's text.
            reference = re.search(r"for 3 years ?(?:<sup>)?\[+1\]+\(\S+#\S+\)", markdown)
            note = re.search(rf"^[^\n]*\b1\b[^\n]*The {name} footnote does not apply", markdown, re.MULTILINE)
            page["footnotes"] = [("reference", bool(reference)), ("note", bool(note))]
            pages.append(page)
            if options.verbose and not options.sealed:
                for kind, values in page.items():
                    for value, is_there in values:
                        if is_there == (kind == "drop"):
                            print(f"{theme} {name} {kind}: {value}")
    of_kind = scores(pages)
    for kind in ("keep", "drop", "headings", "cells", "links", "footnotes"):
        print(f"{kind:10} {statistics.fmean(of_kind[kind]):.3f} on {len(of_kind[kind])} pages")


if __name__ == "__main__":
    main()
