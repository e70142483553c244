"""What controls, frames and fallbacks show is text; what they hold unseen is told; nothing is both."""

from __future__ import annotations

from rori_spiders.content.html.aria import write_aria
from rori_spiders.content.html.hidden import Hidden, drop_unseen
from tests.content.pages import body_of, page_text
from tests.support.cases import cases

LAW = "<p>The creditor shall give the consumer the disclosures of this section, in writing, before settlement.</p>"
TABLE = "<table><tr><th>Fee<th>Sum<tr><td>Filing<td>{}</table>"


def settled(html: str) -> tuple[str, str | None]:
    """The text that is left of *html*, and how what it hides begins."""
    body = body_of(html)
    hidden = drop_unseen(body)
    return " ".join(body.text_content().split()), hidden and hidden.begins


@cases(
    ("html", "text", "hidden"),
    [
        ("<p>For <select><option>1<option selected>4</select> people it is $5.</p>", "For 4 people it is $5.", "1"),
        ("<p>A <span><select><option>2024<option>2023</select></span> rate.</p>", "A 2024 rate.", "2023"),
        (TABLE.format("<select><option>$25<option>$30</select>"), "FeeSumFiling$25", "$30"),
        (TABLE.format("<input value='$25' readonly>"), "FeeSumFiling$25", None),
        (TABLE.format("<input type=checkbox checked disabled>"), "FeeSumFiling☑", None),
        (TABLE.format("<input value='$25'>"), "FeeSumFiling", None),
        ("<p>The fee is <select><option>$5<option selected>$9</select></p>", "The fee is $9", "$5"),
        ("<p>State: <select disabled><option>Ohio<option selected>Iowa</select></p>", "State: Iowa", "Ohio"),
        ("<p>State: <select disabled><option>Ohio<option selected value=''>None</select></p>", "State:", "Ohio None"),
        ("<fieldset disabled><input type=radio>A <input type=radio checked>B</fieldset>", "☐A ☑B", None),
        ("<form><fieldset disabled><b><input type=radio checked></b>A</fieldset></form>", "☑A", None),
        ("<p>Kind: <input type=checkbox>A <input type=checkbox checked>B</p>", "Kind: ☐A ☑B", None),
        ("<p>Kind: <input type=checkbox>A <input type=checkbox>B</p>", "Kind: A B", None),
        ("<p>The rate is <input value=5%> a year.</p>", "The rate is 5% a year.", None),
        ("<form><p>The rate is <input value=5%> a year.</p></form>", "The rate is a year.", None),
        ("<ul><li><input type=checkbox checked>A<li><input type=checkbox>B</ul>", "☑A☐B", None),
        ("<ul><li><input type=checkbox>A<li><input type=checkbox>B</ul>", "AB", None),
        ("<ul><li><input type=checkbox class=toggle checked>A<li><input type=checkbox>B</ul>", "AB", None),
        ("<ul><li><input type=radio checked>A<li><input type=radio>B</ul>", "AB", None),
        ("<form><ul><li><input type=checkbox checked>A<li><input type=checkbox>B</ul></form>", "AB", None),
        ("<ul><li role=checkbox aria-checked=true>A<li role=checkbox aria-checked=false>B</ul>", "☑ A☐ B", None),
        ("<ul><li role=checkbox aria-checked=false>A<li role=checkbox aria-checked=false>B</ul>", "AB", None),
        ("<form><b role=checkbox aria-checked=true>A</b><b role=checkbox aria-checked=false>B</b></form>", "AB", None),
        ("<p><b role=radio aria-checked=true>A</b><b role=radio aria-checked=false>B</b></p>", "AB", None),
        ("<p><b role=radio aria-checked=false aria-disabled=true>A</b></p>", "☐ A", None),
        ("<p><button role=switch aria-checked=true aria-readonly=true>A</button></p>", "☑ A", None),
        (TABLE.format("<i role=checkbox aria-checked=false aria-readonly=true></i>"), "FeeSumFiling☐", None),
        (TABLE.format("<img src=a.png alt=Yes>"), "FeeSumFilingYes", None),
        (TABLE.format("<i class=icon aria-label=No></i>"), "FeeSumFilingNo", None),
        (TABLE.format("<svg role=img><title>Yes</title><path d=M0></svg>"), "FeeSumFilingYes", None),
        (TABLE.format("<i class=fa aria-hidden=true></i> <span class=sr-only>Yes</span>"), "FeeSumFilingYes", None),
        (TABLE.format("<a href=/x><img src=a.png alt=Edit></a>"), "FeeSumFiling", None),
        (TABLE.format("$5 <span class=sr-only>due</span>"), "FeeSumFiling$5", "due"),
        ("<label>State <select><option>Ohio</select> or all</label>", "State or all", "Ohio"),
        ("<p>Year: <select><option>2019<option>2018</select> Category:</p>", "Year: Category:", "2019 2018"),
        ("<label>Show <select multiple><option>A<option>B</select></label>", "Show", "A B"),
        ("<textarea readonly>You agree that\n(a) it is so.</textarea>", "You agree that(a) it is so.", None),
        ("<template><p>Not <b>yet</b></p></template>", "", "Not yet"),
        ("<div><template shadowrootmode=open><p>Shown</p></template></div>", "Shown", None),
        ("<noscript><style>p {}</style><p>Turn scripts on</p></noscript>", "", "Turn scripts on"),
        ("<iframe src=/x><b>Frames</b></iframe>", "", "Frames"),
        ("<iframe srcdoc='&lt;p&gt;A frame&lt;template&gt;T&lt;/template&gt;'></iframe>", "A frame", "T"),
        ("<dialog>Closed</dialog><dialog open>Open</dialog>", "Open", "Closed"),
        ("<object data=a.pdf><a href=a.pdf>The form</a></object>", "The form", None),
        ("<object data=a.swf>Get <a href=/flash>Flash</a></object>", "", "Get Flash"),
        ("<svg><title>Chart</title><text>Rate</text><text>5%</text></svg>", "Rate 5%", None),
        ("<svg><title>Search</title><path d=M0></svg>", "", None),
        ("<video>No <b>video</b></video><datalist><option>x</datalist>", "", "No video"),
    ],
)  # fmt: skip
def test_controls_visible_text_stays_and_invisible_is_reported(html: str, text: str, hidden: str | None) -> None:
    assert settled(html) == (text, hidden)


