"""Markdown read back says the words of the page in their order; spans and enumerators may be repeated between them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from benchmarks.reading import text_of, tree_of
from rori_spiders.content.encoding import decode
from rori_spiders.content.html import tree
from rori_spiders.content.html.hidden import drop_unseen
from rori_spiders.content.markdown.renderer import render
from tests.house.code import REPOSITORY
from tests.support.cases import cases

if TYPE_CHECKING:
    from pathlib import Path

PAGES = sorted(
    [
        *REPOSITORY.glob("tests/content/fixtures/*/page.html"),
        *REPOSITORY.glob("rori_spiders/terminal/demo/site/**/*.html"),
    ]
)
# Meaning that is easily lost: raised marks, spans, pipes, a year at a line's start, changes of the text, nested lists.
TRAPS = """
<h2>§&nbsp;5 Area<sup>1</sup></h2><p>1986. A paragraph of 12 m<sup>2</sup> and CO<sub>2</sub>.<br>- not an item</p>
<p># no heading; * no item; a_b_c; [x](y); &lt;b&gt; &amp;amp; 5 &gt; 4</p><p><del>old</del><ins>new</ins> text</p>
<table><tr><th>Year<th>Status<th>a|b</tr><tr><td rowspan="1">2023<td>open<td>1 | 2<br>3</tr></table>
<ol><li>one<ul><li>two<ol start="4"><li>four</ol></ul><li>five</ol><dl><dt>Term<dd>Meaning<p>more</p></dl>
<blockquote><p>quoted</p><pre>x  `y`
  2 &lt; 3</pre></blockquote><p><b>Sec. 1.</b>Text <i>in</i><b>side</b> words</p>
<ol><li>1. its own number<li>2) another</ol>
"""


def words(text: str) -> list[str]:
    return re.findall(r"\w+|[§¶%$<>|#*_]", text)


def read_back(html: str) -> tuple[list[str], list[str]]:
    body = tree.parse(html).find("body")
    drop_unseen(body)
    for control in list(body.iter("button")):
        control.drop_tree()
    shown = text_of(body).translate({0xAD: None, 0x200B: None})
    return words(shown), words(text_of(tree_of(render(body))))


@cases("path", PAGES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_round_trip_page_reads_back_word_for_word(path: Path) -> None:
    shown, read = read_back(decode(path.read_bytes()).text)
    words_left = iter(read)
    lost = [word for word in shown if word not in words_left]  # each search goes on where the last one ended
    assert not lost


def test_round_trip_traps_read_back_word_for_word() -> None:
    shown, read = read_back(TRAPS)
    assert read == shown
