"""Pages of agencies whose text stands in cards, sidebars, callouts, steps, tabs, frames and old layout tables, labelled.

The markup is our own, in the form of SharePoint, Adobe Experience Manager, Salesforce, Confluence, USWDS and pages of
the nineties. Development and sealed have other shells and other parts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.templates.layouts import Marked, items_of
from benchmarks.templates.shells import Shell

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.templates.structure import Words

_MENU = ("Agency Directory", "Public Meetings", "Vendor Portal", "Open Positions", "Make a Payment")
_SIDE = ("Ombuds Desk", "Retention Schedule", "Lot Finder", "Docent Program")


# For development


def sharepoint(title: str, main: str) -> Shell:
    html = f"""<html dir="ltr" lang="en-US"><head><meta name="GENERATOR" content="Microsoft SharePoint"><title>{title}</title></head><body><form id="aspnetForm"><div id="s4-ribbonrow"><div id="globalNavBox"><a href="#mainContent">Skip Ribbon Commands</a></div></div>
<div id="s4-workspace"><div id="s4-bodyContainer"><div id="DeltaTopNavigation" class="ms-core-navigation"><ul class="root static">{items_of(_MENU, "<li class='static'><a class='static menu-item ms-core-listMenu-item' href='/{slug}'><span class='menu-item-text'>{name}</span></a></li>")}</ul></div>
<div id="sideNavBox" class="ms-dialogHidden ms-forceWrap ms-noList"><div class="ms-core-sideNavBox-removeLeftMargin"><ul>{items_of(_SIDE)}</ul></div></div>
<div id="contentRow"><div id="contentBox" aria-live="polite" aria-relevant="all"><div id="DeltaPlaceHolderMain"><a id="mainContent" name="mainContent" tabindex="-1"></a><h1>{title}</h1><div class="ms-rte-layoutszone-outer"><div class="ms-rte-layoutszone-inner"><div id="ctl00_PlaceHolderMain_RichHtmlField" class="ms-rtestate-field">{main}</div></div></div>
<div class="ms-webpart-zone"><div class="ms-webpartzone-cell"><div class="ms-webpart-chrome"><div class="ms-webpart-titleText"><span>Site Feedback Box</span></div></div></div></div></div></div></div></div></div><div id="footer">State of Example, 900 Court St</div></form></body></html>"""
    return Shell(html, ("Skip Ribbon Commands", "Public Meetings", "Lot Finder", "900 Court St"))


def experience_manager(title: str, main: str) -> Shell:
    html = f"""<!DOCTYPE html><html lang="en"><head><title>{title}</title></head><body class="page basicpage"><div class="root responsivegrid"><div class="aem-Grid aem-Grid--12 aem-Grid--default--12"><div class="experiencefragment aem-GridColumn"><div class="xf-content-height"><header class="cmp-header"><nav class="cmp-navigation"><ul class="cmp-navigation__group">{items_of(_MENU, "<li class='cmp-navigation__item'><a class='cmp-navigation__item-link' href='/{slug}'>{name}</a></li>")}</ul></nav></header></div></div>
<div class="breadcrumb aem-GridColumn"><nav class="cmp-breadcrumb"><ol><li class="cmp-breadcrumb__item">Home Shelf</li></ol></nav></div><div class="container responsivegrid aem-GridColumn"><main class="cmp-container"><div class="parsys iparys_inherited"><div class="title section"><div class="cmp-title"><h1 class="cmp-title__text">{title}</h1></div></div><div class="parsys par"><div class="text parbase section"><div class="cmp-text">{main}</div></div></div></div></main></div>
<footer class="cmp-footer aem-GridColumn"><p>Department of Examples, 18 Quay</p>{items_of(_SIDE)}</footer></div></div></body></html>"""
    return Shell(html, ("Public Meetings", "Home Shelf", "18 Quay", "Docent Program"))


def lightning(title: str, main: str) -> Shell:
    html = f"""<!DOCTYPE html><html lang="en"><head><title>{title}</title></head><body><div class="siteforceStarterBody"><div class="cCenterPanel slds-m-top--x-large"><header role="banner" class="header"><community_navigation-global-navigation-list><nav class="slds-context-bar"><ul class="slds-grid">{items_of(_MENU, "<li class='slds-context-bar__item'><a href='/s/{slug}'><span class='slds-truncate'>{name}</span></a></li>")}</ul></nav></community_navigation-global-navigation-list></header>
