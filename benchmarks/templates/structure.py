"""Parts of the pages of agencies, each with the labels of what it holds: text, headings, cells, enumerators, links."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

URL = "https://www.example.gov/rules/lending/index.html"
_SUBJECTS = ("servicer", "lender", "appraiser", "borrower", "licensee", "settlement agent", "trustee", "examiner")
_DUTIES = ("keep the record", "deliver the notice", "report the transfer", "correct the error", "return the payment")
_WHENS = ("after the closing", "before the sale", "from the date of the request", "of the calendar month")


@dataclass
class Part:
    """HTML and its labels, in the form of `benchmarks.content_labels`; ``alts`` are texts of figures."""

    html: str
    keep: list[str] = field(default_factory=list)
    drop: list[str] = field(default_factory=list)
    headings: list[tuple[int, str]] = field(default_factory=list)
    cells: list[tuple[str, str]] = field(default_factory=list)
    enumerators: list[Any] = field(default_factory=list)
    links: list[tuple[str, str]] = field(default_factory=list)
    alts: list[str] = field(default_factory=list)


class Words:
    """Sentences that are each said once."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)  # noqa: S311  # the same pages each time
        self._number = self._random.randint(100, 900)

    def number(self) -> int:
        self._number += self._random.randint(1, 9)
        return self._number

    def sentence(self) -> str:
        pick = self._random.choice
        return f"The {pick(_SUBJECTS)} must {pick(_DUTIES)} within {self.number()} days {pick(_WHENS)}."

    def head(self) -> str:
        return f"Duties of the {self._random.choice(_SUBJECTS)}, part {self.number()}"

    def text(self, sentences: int = 3) -> str:
        return " ".join(self.sentence() for _ in range(sentences))


def paragraphs(words: Words) -> Part:
    first, second, name = words.text(), words.text(), f"form {words.number()}"
    return Part(
        f"<p>{first}</p><p>{second} See <a href='../forms/{name[5:]}.pdf'>{name}</a>.</p>",
        [first, second],
        links=[(name, f"https://www.example.gov/rules/forms/{name[5:]}.pdf")],
    )


def outline(words: Words) -> Part:
    heads = [words.head() for _ in range(4)]
    texts = [words.text() for _ in range(4)]
    levels = (2, 3, 4, 2)
    html = "".join(
        f"<h{level} id='s{n}'>{head}</h{level}><p>{text}</p>"
        for n, (level, head, text) in enumerate(zip(levels, heads, texts, strict=True))
    )
    return Part(html, texts, headings=list(zip(levels, heads, strict=True)))


def table_with_head(words: Words) -> Part:
    rows = [(f"Filing {words.number()}", f"${words.number()}") for _ in range(4)]
    body = "".join(f"<tr><td>{name}</td><td>{fee}</td></tr>" for name, fee in rows)
    return Part(
        f"<table class='usa-table'><caption>Fees of {rows[0][0]}</caption><thead><tr><th scope=col>Kind</th><th scope=col>Fee in dollars</th></tr></thead><tbody>{body}</tbody></table>",
        [f"Fees of {rows[0][0]}"],
        cells=[*rows, *(("Fee in dollars", fee) for _, fee in rows)],
    )


def table_with_spans(words: Words) -> Part:
    a, b, c, d, e, f = (str(words.number()) for _ in range(6))
    html = f"<table border=1><tr><td rowspan=2><b>Units</b></td><td colspan=2 align=center><b>Limit by area {a}</b></td></tr><tr><td><b>Low cost</b></td><td><b>High cost</b></td></tr><tr><td>One unit {b}</td><td>{c},000</td><td>{d},000</td></tr><tr><td>Two units {b}</td><td>{e},000</td><td>{f},000</td></tr></table>"
    return Part(
        html,
        cells=[
            (f"One unit {b}", f"{c},000"),
            (f"Two units {b}", f"{f},000"),
            (f"Limit by area {a}", f"{d},000"),
            ("High cost", f"{f},000"),
        ],
    )


def table_in_cell(words: Words) -> Part:
    one, two, inner, value = words.sentence(), words.sentence(), f"Inner {words.number()}", str(words.number())
    return Part(
        f"<table class=grid><tr><th>Topic</th><th>Rule</th></tr><tr><td>{one}</td><td>{two}<table><tr><td>{inner}</td><td>{value}</td></tr></table></td></tr></table>",
        [one, two, inner, value],
        cells=[(one, two)],
    )


