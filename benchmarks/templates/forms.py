"""Forms of agencies' pages, with their labels: `python -m benchmarks.templates.forms [--sealed] [-v]`.

What a person reads in a form that a page is made for, or that follows its text, is text: labels, legends, help, choices,
and a placeholder where a field has no other label. What drives the site is not: its search, newsletter, language, filters,
jump menus, comments, sign-in, cookies and the words of buttons. Split by system; each form stands alone on a page, and
below a long text. Of the sealed half only totals are printed.
"""

from __future__ import annotations

import argparse
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.content_labels import folded, read
from benchmarks.templates.structure import URL, Words
from rori_spiders.content.convert import convert

if TYPE_CHECKING:
    from collections.abc import Callable

_PAGES = 8  # of each system and place


class Question(NamedTuple):
    label: str
    kind: str  # text, email, tel, date, area, select, radio, checkbox, file
    note: str = ""
    choices: tuple[str, ...] = ()


class Form(NamedTuple):
    """Two groups of questions, each with its legend, a statement to tick, the words of the button."""

    legends: tuple[str, str]
    groups: tuple[tuple[Question, ...], tuple[Question, ...]]
    statement: str
    button: str
    number: int


class FormLayout(NamedTuple):
    """How a system writes a form: templates, each with the names of what goes into it."""

    name: str
    key: str  # id and name of a field
    note: str
    box: str  # one of several choices to tick
    choices: str  # a question with boxes
    field: str  # another question
    section: str
    whole: str
    css: str = ""
    unlabelled: str = ""  # a question whose label stands in the field, as its placeholder

    def write(self, form: Form) -> str:
        parts = []
        for legend, group in zip(form.legends, form.groups, strict=True):
            items = "".join(self._write_question(one, at, form.number) for at, one in enumerate(group))
            parts.append(self.section.format(legend=legend, items=items))
        said = {"statement": form.statement, "button": form.button, "number": form.number}
        return self.whole.format(parts="".join(parts), **said)

    def _write_question(self, one: Question, at: int, number: int) -> str:
        key = self.key.format(number=number, at=at, kind=one.kind)
        note = self.note.format(key=key, note=one.note) if one.note else ""
        names = {"key": key, "kind": one.kind, "upper_kind": one.kind.upper(), "label": one.label, "note": note}
        if one.choices and one.kind != "select":
            boxes = [self.box.format(n=n, choice=choice, **names) for n, choice in enumerate(one.choices)]
            return self.choices.format(boxes="".join(boxes), **names)
        if self.unlabelled and one.kind in {"text", "email", "area"}:
            return self.unlabelled.format(field=_field(one, key, self.css, one.label), **names)
        return self.field.format(field=_field(one, key, self.css), **names)


System = tuple[FormLayout, "Callable[[str, Words], tuple[str, list[str]]]"]


def form_of(words: Words) -> Form:
    n = words.number
    who = (
        Question(f"Legal name of applicant {n()}", "text", f"As it stands on charter {n()}"),
        Question(f"Electronic address {n()}", "email"),
        Question(f"Daytime telephone {n()}", "tel", f"Not the number of office {n()}"),
        Question(
            f"Capacity {n()}",
            "select",
            choices=(f"Borrower of class {n()}", f"Seller of class {n()}", f"Surety {n()}", f"None of these {n()}"),
        ),
    )
    what = (
        Question(f"Date of closing {n()}", "date", f"Not later than day {n()} of the year"),
        Question(
            f"Is there a written agreement {n()}?",
            "radio",
            choices=(f"Yes, signed before {n()}", f"No, none was signed {n()}"),
        ),
        Question(
            f"Documents enclosed {n()}",
            "checkbox",
            choices=(f"Closing disclosure {n()}", f"Note {n()}", f"Deed of trust {n()}"),
        ),
        Question(f"What happened {n()}", "area", f"At most {n()} words; do not name minors"),
        Question(f"Supporting file {n()}", "file", f"No file above {n()} MB"),
    )
    statement = f"I declare under penalty of perjury, law {n()}, that this is true"
    return Form((f"Applicant {n()}", f"Complaint {n()}"), (who, what), statement, f"File it {n()}", n())


