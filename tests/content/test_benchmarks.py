"""The measuring programs end with a sentence when they are given nothing to measure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from benchmarks import content_articles, content_citations, content_labels, content_noise

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

LABEL = '{"file": "x.html", "keep": [], "drop": [], "headings": [], "cells": [], "enumerators": [], "links": []}'


@pytest.mark.parametrize(
    ("main", "words", "sentence"),
    [
        (content_labels.main, ["{0}/none", "{0}"], "cannot be read as labels"),
        (content_labels.main, ["{0}/text", "{0}"], "line 1 is no label"),
        (content_labels.main, ["{0}/list", "{0}"], "line 1 is no label"),
        (content_labels.main, ["{0}/other", "{0}"], "line 1 is no labelled page"),
        (content_labels.main, ["{0}/label", "{0}/none"], "x.html is neither in"),
        (content_labels.main, ["{0}/empty", "{0}"], "holds no labels"),
        (content_citations.main, ["{0}"], "cannot be read as labels"),
        (content_citations.main, ["{0}/other"], "line 1 is no labelled passage"),
        (content_articles.main, ["{0}/none"], "no NAME.source.html.gz"),
        (content_noise.main, ["{0}/none"], "that can be read"),
    ],
)
def test_benchmark_wrong_path_is_reported(
    main: Callable[[Sequence[str]], int],
    words: list[str],
    sentence: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    files = {"text": "no label", "list": "[1]", "other": '{"a": 1}', "label": LABEL, "empty": ""}
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        main([word.format(tmp_path) for word in words])
    assert ended.value.code == 2
    assert sentence in capsys.readouterr().err


def test_labels_page_below_folder_is_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "pages" / "html").mkdir(parents=True)
    (tmp_path / "pages" / "html" / "x.html").write_text("<h1>Part 1024</h1><p>The servicer shall mail it.</p>")
    label = LABEL.replace('"keep": []', '"keep": ["servicer shall mail"]')
    (tmp_path / "labels").write_text(label, encoding="utf-8")
    assert content_labels.main([f"{tmp_path}/labels", f"{tmp_path}/pages"]) == 0
    assert "keep         1.000 on 1 pages" in capsys.readouterr().out