def layout_table(words: Words) -> Part:
    head, left, right = words.head(), words.text(), words.text()
    return Part(
        f"<table width='100%' cellpadding=4><tr><td valign=top><h3>{head}</h3><p>{left}</p></td><td valign=top><p>{right}</p></td></tr></table>",
        [left, right],
        headings=[(3, head)],
    )


def definitions(words: Words) -> Part:
    pairs = [(f"Term {words.number()}", words.sentence()) for _ in range(3)]
    return Part(
        "<dl>" + "".join(f"<dt>{term}</dt><dd>{text}</dd>" for term, text in pairs) + "</dl>",
        [text for pair in pairs for text in pair],
    )


def footnotes(words: Words) -> Part:
    text, note, other = words.sentence(), words.sentence(), words.sentence()
    html = f"<p>{text}<sup><a href='#fn1' id='fnref1'>1</a></sup> {other}<sup><a href='#fn2' id='fnref2'>2</a></sup></p><div class=footnotes><ol><li id=fn1>{note} <a href='#fnref1' aria-label='Back to reference'>↩</a></li><li id=fn2>Ibid., page {words.number()}.</li></ol></div>"
    return Part(html, [text, other, note, "Ibid., page"])


def legal_list(words: Words) -> Part:
    texts = [words.sentence() for _ in range(4)]
    html = (
        f"<ol type=a><li>{texts[0]}<ol type=i><li>{texts[1]}</li><li>{texts[2]}</li></ol></li><li>{texts[3]}</li></ol>"
    )
    items = [("a", 1, texts[0]), ("i", 1, texts[1]), ("i", 2, texts[2]), ("a", 2, texts[3])]
    return Part(html, texts, enumerators=[{"type": kind, "index": index, "text": text} for kind, index, text in items])


def figure(words: Words) -> Part:
    alt, caption = (
        f"Line chart of defaults, peak at {words.number()} percent",
        f"Figure {words.number()}. Defaults by year",
    )
    return Part(
        f"<figure><img src='/img/chart.png' alt='{alt}'><figcaption>{caption}</figcaption></figure>",
        [caption],
        alts=[alt],
    )


def links(words: Words) -> Part:
    number = words.number()
    pairs = [
        (f"Bulletin {number}", f"/bulletins/{number}?lang=en&view=full"),
        (f"Handbook {number}", "//handbook.example.org/4000.1"),
        (f"Docket {number}", "docket.aspx"),
        (f"Section {number}", "#s1"),
        (f"Map (PDF) {number}", "/files/a%20map%20(1).pdf"),
    ]
    full = [
        "https://www.example.gov" + pairs[0][1],
        "https://handbook.example.org/4000.1",
        "https://www.example.gov/rules/lending/docket.aspx",
        URL + "#s1",
        "https://www.example.gov/files/a%20map%20(1).pdf",
    ]
    items = "".join(
        f"<li><a href='{href.replace('&', '&amp;')}'>{name}</a> {words.sentence()}</li>" for name, href in pairs
    )
    return Part(
        f"<ul>{items}</ul>",
        [name for name, _ in pairs],
        links=[(pair[0], href) for pair, href in zip(pairs, full, strict=True)],
    )


# Behind a click: what the page opens in its place, or over it.


def _fold(words: Words, pattern: str, level: int | None = None) -> Part:
    """*pattern* twice, with ``{n}``, ``{head}`` and ``{text}``."""
    items = [(n, words.head(), words.text(2)) for n in (words.number(), words.number())]
    html = "".join(pattern.format(n=n, head=head, text=text) for n, head, text in items)
    keep = [text for _, head, text in items] + ([] if level else [head for _, head, _ in items])
    return Part(html, keep, headings=[(level, head) for _, head, _ in items] if level else [])


def uswds_accordion(words: Words) -> Part:
    return _fold(
        words,
        "<div class='usa-accordion'><h4 class='usa-accordion__heading'><button type=button class='usa-accordion__button' aria-expanded='false' aria-controls='a{n}'>{head}</button></h4><div id='a{n}' class='usa-accordion__content usa-prose' hidden><p>{text}</p></div></div>",
        4,
    )


def details(words: Words) -> Part:
    return _fold(words, "<details><summary>{head}</summary><p>{text}</p></details>")