def labels_of(form: Form) -> list[str]:
    questions = [question for group in form.groups for question in group]
    said = [text for one in questions for text in (one.label, one.note, *one.choices) if text]
    return [*form.legends, *said, form.statement]


def _options(choices: tuple[str, ...], first: str = "- Select -") -> str:
    return f"<option value=''>{first}</option>" + "".join(
        f"<option value='{n}'>{c}</option>" for n, c in enumerate(choices)
    )


_TYPES = {"email": "email", "tel": "tel", "date": "date", "file": "file"}


def _field(one: Question, key: str, css: str = "", placeholder: str = "") -> str:
    shown = f" placeholder='{placeholder}'" if placeholder else ""
    if one.kind == "area":
        return f"<textarea id='{key}' name='{key}' class='{css}' rows=6{shown}></textarea>"
    if one.kind == "select":
        return f"<select id='{key}' name='{key}' class='{css}'>{_options(one.choices)}</select>"
    return f"<input type='{_TYPES.get(one.kind, 'text')}' id='{key}' name='{key}' class='{css}'{shown}>"


DRUPAL_FORM = FormLayout(
    "drupal_form",
    key="edit-{number}-{at}-{kind}",
    note="<div id='{key}--description' class='webform-element-description'>{note}</div>",
    box="<div class='js-form-item form-item form-type-{kind}'><input type='{kind}' id='{key}-{n}' name='{key}' value='{n}' class='form-{kind}'><label for='{key}-{n}' class='option'>{choice}</label></div>",
    choices="<fieldset id='{key}' class='{kind}s--wrapper fieldgroup form-composite'><legend><span class='fieldset-legend'>{label}</span></legend><div class='fieldset-wrapper'><div class='js-webform-{kind}s'>{boxes}</div>{note}</div></fieldset>",
    field="<div class='js-form-item form-item form-type-{kind}'><label for='{key}' class='js-form-required form-required'>{label}</label>{field}{note}</div>",
    section="<fieldset class='webform-type-fieldset'><legend><span class='fieldset-legend'>{legend}</span></legend><div class='fieldset-wrapper'>{items}</div></fieldset>",
    whole="<form class='webform-submission-form webform-submission-complaint-form' action='/form/complaint' method='post' id='webform-{number}' accept-charset='UTF-8'>{parts}<div class='form-item form-type-checkbox'><input type='checkbox' id='t' name='t' value='1'><label for='t' class='option'>{statement}</label></div><input autocomplete='off' type='hidden' name='form_build_id' value='x'><div class='form-actions webform-actions'><input class='webform-button--submit button' type='submit' value='{button}'></div></form>",
    css="form-text",
)


def drupal_page(inner: str, words: Words) -> tuple[str, list[str]]:
    n = words.number()
    return (
        f"<header role='banner'><nav role='navigation' id='block-main-menu'><ul class='menu'><li><a href='/'>Home</a></li><li><a href='/rules'>Rules</a></li></ul></nav><form action='/search/node' method='get' id='search-block-form' class='search-block-form search-form'><label for='k' class='visually-hidden'>Search {n}</label><input title='Enter the terms' type='search' id='k' name='keys' placeholder='Search the division {n}'><input type='submit' value='Search'></form></header><main role='main'><div class='region region-content'>{inner}</div></main><footer class='site-footer'><form action='/newsletter' method='post' class='newsletter-form'><label for='m'>Get bulletin {n}</label><input type='email' id='m'><select name='how'><option>Daily {n}</option><option>Weekly {n}</option></select><input type='submit' value='Subscribe'></form><p>© Division</p></footer>",
        [f"Search {n}", f"division {n}", f"bulletin {n}", f"Weekly {n}"],
    )