<div class="body isPageLoading" role="main"><div class="siteforceContentArea"><div class="contentPanel"><div class="siteforceSldsTwoCol84Layout"><div class="slds-col--padded slds-size--12-of-12 slds-large-size--8-of-12 comm-layout-column"><div class="ui-widget"><article class="article-column"><div class="article-head selfServiceArticleHeaderDetail"><h1 class="article-header slds-text-heading_large"><span class="test-id__field-value"><lightning-formatted-text>{title}</lightning-formatted-text></span></h1></div><div class="full article-body"><force-record-layout-section><div class="slds-form-element__control"><span class="test-id__field-value"><lightning-formatted-rich-text class="slds-rich-text-editor__output"><span part="formatted-rich-text">{main}</span></lightning-formatted-rich-text></span></div></force-record-layout-section></div></article></div></div>
<div class="slds-col--padded slds-large-size--4-of-12"><div class="forceCommunityRelatedArticles"><h3>Trending Articles</h3><ul>{items_of(_SIDE)}</ul></div></div></div></div></div></div></div><footer class="cCommunityFooter"><p>Example Bureau, Tower 3</p></footer></div></body></html>"""
    return Shell(html, ("Public Meetings", "Retention Schedule", "Example Bureau, Tower 3"))


def confluence(title: str, main: str) -> Shell:
    html = f"""<!DOCTYPE html><html><head><title>{title} - Policy Space - Confluence</title></head><body id="com-atlassian-confluence" class="theme-default aui-layout"><div id="page"><div id="full-height-container"><header id="header" role="banner"><nav class="aui-header aui-dropdown2-trigger-group"><ul class="aui-nav">{items_of(_MENU)}</ul></nav></header>
<div class="ia-splitter"><div class="ia-fixed-sidebar"><div class="acs-side-bar"><ul>{items_of(_SIDE)}</ul></div></div><div id="main" class="aui-page-panel"><div id="main-header"><ol id="breadcrumbs"><li>Pages</li><li>Policy shelf</li></ol><h1 id="title-text" class="with-breadcrumbs"><a href="/x">{title}</a></h1></div>
<div id="content" class="page view"><div class="page-metadata"><ul><li>Created by <a>Pat Roe</a>, last modified on Mar 02, 2026</li></ul></div><div id="main-content" class="wiki-content"><div class="contentLayout2"><div class="columnLayout single" data-layout="single"><div class="cell normal"><div class="innerCell">{main}</div></div></div></div></div>
<div id="likes-and-labels-container"><div class="label-list">No labels</div></div><div id="comments-section"><p>Add Comment below</p></div></div></div></div><footer id="footer"><p>Powered by Atlassian Confluence 8.5</p></footer></div></div></body></html>"""
    return Shell(html, ("Public Meetings", "Docent Program", "Powered by Atlassian Confluence", "Add Comment below"))


def old_center(title: str, main: str) -> Shell:
    links = " | ".join(f'<a href="/{name[:4]}.htm"><font size=1>{name}</font></a>' for name in _MENU)
    html = f"""<HTML><HEAD><TITLE>{title}</TITLE></HEAD><BODY BGCOLOR="#FFFFFF"><CENTER><TABLE WIDTH=760 BORDER=0 CELLPADDING=0><TR><TD COLSPAN=2 BGCOLOR=navy><FONT COLOR=white SIZE=5><B>Example Board</B></FONT></TD></TR><TR><TD COLSPAN=2 ALIGN=center>{links}</TD></TR>
<TR><TD WIDTH=140 VALIGN=top BGCOLOR="#EEEEEE">{"<BR>".join(f'<a href="/{name[:4]}.htm"><font size=2>{name}</font></a>' for name in _SIDE)}</TD><TD VALIGN=top><H1><FONT FACE=Arial>{title}</FONT></H1><FONT FACE="Arial" SIZE=2>{main}</FONT></TD></TR><TR><TD COLSPAN=2 ALIGN=center><FONT SIZE=1>Webmaster: Example Board, 3 Elm</FONT></TD></TR></TABLE></CENTER></BODY></HTML>"""
    return Shell(html, ("Public Meetings", "Lot Finder"))


def uswds(title: str, main: str) -> Shell:
    html = f"""<!doctype html><html lang="en"><head><title>{title}</title></head><body><a class="usa-skipnav" href="#main-content">Skip to main content</a><section class="usa-banner" aria-label="Official website of the United States government"><div class="usa-accordion"><header class="usa-banner__header"><p class="usa-banner__header-text">An official website of Example</p></header><div class="usa-banner__content usa-accordion__content" id="gov-banner" hidden><p>Official sites use .gov for trust</p></div></div></section>