def test_controls_nested_hidden_text_is_counted_once() -> None:
    body = body_of("<template>A <noscript>B</noscript><div hidden>C</div></template>")
    assert drop_unseen(body) == Hidden(1, 5, "A B C")


def test_controls_nested_frames_are_bounded() -> None:
    frame = "<p>Deep</p>"
    for _ in range(5):
        frame = frame.replace("&", "&amp;").replace('"', "&quot;")
        frame = f'<p>Frame</p><iframe srcdoc="{frame}"></iframe>'
    assert settled(frame)[0] == "FrameFrameFrame"


ANSWER = "<p>Any lender that is approved by the agency may apply for it at any time of the year.</p>"


@cases(
    "button",
    [
        f'<button class="collapsible">HEAD</button><div>{ANSWER}</div>',
        f'<button onclick="toggle(this)">HEAD</button><div>{ANSWER}</div>',
        f'<button aria-expanded="false">HEAD</button><div hidden class="panel-body">{ANSWER}</div>',
        f'<button role="tab" aria-controls="p">HEAD</button><div id="p">{ANSWER}</div>',
        '<button role="tab" aria-controls="p">HEAD</button><div id="p">$5</div>',
        "<p>The <button class=term>HEAD</button> must not exceed 5 percent.</p>",
        "<p>See the <span><button>HEAD</button></span>.</p>",
        f"<button>Is a mobile home a HEAD?</button><div>{ANSWER}</div>",
        f"<div class=head><button aria-expanded=false>HEAD</button></div><div>{ANSWER}</div>",
        "<ul><li><button aria-expanded=false>Is a mobile home a HEAD?</button><div>Yes.</div></ul>",
        "<button aria-expanded=false aria-controls=p>Is a mobile home a HEAD?</button><div id=p hidden>Yes.</div>",
        "<table><tr><th>Rule<th>State<tr><td>One<td><button disabled>HEAD</button></table>",
    ],
    ids=[
        *("class", "script", "expanded", "tab", "short tab", "term", "end of a sentence"),
        *("question", "in a box", "short answer", "short hidden answer", "badge"),
    ],
)
def test_controls_button_with_text_is_text(button: str) -> None:
    assert "HEAD" in page_text(f"<main><h1>T</h1>{LAW}{button}{LAW}</main>")