USWDS_FORM = FormLayout(
    "uswds_form",
    key="in{number}{at}{kind}",
    note="<span class='usa-hint' id='{key}-hint'>{note}</span>",
    box="<div class='usa-{kind}'><input class='usa-{kind}__input' id='{key}{n}' type='{kind}' name='{key}'><label class='usa-{kind}__label' for='{key}{n}'>{choice}</label></div>",
    choices="<fieldset class='usa-fieldset'><legend class='usa-legend'>{label}</legend>{note}{boxes}</fieldset>",
    field="<div class='usa-form-group'><label class='usa-label' for='{key}'>{label} <abbr title='required' class='usa-hint--required'>*</abbr></label>{note}{field}</div>",
    section="<fieldset class='usa-fieldset'><legend class='usa-legend usa-legend--large'>{legend}</legend>{items}</fieldset>",
    whole="<form class='usa-form usa-form--large'>{parts}<div class='usa-checkbox'><input class='usa-checkbox__input' id='ag' type='checkbox'><label class='usa-checkbox__label' for='ag'>{statement}</label></div><button class='usa-button' type='submit'>{button}</button></form>",
    css="usa-input",
)


def uswds_page(inner: str, words: Words) -> tuple[str, list[str]]:
    n = words.number()
    return (
        f"<section class='usa-banner' aria-label='Official website'><div class='usa-accordion'><header class='usa-banner__header'><p class='usa-banner__header-text'>An official website of the United States government</p></header></div></section><header class='usa-header usa-header--basic'><section aria-label='Search component'><form class='usa-search usa-search--small' role='search'><label class='usa-sr-only' for='sf'>Search {n}</label><input class='usa-input' id='sf' type='search' name='q'><button class='usa-button' type='submit'>Find {n}</button></form></section></header><main id='main-content' class='usa-section'><div class='grid-container'>{inner}<form class='usa-form' action='/filter' method='get'><label class='usa-label' for='ty'>Filter by</label><select class='usa-select' id='ty' name='ty'><option>All notices {n}</option><option>Orders {n}</option><option>Letters {n}</option></select><button class='usa-button'>Apply</button></form></div></main><footer class='usa-footer'><div class='usa-sign-up'><h3 class='usa-sign-up__heading'>Sign up {n}</h3><form class='usa-form'><label class='usa-label' for='em'>Your email for list {n}</label><input class='usa-input' id='em' name='email' type='email'><button class='usa-button' type='submit'>Sign up</button></form></div></footer>",
        [f"Search {n}", f"Find {n}", f"Orders {n}", f"Letters {n}", f"Sign up {n}", f"for list {n}"],
    )


GRAVITY_FORM = FormLayout(
    "gravity_form",
    key="input_{number}_{at}{kind}",
    note="<div class='gfield_description' id='d{key}'>{note}</div>",
    box="<div class='gchoice gchoice_{n}'><input class='gfield-choice-input' name='{key}' type='{kind}' value='{n}' id='c{key}{n}'><label for='c{key}{n}' class='gform-field-label gform-field-label--type-inline'>{choice}</label></div>",
    choices="<fieldset class='gfield gfield--type-{kind}'><legend class='gfield_label gform-field-label'>{label}</legend>{note}<div class='ginput_container ginput_container_{kind}'><div class='gfield_{kind}'>{boxes}</div></div></fieldset>",
    field="<div class='gfield gfield--type-{kind}'><label class='gfield_label gform-field-label' for='{key}'>{label}<span class='gfield_required'>*</span></label><div class='ginput_container'>{field}</div>{note}</div>",
    section="<div class='gfield gfield--type-section gsection'><h3 class='gsection_title'>{legend}</h3></div>{items}",
    whole="<div class='gf_browser_chrome gform_wrapper gravity-theme' id='gform_wrapper_1'><form method='post' enctype='multipart/form-data' id='gform_1' action='/complaint/'><div class='gform-body gform_body'><div class='gform_fields top_label'>{parts}<div class='gfield gfield--type-consent'><input type='checkbox' id='cs'><label class='gfield_consent_label' for='cs'>{statement}</label></div></div></div><div class='gform_footer top_label'><input type='submit' class='gform_button button' value='{button}'></div></form></div>",
    css="large",
)