<header class="usa-header usa-header--extended"><nav aria-label="Primary navigation" class="usa-nav"><ul class="usa-nav__primary usa-accordion">{items_of(_MENU, "<li class='usa-nav__primary-item'><a class='usa-nav-link' href='/{slug}'><span>{name}</span></a></li>")}</ul></nav></header>
<div class="usa-section"><div class="grid-container"><div class="grid-row grid-gap"><div class="usa-layout-docs__sidenav desktop:grid-col-3"><nav aria-label="Side navigation"><ul class="usa-sidenav">{items_of(_SIDE)}</ul></nav></div><main class="usa-layout-docs__main desktop:grid-col-9 usa-prose" id="main-content"><h1>{title}</h1>{main}</main></div></div></div>
<footer class="usa-footer"><div class="usa-footer__secondary-section">Example Agency, 1 Plaza</div></footer><div class="usa-identifier"><p>Looking for government services?</p></div></body></html>"""
    return Shell(html, ("Skip to main content", "Official sites use .gov for trust", "Public Meetings", "Docent Program", "1 Plaza", "Looking for government services"))  # fmt: skip


def _marked(words: Words, html: str, keep: int, **labels: object) -> Marked:
    """*html* with ``@1``, ``@2``, ... for texts of two sentences, all of which stay."""
    texts = [words.text(2) for _ in range(keep)]
    for number, text in enumerate(texts, 1):
        html = html.replace(f"@{number}", text)
    return Marked(html, texts, **labels)  # type: ignore[arg-type]


def card_grid(words: Words) -> Marked:
    card = "<li class='usa-card tablet:grid-col-4'><div class='usa-card__container'><div class='usa-card__header'><h3 class='usa-card__heading'>{head}</h3></div><div class='usa-card__body'><p>@{n}</p></div><div class='usa-card__footer'><a href='../apply/{n}' class='usa-button'>Read more</a></div></div></li>"
    heads = [words.head() for _ in range(3)]
    html = "".join(card.format(head=head, n=n) for n, head in enumerate(heads, 1))
    return _marked(words, f"<ul class='usa-card-group'>{html}</ul>", 3, headings=[(3, head) for head in heads])


def sidebar_of_law(words: Words) -> Marked:
    head = words.head()
    return _marked(
        words,
        f"<aside class='law-sidebar callout-right' role='complementary'><h3>{head}</h3><p>@1</p><ul><li>@2</li></ul></aside><p>@3</p>",
        3,
        headings=[(3, head)],
    )


def related_rule_box(words: Words) -> Marked:
    head = words.head()
    return _marked(
        words,
        f"<div class='sidebar-box related-info'><h4 class='box-title'>{head}</h4><div class='box-body'><p>@1</p></div></div><p>@2</p>",
        2,
        headings=[(4, head)],
    )


def alerts(words: Words) -> Marked:
    head = words.head()
    return _marked(
        words,
        f"<div class='usa-alert usa-alert--warning' role='alert'><div class='usa-alert__body'><h4 class='usa-alert__heading'>{head}</h4><p class='usa-alert__text'>@1</p></div></div><div class='notification-banner alert alert-info alert-dismissible'><button type='button' class='close' data-dismiss='alert'>&times;</button><strong>Note:</strong> @2</div>",
        2,
        headings=[(4, head)],
    )


def process_list(words: Words) -> Marked:
    heads = [words.head() for _ in range(2)]
    items = "".join(
        f"<li class='usa-process-list__item'><h4 class='usa-process-list__heading'>{head}</h4><p>@{n}</p></li>"
        for n, head in enumerate(heads, 1)
    )
    return _marked(words, f"<ol class='usa-process-list'>{items}</ol>", 2, headings=[(4, head) for head in heads])


def stepper(words: Words) -> Marked:
    a, b = words.head(), words.head()
    return _marked(
        words,
        f"<div class='wizard steps'><div class='step active'><span class='step-number'>1</span><div class='step-title'>{a}</div><div class='step-content'>@1</div></div><div class='step' style='display:none'><span class='step-number'>2</span><div class='step-title'>{b}</div><div class='step-content'>@2</div></div></div>",
        2,
    )


def details_list(words: Words) -> Marked:
    a, b = words.sentence(), words.sentence()
    part = _marked(
        words,
        f"<details class='faq'><summary>{a}</summary><p>@1</p></details><details><summary><h3>{b}</h3></summary><div><p>@2</p></div></details>",
        2,
    )
    part.keep += [a, b]
    return part


def faq_of_definitions(words: Words) -> Marked:
    a, b = words.sentence(), words.sentence()
    part = _marked(
        words,
        f"<dl class='faq-list accordion'><dt class='accordion-toggle'><a href='#' onclick='return false'>Q: {a}</a></dt><dd class='accordion-content' style='display: none;'>@1</dd><dt><a href='#a2'>Q: {b}</a></dt><dd style='display: none;'>@2</dd></dl>",
        2,
    )
    part.keep += [a, b]
    return part


def tab_panels(words: Words) -> Marked:
    a, b = words.head(), words.head()
    part = _marked(
        words,
        f"<div class='slds-tabs_default'><ul class='slds-tabs_default__nav' role='tablist'><li class='slds-tabs_default__item slds-is-active' role='presentation'><a role='tab' aria-selected='true' aria-controls='tp1' id='ti1'>{a}</a></li><li role='presentation'><a role='tab' aria-controls='tp2' id='ti2'>{b}</a></li></ul><div id='tp1' class='slds-tabs_default__content slds-show' role='tabpanel' aria-labelledby='ti1'><p>@1</p></div><div id='tp2' class='slds-tabs_default__content slds-hide' role='tabpanel' aria-labelledby='ti2'><p>@2</p></div></div>",
        2,
    )
    part.keep += [a, b]
    return part


def contents_of_page(words: Words) -> Marked:
    heads = [words.head() for _ in range(3)]
    links = "".join(f"<li><a href='#t{n}'>{head}</a></li>" for n, head in enumerate(heads))
    body = "".join(
        f"<h2 id='t{n}'>{head}</h2><p>@{n + 1}</p><p class='top'><a href='#top'>Back to top</a></p>"
        for n, head in enumerate(heads)
    )
    return _marked(
        words,
        f"<nav class='toc usa-in-page-nav' aria-label='On this page'><h4>On this page</h4><ul>{links}</ul></nav>{body}",
        3,
        headings=[(2, head) for head in heads],
    )


def list_of_chapters(words: Words) -> Marked:
    rows = [(words.head(), f"chapter-{words.number()}.html") for _ in range(5)]
    links = "".join(f"<li><a href='{href}'>{head}</a></li>" for head, href in rows)
    return Marked(
        f"<h2>Contents {rows[0][1][8:11]}</h2><ul class='toc chapters'>{links}</ul>",
        [head for head, _ in rows],
        links=[(head, f"https://www.example.gov/rules/lending/{href}") for head, href in rows],
    )


def comparison(words: Words) -> Marked:
    a, b, c = (str(words.number()) for _ in range(3))
    html = f"<div class='table-responsive'><table class='table comparison-table'><thead><tr><td></td><th scope='col'>FHA {a}</th><th scope='col'>VA {a}</th></tr></thead><tbody><tr><th scope='row'>Down payment {a}</th><td>{b} percent</td><td>None, {c}</td></tr><tr><th scope='row'>Fee {a}</th><td>{c} points</td><td>{b} points</td></tr></tbody></table></div>"
    return Marked(
        html, cells=[(f"Down payment {a}", f"{b} percent"), (f"Fee {a}", f"{c} points"), (f"VA {a}", f"None, {c}")]
    )


def definition_cards(words: Words) -> Marked:
    a, b = f"Term {words.number()}", f"Term {words.number()}"
    part = _marked(
        words,
        f"<div class='slds-card'><header class='slds-card__header'><h2 class='slds-card__header-title'><span>{a}</span></h2></header><div class='slds-card__body slds-card__body_inner'>@1</div><footer class='slds-card__footer'>@3</footer></div><div class='tile'><div class='tile-title'>{b}</div><div class='tile-body'>@2</div></div>",
        3,
    )
    part.keep.append(a)
    return part


def confluence_panels(words: Words) -> Marked:
    a = words.head()
    part = _marked(
        words,
        f"<div class='confluence-information-macro confluence-information-macro-note'><p class='title'>{a}</p><span class='aui-icon aui-icon-small aui-iconfont-warning'></span><div class='confluence-information-macro-body'><p>@1</p></div></div><div class='panel' style='border-width: 1px;'><div class='panelHeader'><b>{a} too</b></div><div class='panelContent'><p>@2</p></div></div><div id='expander-1' class='expand-container'><div id='expander-control-1' class='expand-control'><span class='expand-control-text'>Click here to expand...</span></div><div id='expander-content-1' class='expand-content expand-hidden'><p>@3</p></div></div>",
        3,
    )
    part.keep.append(a)
    return part


def collection(words: Words) -> Marked:
    heads = [words.head() for _ in range(2)]
    items = "".join(
        f"<li class='usa-collection__item'><div class='usa-collection__body'><h4 class='usa-collection__heading'><a class='usa-link' href='../r/{n}'>{head}</a></h4><p class='usa-collection__description'>@{n}</p><ul class='usa-collection__meta' aria-label='More information'><li class='usa-collection__meta-item'><time datetime='2026-01-0{n}'>January {n}, 2026</time></li></ul></div></li>"
        for n, head in enumerate(heads, 1)
    )
    return _marked(
        words,
        f"<ul class='usa-collection'>{items}</ul>",
        2,
        headings=[(4, head) for head in heads],
        links=[(head, f"https://www.example.gov/rules/r/{n}") for n, head in enumerate(heads, 1)],
    )


def nested_webparts(words: Words) -> Marked:
    return _marked(
        words,
        "<div class='ms-webpart-zone'><div class='ms-webpartzone-cell'><div class='ms-webpart-chrome ms-webpart-chrome-fullWidth'><div class='ms-webpart-chrome-title' id='WebPartWPQ3_ChromeTitle'><h2 class='ms-webpart-titleText'><nobr><span>Rule text of the part</span></nobr></h2></div><div webpartid='x' id='WebPartWPQ3' class='ms-WPBody'><div class='ms-rtestate-field'><p>@1</p><table class='ms-rteTable-default'><tbody><tr><td class='ms-rteTable-default'>@2</td><td>@3</td></tr></tbody></table></div></div></div></div></div>",
        3,
    )


def nested_frames(words: Words) -> Marked:
    return _marked(
        words,
        "<iframe srcdoc=\"&lt;p&gt;Chat&lt;/p&gt;\" title='Chat'></iframe><div class='aem-Grid'><div class='responsivegrid aem-GridColumn'><div class='container'><div class='cmp-container'><div class='text'><div class='cmp-text'><p>@1</p></div></div><div class='accordion panelcontainer'><div class='cmp-accordion'><div class='cmp-accordion__item'><h3 class='cmp-accordion__header'><button class='cmp-accordion__button'><span class='cmp-accordion__title'>Text of the fold</span></button></h3><div class='cmp-accordion__panel cmp-accordion__panel--hidden' role='region' aria-hidden='true'><p>@2</p></div></div></div></div></div></div></div></div>",
        2,
    )


def fonts(words: Words) -> Marked:
    a = words.head()
    part = _marked(
        words,
        f"<p align=center><font size=4 color=maroon><b>{a}</b></font></p><font size=2>@1<br><br>@2<p><center><table border=1 width=80%><tr><td><font size=2>@3</font></td></tr></table></center>",
        3,
    )
    part.keep.append(a)
    return part


def timeline(words: Words) -> Marked:
    return _marked(
        words,
        "<div class='timeline'><div class='timeline-item'><div class='timeline-date'>March 2026</div><div class='timeline-content'>@1</div></div><div class='timeline-item right'><time>April 2026</time><div class='timeline-content'>@2</div></div></div>",
        2,
    )


def print_only(words: Words) -> Marked:
    return _marked(
        words, "<div class='visible-print-block print-only'><p>@1</p></div><div class='noprint'><p>@2</p></div>", 2
    )


def pull_quote(words: Words) -> Marked:
    return _marked(
        words,
        "<blockquote class='pullquote'><p>@1</p></blockquote><figure class='quote'><blockquote>@2</blockquote><figcaption>Section 4 of the statute</figcaption></figure>",
        2,
    )


def summary_box(words: Words) -> Marked:
    head = words.head()
    return _marked(
        words,
        f"<div class='usa-summary-box' role='region' aria-labelledby='sb'><div class='usa-summary-box__body'><h3 class='usa-summary-box__heading' id='sb'>{head}</h3><div class='usa-summary-box__text'><ul class='usa-list'><li>@1</li><li>@2</li></ul></div></div></div>",
        2,
        headings=[(3, head)],
    )


def modal_text(words: Words) -> Marked:
    head = words.head()
    part = _marked(
        words,
        f"<p>@1 <a href='#m1' data-toggle='modal' data-target='#m1'>Read the exception</a></p><div class='modal fade' id='m1' tabindex='-1' role='dialog' aria-hidden='true'><div class='modal-dialog'><div class='modal-content'><div class='modal-header'><h4 class='modal-title'>{head}</h4></div><div class='modal-body'><p>@2</p></div><div class='modal-footer'><button data-dismiss='modal'>Close</button></div></div></div></div>",
        2,
    )
    part.keep.append(head)
    return part


def carousel(words: Words) -> Marked:
    return _marked(
        words,
        "<div class='carousel slide'><div class='carousel-inner'><div class='item active carousel-item'><p>@1</p></div><div class='item carousel-item'><p>@2</p></div></div><a class='carousel-control-prev' href='#c'><span class='sr-only'>Previous</span></a></div>",
        2,
    )


def form_text(words: Words) -> Marked:
    return _marked(
        words,
        "<form action='/calc'><fieldset><legend>@1</legend><p class='form-text help-block'>@2</p><label for='q'>Amount</label><input id='q'></fieldset></form>",
        2,
    )


def floated_columns(words: Words) -> Marked:
    return _marked(
        words,
        "<div class='row'><div class='col-md-4 side-column'><div class='well'><p>@1</p></div></div><div class='col-md-8'><p>@2</p></div></div><div class='footer-notes'><p>@3</p></div>",
        3,
    )


# Sealed


def portal(title: str, main: str) -> Shell:
    html = f"""<!DOCTYPE html><html><head><title>{title}</title></head><body><div id="zz-top"><ul class="topmenu">{items_of(_MENU)}</ul></div><div id="wrap"><div id="lhs"><ul>{items_of(_SIDE)}</ul></div><div id="mid"><h1>{title}</h1><div class="portlet-body"><div class="journal-content-article">{main}</div></div></div></div><div id="base">Example Portal, 77 Dock</div></body></html>"""
    return Shell(html, ("Public Meetings", "Docent Program"))


def service_site(title: str, main: str) -> Shell:
    html = f"""<!DOCTYPE html><html><head><title>{title} - EX.GOV</title></head><body class="govuk-template__body"><a href="#c" class="govuk-skip-link">Skip to the content</a><header class="govuk-header"><div class="govuk-header__content"><nav class="govuk-header__navigation"><ul>{items_of(_MENU)}</ul></nav></div></header><div class="govuk-width-container"><div class="govuk-phase-banner"><p>This new service needs your feedback</p></div><main class="govuk-main-wrapper" id="c"><div class="govuk-grid-row"><div class="govuk-grid-column-two-thirds"><h1 class="govuk-heading-l">{title}</h1>{main}</div><div class="govuk-grid-column-one-third"><aside class="app-related-items" role="complementary"><h2>Related pages here</h2><ul>{items_of(_SIDE)}</ul></aside></div></div></main></div><footer class="govuk-footer">Crown and Example</footer></body></html>"""
    return Shell(html, ("Skip to the content", "Public Meetings", "Lot Finder"))


def printed(title: str, main: str) -> Shell:
    html = f"""<html><head><title>Print: {title}</title></head><body onload="window.print()"><div class="print-logo">Example Commission</div><div class="print-site_name">Published on Example (https://example.gov)</div><h1 class="print-title">{title}</h1><div class="print-content">{main}</div><div class="print-footer"></div><hr class="print-hr"><div class="print-source_url"><strong>Source URL:</strong> https://example.gov/rules</div></body></html>"""
    return Shell(html, ())


def inset_text(words: Words) -> Marked:
    return _marked(
        words,
        "<div class='govuk-inset-text'>@1</div><div class='govuk-warning-text'><span class='govuk-warning-text__icon' aria-hidden='true'>!</span><strong class='govuk-warning-text__text'><span class='govuk-visually-hidden'>Warning</span>@2</strong></div>",
        2,
    )


def summary_list(words: Words) -> Marked:
    a, b = words.sentence(), words.sentence()
    part = _marked(
        words,
        f"<dl class='govuk-summary-list'><div class='govuk-summary-list__row'><dt class='govuk-summary-list__key'>{a}</dt><dd class='govuk-summary-list__value'>@1</dd><dd class='govuk-summary-list__actions'><a href='#'>Change</a></dd></div><div class='govuk-summary-list__row'><dt>{b}</dt><dd>@2</dd></div></dl>",
        2,
    )
    part.keep += [a, b]
    return part


def margin_notes(words: Words) -> Marked:
    return _marked(
        words,
        "<div class='provision'><div class='margin-note aside'>@1</div><div class='provision-text'><p>@2</p></div></div>",
        2,
    )


def step_by_step(words: Words) -> Marked:
    a, b = words.head(), words.head()
    part = _marked(
        words,
        f"<div class='gem-c-step-nav'><ol class='gem-c-step-nav__steps'><li class='gem-c-step-nav__step'><div class='gem-c-step-nav__header'><h2 class='gem-c-step-nav__title'><span class='gem-c-step-nav__circle'>1</span>{a}</h2></div><div class='gem-c-step-nav__panel js-hidden'><p>@1</p></div></li><li><h2>{b}</h2><div class='gem-c-step-nav__panel js-hidden'><p>@2</p></div></li></ol></div>",
        2,
    )
    part.keep += [a, b]
    return part


def flip_cards(words: Words) -> Marked:
    return _marked(
        words,
        "<div class='flip-card'><div class='flip-card-inner'><div class='flip-card-front'>@1</div><div class='flip-card-back' aria-hidden='true'>@2</div></div></div>",
        2,
    )


def key_dates(words: Words) -> Marked:
    return _marked(
        words,
        "<section class='widget key-dates'><h3>Dates of the rule</h3><ul><li><span class='date'>1 May</span> @1</li><li><span class='date'>2 June</span> @2</li></ul></section>",
        2,
    )


def sticky_notice(words: Words) -> Marked:
    return _marked(
        words,
        "<div class='sticky-note notice-box'><p>@1</p></div><p>@2</p><div class='box-shadow teaser-text'><p>@3</p></div>",
        3,
    )


def popover_terms(words: Words) -> Marked:
    return _marked(
        words,
        "<p>@1 <button popovertarget='po1' class='term'>escrow item</button></p><div popover id='po1'><p>@2</p></div>",
        2,
    )


def tree_of_rules(words: Words) -> Marked:
    return _marked(
        words,
        "<ul role='tree'><li role='treeitem' aria-expanded='true'><span>Part A of the tree</span><ul role='group'><li role='treeitem'>@1</li><li role='treeitem'>@2</li></ul></li></ul>",
        2,
    )


def side_by_side(words: Words) -> Marked:
    return _marked(
        words,
        "<table class='two-col' role='presentation'><tr><td class='left-nav-col' valign='top'>@1</td><td class='main-col'><p>@2</p></td></tr></table>",
        2,
    )


DEVELOPMENT_SHELLS: tuple[Callable[[str, str], Shell], ...] = (
    sharepoint, experience_manager, lightning, confluence, old_center, uswds,
)  # fmt: skip
SEALED_SHELLS: tuple[Callable[[str, str], Shell], ...] = (portal, service_site, printed)
DEVELOPMENT: tuple[Callable[[Words], Marked], ...] = (
    card_grid, sidebar_of_law, related_rule_box, alerts, process_list, stepper, details_list, faq_of_definitions,
    tab_panels, contents_of_page, list_of_chapters, comparison, definition_cards, confluence_panels, collection,
    nested_webparts, nested_frames, fonts, timeline, print_only, pull_quote, summary_box, modal_text, carousel,
    form_text, floated_columns,
)  # fmt: skip
SEALED: tuple[Callable[[Words], Marked], ...] = (
    inset_text, summary_list, margin_notes, step_by_step, flip_cards, key_dates, sticky_notice, popover_terms,
    tree_of_rules, side_by_side,
)  # fmt: skip