def bootstrap_collapse(words: Words) -> Part:
    return _fold(
        words,
        "<div class='card'><div class='card-header' id='h{n}'><h5 class='mb-0'><button class='btn btn-link collapsed' data-toggle='collapse' data-target='#c{n}' aria-expanded='false' aria-controls='c{n}'>{head}</button></h5></div><div id='c{n}' class='collapse' aria-labelledby='h{n}'><div class='card-body'>{text}</div></div></div>",
        5,
    )


def jquery_accordion(words: Words) -> Part:
    return _fold(
        words,
        "<div class='ui-accordion'><h3 class='ui-accordion-header'>{head}</h3><div class='ui-accordion-content' style='display: none;'><p>{text}</p></div></div>",
        3,
    )


def aem_tabs(words: Words) -> Part:
    first, second, a, b = words.text(2), words.text(2), words.head(), words.head()
    html = f"<div class='cmp-tabs'><ol role='tablist' class='cmp-tabs__tablist'><li role='tab' id='t1' class='cmp-tabs__tab' aria-controls='p1'>{a}</li><li role='tab' id='t2' class='cmp-tabs__tab' aria-controls='p2'>{b}</li></ol><div id='p1' role='tabpanel' class='cmp-tabs__tabpanel cmp-tabs__tabpanel--active' aria-labelledby='t1'><p>{first}</p></div><div id='p2' role='tabpanel' class='cmp-tabs__tabpanel' aria-hidden='true' style='display:none' aria-labelledby='t2'><p>{second}</p></div></div>"
    return Part(html, [first, second, a, b])


def bootstrap_modal(words: Words) -> Part:
    text, head, name = words.text(3), words.head(), f"Summary {words.number()}"
    html = f"<p>Read the <a href='#' data-bs-toggle='modal' data-bs-target='#m1'>{name}</a> of the opinion.</p><div class='modal fade' id='m1' tabindex='-1' role='dialog' aria-hidden='true'><div class='modal-dialog'><div class='modal-content'><div class='modal-header'><h5 class='modal-title'>{head}</h5><button class='close' data-bs-dismiss='modal'>×</button></div><div class='modal-body'><p>{text}</p></div><div class='modal-footer'><button data-bs-dismiss='modal'>Close</button></div></div></div></div>"
    return Part(html, [text, name, head])


def link_to_hidden_box(words: Words) -> Part:
    text, name = words.text(3), f"Syllabus {words.number()}"
    return Part(
        f"<p><a href='#box9' class='open-popup'>{name}</a></p><div id='box9' class='white-popup mfp-hide' style='display:none'><h3>Summary of the case</h3><p>{text}</p></div>",
        [text, name],
    )


def native_dialog(words: Words) -> Part:
    text, name = words.text(3), f"Definition {words.number()}"
    return Part(
        f"<p>{words.sentence()} <button type='button' onclick=\"document.getElementById('d7').showModal()\">{name}</button></p><dialog id='d7'><p>{text}</p><form method='dialog'><button>Close</button></form></dialog>",
        [text],
    )


def sign_in_modal(words: Words) -> Part:
    text, number = words.sentence(), words.number()
    html = f"<p>{text}</p><a href='#signin-modal' data-toggle='modal' data-target='#signin-modal'>Sign in</a><div class='modal' id='signin-modal' role='dialog' aria-hidden='true'><div class='modal-body'><h4>Sign in to your account {number}</h4><form><label>Email address</label><input type='email'><label>Password</label><input type='password'><button>Go</button></form><p>Forgot the password for your account? Ask the help desk.</p></div></div>"
    return Part(html, [text], [f"Sign in to your account {number}", "Forgot the password for your account"])


def cookie_dialog(words: Words) -> Part:
    text = words.sentence()
    html = f"<p>{text}</p><div id='cc-settings' role='dialog' aria-modal='true' class='cc-window' style='display:none'><h4>Cookie settings</h4><p>Choose which cookies we may set on your device. Necessary cookies cannot be turned off on this website.</p></div><a href='#cc-settings' aria-controls='cc-settings'>Cookie settings</a>"
    return Part(html, [text], ["Choose which cookies we may set"])


DEVELOPMENT = (
    paragraphs, outline, table_with_head, table_with_spans, table_in_cell, layout_table, definitions, footnotes,
    legal_list, figure, links, uswds_accordion, details, bootstrap_collapse, jquery_accordion, aem_tabs,
    bootstrap_modal, link_to_hidden_box, native_dialog, sign_in_modal, cookie_dialog,
)  # fmt: skip

# The sealed half: the same kinds of parts, as other systems write them.