def wordpress_page(inner: str, words: Words) -> tuple[str, list[str]]:
    n = words.number()
    return (
        f"<div id='page' class='site'><header id='masthead' class='site-header'><form role='search' method='get' class='search-form' action='/'><label><span class='screen-reader-text'>Search for {n}:</span><input type='search' class='search-field' placeholder='Search … {n}' name='s'></label></form></header><div id='content' class='site-content'><div id='primary' class='content-area'><main id='main' class='site-main'><article class='page type-page hentry'><div class='entry-content'>{inner}</div></article><div id='comments' class='comments-area'><div id='respond' class='comment-respond'><h3 id='reply-title' class='comment-reply-title'>Leave a Reply {n}</h3><form action='/wp-comments-post.php' method='post' id='commentform' class='comment-form'><p class='comment-notes'>Your address {n} will not be published.</p><p class='comment-form-comment'><label for='comment'>Comment</label><textarea id='comment' name='comment'></textarea></p><p><label for='author'>Your name {n}</label><input id='author' name='author' type='text'></p><p><label for='email'>Email</label><input id='email' type='email'></p><p><label for='url'>Website</label><input id='url' type='url'></p><p><input id='ck' type='checkbox'><label for='ck'>Save my name for time {n}.</label></p><p><input name='submit' type='submit' value='Post Comment'></p></form></div></div></main></div><aside id='secondary' class='widget-area'><section class='widget widget_archive'><label class='screen-reader-text' for='ar'>Archives {n}</label><select id='ar' name='archive-dropdown'><option value=''>Select Month</option><option>October {n}</option></select></section></aside></div></div>",
        [f"Search for {n}", f"Leave a Reply {n}", f"Your name {n}", f"for time {n}", f"October {n}", f"Archives {n}"],
    )


WEBFORMS_FORM = FormLayout(
    "webforms_form",
    key="ctl00_MainContent_fld{number}{at}{kind}",
    note="<br><span class='fieldNote'>{note}</span>",
    box="<tr><td><input id='{key}_{n}' type='{kind}' name='{key}'><label for='{key}_{n}'>{choice}</label></td></tr>",
    choices="<tr><td class='fieldLabel' align='right'><span id='lbl{key}'>{label}</span></td><td><table id='{key}'>{boxes}</table>{note}</td></tr>",
    field="<tr><td class='fieldLabel' align='right'><span id='lbl{key}'>{label}</span></td><td>{field}{note}</td></tr>",
    section="<tr><td colspan='2' class='sectionHead'><b>{legend}</b></td></tr>{items}",
    whole="<table id='ctl00_MainContent_tblForm' cellpadding='3'>{parts}<tr><td></td><td><input id='ctl00_MainContent_chk' type='checkbox'><label for='ctl00_MainContent_chk'>{statement}</label></td></tr><tr><td></td><td><input type='submit' name='ctl00$MainContent$btn' value='{button}'></td></tr></table>",
    css="txt",
)


def webforms_page(inner: str, words: Words) -> tuple[str, list[str]]:
    n = words.number()
    return (
        f"<form name='aspnetForm' method='post' action='Complaint.aspx' id='aspnetForm'><input type='hidden' name='__VIEWSTATE' value='/wEP'><div id='header'><div id='searchBox'><input name='ctl00$txtSearch' type='text' placeholder='Find a page {n}'><input type='submit' value='Go'></div><select name='ctl00$lang' onchange='__doPostBack()'><option>English {n}</option><option>Español {n}</option></select></div><div id='ctl00_contentArea' class='content'>{inner}<p>Jump to <select name='jump' onchange='location=this.value'><option>Choose a board</option><option value='/b/1'>Board of Realty {n}</option><option value='/b/2'>Board of Title {n}</option></select></p></div><div id='footer'><p>© Department</p></div></form>",
        [f"Find a page {n}", f"Español {n}", f"Board of Title {n}"],
    )