@cases(
    "button",
    [
        f'<button class="toggle">Show more</button><div>{ANSWER}</div>',
        f'<button aria-expanded="false">Expand all</button><div>{ANSWER}</div>',
        f'<button type="submit" class="toggle">HEAD</button><div>{ANSWER}</div>',
        f"<button>HEAD</button>{ANSWER}",
        f'<button aria-expanded="false" class="menu-toggle">HEAD</button><div>{ANSWER}</div>',
        "<p>Was this helpful? <button>HEAD</button> <button>No</button></p>",
        f"<button>Did this page of HEAD help?</button><div>{ANSWER}</div>",
    ],
    ids=["more", "all", "submit", "no sign", "menu", "question", "of the page"],
)
def test_controls_other_buttons_are_removed(button: str) -> None:
    text = page_text(f"<main><h1>T</h1>{LAW}{button}{LAW}</main>")
    assert not any(word in text for word in ("HEAD", "Show more", "Expand all"))


def test_controls_button_without_panel_hides_nothing_else() -> None:
    assert settled("<button aria-controls='' data-target=x>Menu</button><p hidden>Draft</p><p>Text</p>") == (
        "MenuText",
        "Draft",
    )


# Five questions, of which one is the reader's own story, in the words of an agency.
ASKED = (
    "<fieldset><legend>Applicant</legend><label for=n>Name</label><input id=n>"
    "<input type=tel name=t placeholder='Day phone'>"
    "<label for=d>Closing</label><input id=d type=date placeholder='MM/DD'></fieldset><p><label for=c>You are</label>"
    "<select id=c><option value=''>- Select -<option>a borrower<option>a seller</select></p>"
    "<label for=w>What happened, in not more than 400 words, without the names of minors, and without numbers of "
    "accounts or of Social Security</label>"
    "<textarea id=w></textarea><p>I declare under penalty of perjury that this is true.</p><button>File it</button>"
)
STORY = "".join(f"<p>Section {n}. {LAW}</p>" for n in range(60))


@cases(
    ("form", "is_text"),
    [
        ("<form method=post>{}</form>", True),
        ("<form>{}</form>", True),
        ("<form method=get>{}</form>", False),
        ("<form method=post class=comment-form>{}</form>", False),
        ("<form method=post action=/newsletter/join>{}</form>", False),
        ("<form method=post>{}<input type=password></form>", False),
        ("<form method=post><h1>Title</h1>{}</form>", False),
    ],
)
def test_controls_form_below_a_text_is_text_where_it_takes_entries(form: str, is_text: bool) -> None:
    said = page_text(f"<html><body><h1>Complaints</h1>{STORY}{form.format(ASKED)}</body></html>")
    assert ("a borrower" in said, "Day phone" in said) == (is_text, is_text)
    assert ("penalty of perjury" in said) is (is_text or "<h1>" in form)
    assert "- Select -" not in said
    assert "MM/DD" not in said  # an example beside a label
    assert "File it" not in said


@cases(
    ("select", "is_shown"),
    [
        ("<select><option>a trust<option>an estate</select>", True),
        ("<select onchange=go()><option>a trust<option>an estate</select>", False),
        ("<select><option>All parties<option>a trust<option>an estate</select>", False),
        ("<select><option>2024<option>2025</select>", False),
        (f"<select>{''.join(f'<option>State {chr(65 + n)}' for n in range(50))}<option>a trust</select>", False),
    ],
)
def test_controls_choices_of_a_question_are_text_and_of_a_filter_not(select: str, is_shown: bool) -> None:
    text, _ = settled(f"<form method=post>{ASKED}<p>Party {select}</p></form>")
    assert ("a trust" in text) is is_shown


@cases(
    ("html", "tag"),
    [
        ("<div role=heading aria-level=2><span>Scope</span></div>", "h2"),
        ("<h4 role=heading aria-level=3><button>Scope<div></div></button></h4>", "h3"),
        ("<div role=heading aria-level=2><p>Scope</p></div>", "div"),
        ("<div role=heading aria-level=9>Scope</div>", "div"),
        ("<div role=heading aria-level=2> </div>", "div"),
    ],
)
def test_write_aria_stated_heading_has_its_level(html: str, tag: str) -> None:
    body = body_of(html)
    write_aria(body)
    assert body[0].tag == tag