def notes_in_sections(words: Words) -> Part:
    head, text, name = words.head(), words.text(), f"notice {words.number()}"
    return Part(
        f"<section><header><h2>{head}</h2></header><p>{text}</p><p>It replaces <a href='./old/{name[7:]}/'>{name}</a>.</p></section>",
        [text],
        headings=[(2, head)],
        links=[(name, f"https://www.example.gov/rules/lending/old/{name[7:]}/")],
    )


def confluence_table(words: Words) -> Part:
    rows = [(f"Code {words.number()}", words.sentence()) for _ in range(3)]
    html = (
        "<div class='table-wrap'><table class='confluenceTable'><tbody><tr><th class='confluenceTh'><p>Code</p></th><th class='confluenceTh'><p>Meaning of code</p></th></tr>"
        + "".join(
            f"<tr><td class='confluenceTd'><p>{a}</p></td><td class='confluenceTd'><p>{b}</p></td></tr>"
            for a, b in rows
        )
        + "</tbody></table></div>"
    )
    return Part(html, cells=[*rows, *(("Meaning of code", text) for _, text in rows)])


def row_headers(words: Words) -> Part:
    a, b, c, d = (str(words.number()) for _ in range(4))
    html = f"<table><thead><tr><td></td><th colspan='2'>Year {a}</th></tr><tr><td></td><th>Spring</th><th>Autumn</th></tr></thead><tbody><tr><th scope='row' rowspan='2'>Zone {b}</th><td>{c}.5</td><td>{d}.5</td></tr><tr><td>{c}.7</td><td>{d}.7</td></tr></tbody></table>"
    return Part(
        html, cells=[(f"Zone {b}", f"{c}.5"), (f"Zone {b}", f"{d}.7"), ("Autumn", f"{d}.7"), (f"Year {a}", f"{c}.5")]
    )


def table_of_tables(words: Words) -> Part:
    a, b, c = words.text(2), words.text(2), words.sentence()
    return Part(
        f"<table border='0' width='600'><tr><td><table border='0'><tr><td><font size='2'>{a}</font></td></tr></table></td></tr><tr><td><table border='0'><tr><td>{b}</td><td>{c}</td></tr></table></td></tr></table>",
        [a, b, c],
    )


def grouped_definitions(words: Words) -> Part:
    pairs = [(f"Word {words.number()}", words.sentence()) for _ in range(3)]
    return Part(
        "<dl class='row'>"
        + "".join(
            f"<div><dt class='col-sm-3'>{term}</dt><dd class='col-sm-9'><p>{text}</p></dd></div>"
            for term, text in pairs
        )
        + "</dl>",
        [text for pair in pairs for text in pair],
    )


def word_footnotes(words: Words) -> Part:
    text, note = words.sentence(), words.sentence()
    return Part(
        f"<p>{text}<a name='_ftnref1' href='#_ftn1'>[1]</a></p><hr><p><a name='_ftn1' href='#_ftnref1'>[1]</a> {note}</p>",
        [text, note],
    )


def roman_list(words: Words) -> Part:
    texts = [words.sentence() for _ in range(4)]
    html = f"<ol style='list-style-type: upper-roman'><li><p>{texts[0]}</p></li><li><p>{texts[1]}</p><ol class='alpha' style='list-style-type: lower-alpha' start='3'><li>{texts[2]}</li></ol></li></ol><p>(b)(1) {texts[3]}</p>"
    return Part(
        html,
        texts,
        enumerators=[
            {"type": "I", "index": 2, "text": texts[1]},
            {"type": "a", "index": 3, "text": texts[2]},
            f"(b)(1) {texts[3]}",
        ],
    )


def linked_picture(words: Words) -> Part:
    alt = f"Map of district {words.number()} with its two offices"
    return Part(
        f"<p><a href='/maps/big.png'><img src='data:image/gif;base64,R0lGOD' data-src='/maps/small.png' alt='{alt}'></a></p><p>{words.sentence()}</p>",
        alts=[alt],
    )


def link_forms(words: Words) -> Part:
    number = words.number()
    html = f"<p><a href='https://www.example.gov/b/{number}.htm'>Letter {number}</a>, <a href=' /c/{number} '>Order {number}</a>, <a href='?page={number}'>Page {number}</a></p>"
    return Part(
        html,
        links=[
            (f"Letter {number}", f"https://www.example.gov/b/{number}.htm"),
            (f"Order {number}", f"https://www.example.gov/c/{number}"),
            (f"Page {number}", f"{URL}?page={number}"),
        ],
    )