BOOTSTRAP_FORM = FormLayout(
    "bootstrap_form",
    key="b{number}{at}{kind}",
    note="<span class='help-block small text-muted'>{note}</span>",
    box="<div class='{kind}'><label><input type='{kind}' name='{key}' value='{n}'> {choice}</label></div>",
    choices="<div class='form-group row'><label class='col-sm-3 control-label'>{label}</label><div class='col-sm-9'>{boxes}{note}</div></div>",
    field="<div class='form-group row'><label for='{key}' class='col-sm-3 control-label'>{label}</label><div class='col-sm-9'>{field}{note}</div></div>",
    section="<h2>{legend}</h2>{items}",
    whole="<form class='form-horizontal' role='form' method='POST' action='submit.php'>{parts}<div class='checkbox'><label><input type='checkbox' name='ok'> {statement}</label></div><button type='submit' class='btn btn-primary'>{button}</button></form>",
    css="form-control",
    unlabelled="<div class='form-group'>{field}{note}</div>",
)


def bootstrap_page(inner: str, words: Words) -> tuple[str, list[str]]:
    n = words.number()
    return (
        f"<nav class='navbar navbar-default'><a class='navbar-brand' href='/'>Board</a><form class='navbar-form navbar-right' action='/find'><input type='text' class='form-control' placeholder='Search board {n}'></form></nav><div class='container'><div class='row'><div class='col-md-9'>{inner}</div><div class='col-md-3'><div class='panel panel-default'><div class='panel-heading'>Licensee sign in {n}</div><div class='panel-body'><form action='/login' method='post'><label>User name {n}</label><input type='text' name='u' class='form-control'><label>Password</label><input type='password' name='p' class='form-control'><button class='btn'>Sign in</button></form></div></div></div></div></div><div class='cookie-banner'><form><p>We use cookies {n}.</p><label><input type='checkbox' checked disabled> Necessary {n}</label><label><input type='checkbox'> Statistics {n}</label><button>Save</button></form></div>",
        [f"Search board {n}", f"User name {n}", f"We use cookies {n}", f"Statistics {n}"],
    )


CONTACT_FORM_7 = FormLayout(
    "contact_form_7",
    key="your-{number}{at}{kind}",
    note="<br><small>{note}</small>",
    box="<span class='wpcf7-list-item'><label><input type='{kind}' name='{key}' value='{choice}'><span class='wpcf7-list-item-label'>{choice}</span></label></span>",
    choices="<p>{label}<br><span class='wpcf7-form-control-wrap' data-name='{key}'><span class='wpcf7-form-control wpcf7-{kind}'>{boxes}</span></span>{note}</p>",
    field="<p><label>{label}<br><span class='wpcf7-form-control-wrap' data-name='{key}'>{field}</span></label>{note}</p>",
    section="<h3>{legend}</h3>{items}",
    whole="<div class='wpcf7 no-js' id='wpcf7-f1-p2-o1' lang='en-US'><div class='screen-reader-response'><p role='status'></p></div><form action='/complaint/#wpcf7-f1' method='post' class='wpcf7-form init' novalidate><div style='display: none;'><input type='hidden' name='_wpcf7' value='1'></div>{parts}<p><span class='wpcf7-form-control-wrap'><span class='wpcf7-form-control wpcf7-acceptance'><span class='wpcf7-list-item'><label><input type='checkbox' name='acc'><span class='wpcf7-list-item-label'>{statement}</span></label></span></span></span></p><p><input class='wpcf7-form-control wpcf7-submit has-spinner' type='submit' value='{button}'></p></form></div>",
    css="wpcf7-form-control",
)


def divi_page(inner: str, words: Words) -> tuple[str, list[str]]:
    n = words.number()
    return (
        f"<div id='page-container'><header id='main-header'><div class='et_search_outer'><form role='search' method='get' class='et-search-form'><input type='search' class='et-search-field' placeholder='Search {n} &hellip;' name='s'></form></div></header><div id='et-main-area'><div id='main-content'><article class='post type-page'><div class='entry-content'><div class='et_pb_section'>{inner}</div></div></article></div><footer id='main-footer'><div class='et_pb_newsletter'><form method='post'><h2>Join list {n}</h2><input type='text' placeholder='First name {n}'><input type='text' placeholder='Last name {n}'><input type='email' placeholder='Email {n}'><a class='et_pb_newsletter_button' href='#'>Subscribe</a></form></div></footer></div></div>",
        [f"Search {n}", f"Join list {n}", f"First name {n}", f"Email {n}"],
    )


WAGTAIL_FORM = FormLayout(
    "wagtail_form",
    key="id_f{number}{at}{kind}",
    note="<span class='helptext'>{note}</span>",
    box="<div><label for='{key}_{n}'><input type='{kind}' name='{key}' value='{n}' id='{key}_{n}'>\n {choice}</label>\n</div>",
    choices="<p><label>{label}:</label>{note}</p><div id='{key}'>{boxes}</div>",
    field="<p><label for='{key}'>{label}:</label>{field}{note}</p>",
    section="<div class='form-section'><h3 class='h4'>{legend}</h3>{items}</div>",
    whole="<form action='/complaint/' method='POST'><input type='hidden' name='csrfmiddlewaretoken' value='q'>{parts}<p><label for='id_ok'>{statement}:</label><input type='checkbox' name='ok' id='id_ok'></p><input type='submit' value='{button}'></form>",
)


def wagtail_page(inner: str, words: Words) -> tuple[str, list[str]]:
    n = words.number()
    return (
        f"<header class='o-header'><form class='m-global-search' action='/search/' method='get'><label for='query'>Search the bureau {n}</label><input type='text' id='query' name='q'></form></header><main class='content' role='main' id='main'><section class='content_main'><div class='block'>{inner}</div><div class='block o-filterable-list-controls'><form method='get' action='.'><fieldset><legend>Topics {n}</legend><input type='checkbox' id='tp'><label for='tp'>Mortgages {n}</label><input type='checkbox' id='tq'><label for='tq'>Deposits {n}</label></fieldset><label for='fd'>From date {n}</label><input type='text' id='fd' name='from'><label for='ct'>Category</label><select id='ct' name='ct'><option>Blog {n}</option><option>Op-ed {n}</option></select><button>Apply filters</button></form></div></section></main><footer class='o-footer'><div class='o-email-signup'><form><label for='es'>Email for updates {n}</label><input type='email' id='es'></form></div></footer>",
        [f"the bureau {n}", f"Op-ed {n}", f"for updates {n}"],
    )


FONT_FORM = FormLayout(
    "font_form",
    key="F{number}{at}{kind}",
    note="<BR><FONT SIZE=1><I>{note}</I></FONT>",
    box="<INPUT TYPE={upper_kind} NAME={key} VALUE={n}>{choice}<BR>",
    choices="<TR><TD VALIGN=TOP><FONT SIZE=2 FACE=Arial>{label}</FONT></TD><TD>{boxes}{note}</TD></TR>",
    field="<TR><TD VALIGN=TOP><FONT SIZE=2 FACE=Arial>{label}</FONT></TD><TD>{field}{note}</TD></TR>",
    section="<TR BGCOLOR='#CCCCCC'><TD COLSPAN=2><FONT SIZE=3 FACE=Arial><B>{legend}</B></FONT></TD></TR>{items}",
    whole="<FORM ACTION='/cgi-bin/FormMail.pl' METHOD=POST><INPUT TYPE=HIDDEN NAME=recipient VALUE='x@example.gov'><TABLE BORDER=0 CELLPADDING=4>{parts}<TR><TD COLSPAN=2><INPUT TYPE=CHECKBOX NAME=OK> <FONT SIZE=2>{statement}</FONT></TD></TR><TR><TD></TD><TD><INPUT TYPE=SUBMIT VALUE='{button}'><INPUT TYPE=RESET VALUE='Start over'></TD></TR></TABLE></FORM>",
)