def slds_accordion(words: Words) -> Part:
    return _fold(
        words,
        "<ul class='slds-accordion'><li class='slds-accordion__list-item'><section class='slds-accordion__section'><div class='slds-accordion__summary'><h3 class='slds-accordion__summary-heading'><button aria-controls='s{n}' aria-expanded='false' class='slds-button slds-accordion__summary-action'><span class='slds-accordion__summary-content'>{head}</span></button></h3></div><div class='slds-accordion__content' id='s{n}' aria-hidden='true' hidden>{text}</div></section></li></ul>",
        3,
    )


def wagtail_expandable(words: Words) -> Part:
    return _fold(
        words,
        "<div class='o-expandable'><button class='o-expandable_target o-expandable_header' type='button'><h3 class='h4 o-expandable_label'>{head}</h3><span class='o-expandable_link'><span class='o-expandable_cue-open'>Show</span></span></button><div class='o-expandable_content u-hidden' style='display:none'><p>{text}</p></div></div>",
    )


def confluence_expand(words: Words) -> Part:
    return _fold(
        words,
        "<div id='expander-{n}' class='expand-container'><div id='expander-control-{n}' class='expand-control' aria-expanded='false'><span class='expand-control-icon'></span><span class='expand-control-text'>{head}</span></div><div id='expander-content-{n}' class='expand-content expand-hidden' style='display: none'><p>{text}</p></div></div>",
    )


def script_toggle(words: Words) -> Part:
    return _fold(
        words,
        "<p><a href=\"javascript:toggleDiv('q{n}')\">{head}</a></p><div id='q{n}' style='display:none'><p>{text}</p></div>",
    )


def wp_tabs(words: Words) -> Part:
    a, b, first, second = words.head(), words.head(), words.text(2), words.text(2)
    return Part(
        f"<div class='su-tabs'><div class='su-tabs-nav'><span>{a}</span><span>{b}</span></div><div class='su-tabs-panes'><div class='su-tabs-pane'>{first}</div><div class='su-tabs-pane' style='display:none'>{second}</div></div></div>",
        [first, second],
    )


def foundation_reveal(words: Words) -> Part:
    text, name = words.text(3), f"Abstract {words.number()}"
    return Part(
        f"<p><a data-open='rv1'>{name}</a></p><div class='reveal' id='rv1' data-reveal aria-hidden='true' style='display:none'><p>{text}</p><button class='close-button' data-close>×</button></div>",
        [text, name],
    )


def colorbox(words: Words) -> Part:
    text, name = words.text(3), f"Opinion {words.number()}"
    return Part(
        f"<ul><li><a class='inline cboxElement' href='#inline_content'>{name}</a></li></ul><div style='display:none'><div id='inline_content' style='padding:10px'><p>{text}</p></div></div>",
        [text, name],
    )


def popover(words: Words) -> Part:
    text, name = words.text(3), f"Explanation {words.number()}"
    return Part(
        f"<p>{words.sentence()} <button popovertarget='pv'>{name}</button></p><div id='pv' popover><p>{text}</p></div>",
        [text],
    )


def login_overlay(words: Words) -> Part:
    text, number = words.sentence(), words.number()
    html = f"<p>{text}</p><a href='#login-box' class='fancybox'>Member login</a><div id='login-box' style='display:none'><h3>Member login {number}</h3><form><input type='text' name='user'><input type='password' name='pass'></form><p>Not a member yet? Register for an account on this site.</p></div>"
    return Part(html, [text], [f"Member login {number}", "Register for an account on this site"])


def newsletter_overlay(words: Words) -> Part:
    text = words.sentence()
    return Part(
        f"<p>{text}</p><button data-micromodal-trigger='nl'>Get updates</button><div class='modal micromodal-slide' id='nl' aria-hidden='true'><div role='dialog'><h2>Subscribe to updates</h2><p>Enter your email to get our newsletter each month, with news of the office.</p><input type='email'></div></div>",
        [text],
        ["to get our newsletter each month"],
    )


SEALED = (
    notes_in_sections, confluence_table, row_headers, table_of_tables, grouped_definitions, word_footnotes, roman_list,
    linked_picture, link_forms, slds_accordion, wagtail_expandable, confluence_expand, script_toggle, wp_tabs,
    foundation_reveal, colorbox, popover, login_overlay, newsletter_overlay,
)  # fmt: skip