def layout_page(inner: str, words: Words) -> tuple[str, list[str]]:
    n = words.number()
    return (
        f"<TABLE WIDTH=760><TR><TD COLSPAN=2><FORM ACTION='/cgi-bin/search' METHOD=GET><FONT SIZE=1>Search site {n}:</FONT><INPUT NAME=q SIZE=10><INPUT TYPE=SUBMIT VALUE=Go></FORM></TD></TR><TR><TD WIDTH=140 VALIGN=TOP><A HREF='/'>Home</A><BR><A HREF='/boards'>Boards</A><BR><A HREF='/forms'>Forms</A><BR><FORM NAME=jump><SELECT NAME=menu ONCHANGE='go()'><OPTION>Quick picks {n}<OPTION>Real Estate Board {n}<OPTION>Title Board {n}</SELECT></FORM></TD><TD VALIGN=TOP>{inner}</TD></TR></TABLE>",
        [f"Search site {n}", f"Quick picks {n}", f"Title Board {n}"],
    )


LIFERAY_FORM = FormLayout(
    "liferay_form",
    key="_com_liferay_form_{number}{at}{kind}",
    note="<span class='form-text' id='{key}_fieldHelp'>{note}</span>",
    box="<div class='custom-control custom-{kind}'><label><input class='custom-control-input' type='{kind}' name='{key}'><span class='custom-control-label'><span class='custom-control-label-text'>{choice}</span></span></label></div>",
    choices="<div class='row'><div class='col-md-12 col-ddm'><div class='form-group'><fieldset><legend class='lfr-ddm-legend'>{label}</legend>{note}{boxes}</fieldset></div></div></div>",
    field="<div class='row'><div class='col-md-12 col-ddm'><div class='form-group'><label class='ddm-label' for='{key}'>{label}</label>{note}<div class='input-group'>{field}</div></div></div></div>",
    section="<div class='lfr-ddm-form-page'><div class='lfr-ddm-form-page-title h3'>{legend}</div>{items}</div>",
    whole="<div class='portlet-forms'><form class='lfr-ddm-form' action='/web/x/complaint' method='POST' id='fm'><div class='ddm-form-builder-app'>{parts}<div class='custom-control custom-checkbox'><label><input type='checkbox'><span class='custom-control-label-text'>{statement}</span></label></div></div><button class='btn btn-primary lfr-ddm-form-submit' type='submit'>{button}</button></form></div>",
    css="ddm-field-text form-control",
)


def liferay_page(inner: str, words: Words) -> tuple[str, list[str]]:
    n = words.number()
    return (
        f"<div id='wrapper'><header id='banner' role='banner'><div class='portlet-search-bar'><form action='/search' method='get'><div class='input-group'><input class='form-control search-bar-keywords-input' placeholder='Search {n}...' type='text' name='q'></div></form></div></header><section id='content' role='main'><div class='columns-1' id='main-content'><div class='portlet-column-content'>{inner}<section class='portlet portlet-ratings'><form method='post'><p>Was this page useful?</p><label><input type='radio' name='r'> Yes, {n}</label><label><input type='radio' name='r'> Not at all, {n}</label><label for='why'>Tell us why {n}</label><textarea id='why'></textarea><button type='submit'>Send feedback</button></form></section></div></div></section></div>",
        [f"Search {n}", f"Tell us why {n}", f"Not at all, {n}"],
    )


AEM_FORM = FormLayout(
    "aem_form",
    key="af{number}{at}{kind}",
    note="<div id='{key}-longdescription' class='cmp-adaptiveform-textinput__longdescription'><p>{note}</p></div>",
    box="<div class='cmp-adaptiveform-{kind}group-item'><label class='cmp-adaptiveform-{kind}group__option-label'><input type='{kind}' class='cmp-adaptiveform-{kind}group__option__widget' name='{key}'><span>{choice}</span></label></div>",
    choices="<div class='cmp-adaptiveform-{kind}group'><div class='cmp-adaptiveform-{kind}group__label-container'><label class='cmp-adaptiveform-{kind}group__label'>{label}</label></div><div class='cmp-adaptiveform-{kind}group__widget'>{boxes}</div>{note}</div>",
    field="<div class='cmp-adaptiveform-textinput'><label id='{key}-l' for='{key}' class='cmp-adaptiveform-textinput__label'>{label}</label>{field}{note}</div>",
    section="<div class='cmp-adaptiveform-panel'><div class='cmp-container__label-container'><label class='cmp-container__label'>{legend}</label></div>{items}</div>",
    whole="<div class='adaptiveform aem-Grid'><form class='cmp-adaptiveform-container cmp-container' method='post' action='/x'>{parts}<div class='cmp-adaptiveform-checkbox'><input type='checkbox' id='cb'><label for='cb'>{statement}</label></div><button type='submit' class='cmp-adaptiveform-button__widget'><span class='cmp-adaptiveform-button__text'>{button}</span></button></form></div>",
    css="cmp-adaptiveform-textinput__widget",
)


def aem_page(inner: str, words: Words) -> tuple[str, list[str]]:
    n = words.number()
    return (
        f"<div class='root responsivegrid'><div class='cmp-experiencefragment--header'><section class='cmp-search' role='search'><form class='cmp-search__form' method='get'><div class='cmp-search__field'><input class='cmp-search__input' type='text' name='fulltext' placeholder='Search department {n}'></div></form></section></div><div class='aem-Grid aem-Grid--12'><div class='cmp-container' id='container-1'><div class='cmp-text'>{inner}</div></div></div><div class='cmp-experiencefragment--footer'><div class='subscribe-box'><form action='/govdelivery' method='post'><label for='gd'>Get alert {n} by email</label><input id='gd' type='text' name='email'><label for='gz'>ZIP code {n}</label><input id='gz' type='text'><button>Submit</button></form></div></div></div>",
        [f"department {n}", f"alert {n}", f"ZIP code {n}"],
    )


DEVELOPMENT: tuple[System, ...] = (
    (DRUPAL_FORM, drupal_page), (USWDS_FORM, uswds_page), (GRAVITY_FORM, wordpress_page),
    (WEBFORMS_FORM, webforms_page), (BOOTSTRAP_FORM, bootstrap_page),
)  # fmt: skip
SEALED: tuple[System, ...] = (
    (CONTACT_FORM_7, divi_page), (WAGTAIL_FORM, wagtail_page), (FONT_FORM, layout_page), (LIFERAY_FORM, liferay_page),
    (AEM_FORM, aem_page),
)  # fmt: skip


def page_of(system: System, at: int, place: str) -> tuple[str, list[str], list[str]]:
    """A page, what must be kept of it, and what must go; *place*: ``alone``, ``below`` a long text, or ``none``."""
    layout, write_page = system
    words = Words(f"{layout.name} {place} {at}")
    form = form_of(words)
    title, texts = words.head(), [words.text(6) for _ in range(2 if place == "alone" else 40)]
    inner = (
        f"<h1>{title}</h1>"
        + "".join(f"<p>{text}</p>" for text in texts)
        + (layout.write(form) if place != "none" else "")
    )
    body, drop = write_page(inner, words)
    keep = [title, *texts, *(labels_of(form) if place != "none" else ())]
    drop = [*drop, *([form.button] if place != "none" else ())]
    return f"<!DOCTYPE html><html lang=en><head><title>{title}</title></head><body>{body}</body></html>", keep, drop


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sealed", action="store_true", help="the other systems, totals only")
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args()
    total: Counter[tuple[str, str]] = Counter()
    there: Counter[tuple[str, str]] = Counter()
    for system in SEALED if options.sealed else DEVELOPMENT:
        for place in ("alone", "below", "none"):
            for at in range(_PAGES):
                html, keep, drop = page_of(system, at, place)
                shown = read(convert(html.encode(), url=URL).markdown, URL).text
                for kind, phrases in (("kept", keep), ("boilerplate left", drop)):
                    for phrase in phrases:
                        is_there = folded(phrase) in shown
                        total[place, kind] += 1
                        there[place, kind] += is_there
                        if options.verbose and not options.sealed and not at and is_there == (kind != "kept"):
                            print(f"{system[0].name} {place}: {kind}: {phrase}")
    for (place, kind), every in sorted(total.items()):
        print(f"{place:6} {kind:16} {there[place, kind] / every:.3f} of {every}")


if __name__ == "__main__":
    main()
