"""Pages of agencies in the layouts of twelve more systems, each with its own folds, boxes and marks, all labelled.

The markup is our own, in the form of those systems. Six systems are for development, six sealed; no part stands in both
halves.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from benchmarks.templates.shells import Shell
from benchmarks.templates.structure import URL, Part, Words

if TYPE_CHECKING:
    from collections.abc import Callable

_MENU = ("Departments Directory", "Boards and Commissions", "Bids and Proposals", "Agendas Archive", "Pay a Citation")
_SIDE = ("Ombudsman Office", "Records Retention", "Parcel Viewer", "Volunteer Desk")


@dataclass
class Marked(Part):
    """``states``: lines with the state of a box. ``notes``: text, label and note, each to lead to the other."""

    states: list[str] = field(default_factory=list)
    notes: list[tuple[str, str, str]] = field(default_factory=list)


def items_of(names: tuple[str, ...], pattern: str = "<li><a href='/{slug}'>{name}</a></li>") -> str:
    return "".join(pattern.format(slug=name.lower().replace(" ", "-"), name=name) for name in names)


# For development: Sitecore (SXA), Plone, CivicPlus, DNN, Squarespace, Concrete


def sitecore(title: str, main: str) -> Shell:
    html = f"""<!DOCTYPE html><html lang=en><head><title>{title} | Department of Examples</title><script src="/-/media/Base Themes/Core Libraries/Scripts/optimized-min.js"></script></head>
<body class="default-device bodyclass"><div id="wrapper"><header><div id="header" class="container-fluid"><div class="row"><div class="component container header-container col-12"><div class="component-content"><div class="component navigation navigation-title col-12"><div class="component-content"><nav><ul class="clearfix">{items_of(_MENU)}</ul></nav></div></div>
<div class="component search-box"><div class="component-content"><input type="text" class="search-box-input" placeholder="Type to search the department"><button class="search-box-button">Search</button></div></div></div></div></div></div></header>
<main><div id="content" class="container"><div class="row"><div class="component breadcrumb col-12"><div class="component-content"><nav><ol><li class="breadcrumb-item home"><div class="field-navigationtitle"><a href="/">Home</a></div><span class="separator">&gt;</span></li><li class="breadcrumb-item"><div class="field-navigationtitle"><a href="/x">Guidance Shelf</a></div></li></ol></nav></div></div>
<div class="component title col-12"><div class="component-content"><h1 class="field-title">{title}</h1></div></div>
<div class="component row-splitter"><div class="container-fluid"><div class="row"><div class="component rich-text col-9"><div class="component-content">{main}</div></div>
<div class="component link-list col-3"><div class="component-content"><h3>Quick links</h3><ul>{items_of(_SIDE)}</ul></div></div></div></div></div>
<div class="component sxa-share"><div class="component-content"><span>Share this page with friends</span><a href="https://x.com/share">X</a> <a href="https://facebook.com/sharer">Facebook</a></div></div></div></div></main>
<footer><div id="footer" class="container-fluid"><div class="component plain-html"><div class="component-content">Department of Examples, 44 Capitol Mall</div></div></div></footer></div></body></html>"""
    return Shell(html, ("Boards and Commissions", "Records Retention", "Share this page with friends", "44 Capitol Mall", "Guidance Shelf"))  # fmt: skip


def plone(title: str, main: str) -> Shell:
    html = f"""<!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml" lang="en"><head><title>{title} — County of Example</title><meta name="generator" content="Plone - https://plone.org/"></head>
<body id="visual-portal-wrapper" class="col-content col-one frontend icons-on portaltype-document section-rules site-county template-document_view"><div class="outer-wrapper"><header id="content-header"><div class="container pt-3"><header id="portal-top"><p class="hiddenStructure"><a accesskey="2" href="#content">Skip to content</a></p>
<a id="portal-logo" title="County of Example" href="/"><img alt="County of Example seal" src="/++resource++plone-logo.svg"></a><div id="portal-searchbox"><form id="searchGadget_form"><label class="hiddenStructure">Search Site</label><input type="search" name="SearchableText"><label><input type="checkbox"> only in current section</label></form></div></header></div>
<div id="mainnavigation-wrapper"><nav id="mainnavigation"><ul class="navbar-nav" id="portal-globalnav">{items_of(_MENU, "<li class='nav-item'><a class='nav-link' href='/{slug}'>{name}</a></li>")}</ul></nav></div></header>
<div id="above-content-wrapper"><section id="viewlet-above-content"><nav id="portal-breadcrumbs" aria-label="breadcrumb"><ol class="breadcrumb"><li class="breadcrumb-item"><a href="/">Home</a></li><li class="breadcrumb-item"><a href="/g">Guidance Shelf</a></li></ol></nav></section></div>
<div class="container"><div class="row"><main id="main-container" class="col-md-9" role="main"><section id="portal-column-content"><article id="content"><header><h1>{title}</h1><section id="viewlet-above-content-title"><span class="documentPublished"><span>published</span> Mar 12, 2026</span>, <span class="documentModified"><span>last modified</span> Oct 02, 2026 11:04 AM</span></section></header>
<div id="content-core"><section id="section-text"><div id="parent-fieldname-text">{main}</div></section></div><footer><div id="viewlet-below-content"><div class="keywords">Filed under: <a class="badge" href="/@@search?Subject=x">Rules tag cloud</a></div></div></footer></article></section></main>
<aside id="portal-column-one" class="col-md-3"><div class="portletWrapper"><div class="card portlet portletNavigationTree"><div class="card-header"><a href="/sitemap">Navigation</a></div><nav class="card-body"><ul class="list-group">{items_of(_SIDE)}</ul></nav></div></div></aside></div></div>
<footer id="portal-footer-wrapper"><div id="portal-footer"><div id="portal-colophon"><a href="https://plone.com">Powered by Plone &amp; Python</a></div><p>County of Example, 9 Courthouse Row</p></div></footer></div></body></html>"""
    return Shell(html, ("Skip to content", "Boards and Commissions", "Parcel Viewer", "9 Courthouse Row", "Rules tag cloud", "only in current section", "Powered by Plone"))  # fmt: skip


def civicplus(title: str, main: str) -> Shell:
    html = f"""<!DOCTYPE html><html lang="en"><head><title>{title} | Example Heights, OH</title></head><body class="wide multiColorMenu"><div id="divToolbars" class="cpToolbars cpToolbarsPublic"><div id="cpToolbar" class="cpToolbar"><div class="alertToolbar"><a href="/AlertCenter.aspx">View most recent alert Leaf pickup moved</a></div></div></div>
<div id="bodyWrapper"><header class="siteHeader"><a href="#contentarea" class="skipToContentLink">Skip to Main Content</a><form action="/Search"><input id="searchField" placeholder="Search Example Heights"></form><nav class="mainNavWrap"><ol class="topMenu">{items_of(_MENU, "<li class='topMenuItem'><a class='navMainItem' href='/{slug}'>{name}</a></li>")}</ol></nav></header>
<div class="siteMain"><div class="bodyContent"><div class="siteSidebar"><ul class="mainNavItem">{items_of(_SIDE)}</ul></div><main class="content" id="contentarea"><div class="contentMain"><ol class="breadCrumbs" aria-label="You Are Here"><li><a href="/">Home</a></li><li><a href="/27">Guidance Shelf</a></li></ol>
<h1 id="versionHeadLine" class="headline">{title}</h1><div id="moduleContent"><div id="page" class="moduleContentNew"><div class="row nogutter"><div class="col col12"><div class="cpGrid"><div class="widget editor pageStyles narrow"><div class="widgetBody"><div class="fr-view">{main}</div></div></div></div></div></div></div></div></div>
<aside class="sidebar"><div class="widget contactWidget"><h2 class="widgetTitle">Contact Us</h2><ol class="widgetBody"><li><h3>Jordan Ames</h3><p>Clerk of Council</p><p>Phone: 555-010-0146</p></li></ol></div><div class="widget quickLinks"><h2 class="widgetTitle">Quick Links</h2><ul><li><a href="/q1">Snow route lookup</a></li><li><a href="/q2">Garage sale permit</a></li></ul><p><a href="/QuickLinks.aspx">View All</a></p></div></aside></main></div></div>
<footer><div class="siteFooter"><p>Example Heights City Hall, 310 Elm</p><p><a href="https://www.civicplus.com">Government Websites by CivicPlus®</a></p></div></footer></div><div class="socialToolbar"><ul><li>Share this page</li><li><a href="https://facebook.com/sharer">Facebook</a></li></ul></div></body></html>"""
    return Shell(html, ("Leaf pickup moved", "Boards and Commissions", "Volunteer Desk", "Snow route lookup", "310 Elm", "Government Websites by CivicPlus", "Skip to Main Content"))  # fmt: skip


def dnn(title: str, main: str) -> Shell:
    html = f"""<!DOCTYPE html><html lang="en-US"><head id="Head"><title>{title}</title></head><body id="Body"><form method="post" action="/rules/lending" id="Form" enctype="multipart/form-data"><div class="aspNetHidden"><input type="hidden" name="__VIEWSTATE" value="aGVsbG8="></div>
<div id="siteWrapper"><div id="userControls"><div id="login"><a id="dnn_dnnLogin_enhancedLoginLink" href="/Login?returnurl=%2f">Login</a> <a id="dnn_dnnUser" href="/Register">Register an account</a></div></div><div id="siteHeadouter"><nav class="navbar"><div id="navdttg"><ul class="nav navbar-nav">{items_of(_MENU)}</ul></div></nav></div>
<div id="contentWrapper"><div class="container"><div id="breadcrumb"><span>You are here:</span> <span id="dnn_dnnBREADCRUMB_lblBreadCrumb"><a href="/g" class="SkinObject">Guidance Shelf</a> &gt; <a href="/r" class="SkinObject">Rules</a></span></div><h1>{title}</h1>
<div class="row"><div id="dnn_leftPane" class="col-md-3"><div class="DnnModule DnnModule-DDRMenu"><div class="sideNav"><ul>{items_of(_SIDE)}</ul></div></div></div>
<div id="dnn_contentPane" class="col-md-9"><div class="DnnModule DnnModule-DNN_HTML DnnModule-438"><a name="438"></a><div class="DNNContainer_noTitle"><div id="dnn_ctr438_ContentPane"><div id="dnn_ctr438_ModuleContent" class="DNNModuleContent ModDNNHTMLC"><div id="dnn_ctr438_HtmlModule_lblContent" class="Normal">{main}</div></div></div></div></div></div></div></div></div>
<div id="footer"><span id="dnn_dnnCopyright_lblCopyright">Copyright 2026 by Example Water District</span> | <a id="dnn_dnnTerms_hypTerms" href="/terms">Terms Of Use</a> | <a id="dnn_dnnPrivacy_hypPrivacy" href="/privacy">Privacy Statement</a></div></div></form></body></html>"""
    return Shell(html, ("Register an account", "Boards and Commissions", "Ombudsman Office", "Copyright 2026 by Example Water District", "Privacy Statement"))  # fmt: skip


def squarespace(title: str, main: str) -> Shell:
    html = f"""<!doctype html><html lang="en-US"><head><title>{title} — Example Housing Trust</title></head><body id="collection-1" class="primary-button-style-solid tweak-global-animations-enabled"><div id="siteWrapper" class="clearfix site-wrapper"><header data-test="header" id="header" class="white header theme-col--primary"><div class="header-announcement-bar-wrapper"><a href="#page" class="header-skip-link">Skip to Content</a></div><div class="header-inner container--fluid"><div class="header-title"><a href="/">Example Housing Trust</a></div>
<nav class="header-nav-list">{items_of(_MENU, "<div class='header-nav-item header-nav-item--collection'><a href='/{slug}'>{name}</a></div>")}</nav><div class="header-actions"><a class="btn" href="/donate">Donate to the trust</a></div></div></header>
<main id="page" class="container" role="main"><article class="sections" id="sections" data-page-sections="1"><section data-test="page-section" class="page-section full-bleed-section"><div class="content-wrapper"><div class="content"><div class="sqs-layout sqs-grid-12 columns-12"><div class="row sqs-row"><div class="col sqs-col-12"><div class="sqs-block html-block sqs-block-html"><div class="sqs-block-content"><div class="sqs-html-content"><h1 style="white-space:pre-wrap;">{title}</h1>{main}</div></div></div></div></div></div></div></div></section></article></main>
<footer class="sections" id="footer-sections"><section class="page-section"><div class="sqs-block newsletter-block"><div class="newsletter-form-wrapper"><form class="newsletter-form"><header class="newsletter-form-header"><h2>Subscribe to trust news</h2><div><p>Sign up with your email address to receive news and updates.</p></div></header><input type="email" placeholder="Email Address"><button>Sign Up</button></form></div></div><div class="sqs-block"><p>Example Housing Trust, 12 Harbor Walk</p><ul>{items_of(_SIDE)}</ul></div></section></footer></div></body></html>"""
    return Shell(html, ("Skip to Content", "Boards and Commissions", "Donate to the trust", "Subscribe to trust news", "12 Harbor Walk", "Parcel Viewer"))  # fmt: skip


def concrete(title: str, main: str) -> Shell:
    html = f"""<!DOCTYPE html><html lang="en"><head><title>Example Port Authority :: {title}</title><meta name="generator" content="Concrete CMS"></head><body><div class="ccm-page ccm-page-id-211 page-type-page page-template-right-sidebar"><header><div class="container"><div class="ccm-block-top-navigation-bar-wrapper"><div class="navbar navbar-light ccm-block-top-navigation-bar"><a class="navbar-brand" href="/">Example Port Authority</a><ul class="navbar-nav">{items_of(_MENU, "<li class='nav-item'><a class='nav-link' href='/{slug}'>{name}</a></li>")}</ul></div></div></div></header>
<div class="ccm-block-hero-image"><div class="ccm-block-hero-image-text"><h1>{title}</h1></div></div><main><div class="container"><div class="row"><div class="col-sm-8 col-content">{main}</div><div class="col-sm-3 col-sidebar"><div class="ccm-block-page-list-wrapper"><div class="ccm-block-page-list-header"><h5>Related pages</h5></div><div class="ccm-block-page-list-pages">{items_of(_SIDE, "<div class='ccm-block-page-list-page-entry'><div class='ccm-block-page-list-title'><a href='/{slug}'>{name}</a></div></div>")}</div></div><div class="ccm-block-tags-wrapper"><a href="/tag"><span class="ccm-block-tags-tag label">harbor dues tag</span></a></div></div></div></div></main>
<footer id="footer-theme"><section><div class="container"><p>Example Port Authority, Pier 5</p></div></section></footer><footer id="concrete5-brand"><span>Built with <a href="https://www.concretecms.com">Concrete CMS</a>.</span></footer></div></body></html>"""
    return Shell(html, ("Boards and Commissions", "Volunteer Desk", "harbor dues tag", "Example Port Authority, Pier 5", "Built with Concrete CMS"))  # fmt: skip


def _fold(words: Words, before: str, item: str, after: str, level: int | None = None) -> Marked:
    rows = [(words.number(), words.head(), words.text(2)) for _ in range(3)]
    html = before + "".join(item.format(n=n, head=head, text=text) for n, head, text in rows) + after
    keep = [text for *_, text in rows] + ([] if level else [head for _, head, _ in rows])
    return Marked(html, keep, headings=[(level, head) for _, head, _ in rows] if level else [])


def sxa_accordion(words: Words) -> Marked:
    item = "<li class='item'><div class='toggle-header' tabindex='0'><div><div class='row'><div class='component content'><div class='component-content'><h3 class='field-heading'>{head}</h3></div></div></div></div></div><div class='toggle-content' style='display: none;'><div class='row'><div class='component content'><div class='component-content'><div class='field-content'><p>{text}</p></div></div></div></div></div></li>"
    return _fold(words, "<div class='component accordion'><div class='component-content'><div><ul class='items'>", item, "</ul></div></div></div>", 3)  # fmt: skip


def squarespace_accordion(words: Words) -> Marked:
    item = "<li class='accordion-item'><h4 aria-level='3' role='heading' class='accordion-item__title-wrapper'><button class='accordion-item__click-target' aria-expanded='false' aria-controls='dropdown-{n}' id='button-{n}'><span class='accordion-item__title'>{head}</span><div class='accordion-icon-container'><div class='plus'></div></div></button></h4><div class='accordion-item__dropdown' role='region' id='dropdown-{n}' aria-labelledby='button-{n}'><div class='accordion-item__description'><p>{text}</p></div></div></li>"
    return _fold(words, "<div class='sqs-block accordion-block'><ul class='accordion-items-container' data-should-allow-multiple-open-items=''>", item, "</ul></div>", 3)  # fmt: skip


def civic_tabs(words: Words) -> Marked:
    a, b, first, second = words.head(), words.head(), words.text(2), words.text(2)
    html = f"<div class='tabbedWidget tabbed cpTabPanels'><ol class='tabs' role='tablist'><li role='presentation'><a role='tab' href='#tab1' id='tl1' aria-selected='true'>{a}</a></li><li role='presentation'><a role='tab' href='#tab2' id='tl2' aria-selected='false'>{b}</a></li></ol><div id='tab1' class='cpTabPanel' role='tabpanel' aria-labelledby='tl1'><p>{first}</p></div><div id='tab2' class='cpTabPanel hidden' role='tabpanel' aria-labelledby='tl2' style='display:none'><p>{second}</p></div></div>"
    return Marked(html, [first, second, a, b])


def overlay_of_plone(words: Words) -> Marked:
    name, text, head = f"Summary {words.number()}", words.text(3), words.head()
    html = f"<p>{words.sentence()} <a class='pat-plone-modal' href='#modal-s' data-pat-plone-modal='content: #modal-s'>{name}</a></p><div id='modal-s' class='plone-modal-wrapper' style='display:none' role='dialog' aria-hidden='true'><div class='plone-modal-dialog'><div class='plone-modal-header'><h2 class='plone-modal-title'>{head}</h2><a class='plone-modal-close'>×</a></div><div class='plone-modal-body'><p>{text}</p></div></div></div>"
    return Marked(html, [name, text, head])


def ticked_items(words: Words) -> Marked:
    rows = [(f"Document {words.number()}", state) for state in (True, False, True)]
    items = "".join(
        f"<li><span role='checkbox' aria-checked='{str(state).lower()}' aria-readonly='true' class='chk'></span> {name}</li>"
        for name, state in rows
    )
    return Marked(
        f"<ul class='checklist'>{items}</ul>", states=[f"{'☑' if state else '☐'} {name}" for name, state in rows]
    )


def radio_group(words: Words) -> Marked:
    one, two = f"Fixed rate {words.number()}", f"Adjustable rate {words.number()}"
    html = f"<div role='radiogroup' aria-label='Kind of loan'><div role='radio' aria-checked='false' aria-disabled='true' tabindex='-1'><span class='dot'></span>{one}</div><div role='radio' aria-checked='true' aria-disabled='true' tabindex='0'><span class='dot'></span>{two}</div></div>"
    return Marked(html, states=[f"☐ {one}", f"☑ {two}"])


def symbols_in_cells(words: Words) -> Marked:
    a, b = f"Note {words.number()}", f"Deed {words.number()}"
    html = f"<table class='table'><thead><tr><th>Paper</th><th>Original required</th></tr></thead><tbody><tr><td>{a}</td><td><i class='fa fa-check' role='img' aria-label='Yes'></i></td></tr><tr><td>{b}</td><td><span class='glyphicon glyphicon-remove' aria-label='No' role='img'></span></td></tr></tbody></table>"
    return Marked(html, cells=[(a, "Yes"), (b, "No"), ("Original required", "No")])


def starred_notes(words: Words) -> Marked:
    one, two, a, b = words.sentence(), words.sentence(), words.sentence(), words.sentence()
    html = f"<p>{one}<sup><a href='#n-a' id='r-a'>*</a></sup> {two}<sup><a href='#n-b' id='r-b'>**</a></sup></p><p id='n-a'><a href='#r-a'>*</a> {a}</p><p id='n-b'><a href='#r-b'>**</a> {b}</p>"
    return Marked(html, [one, two, a, b], notes=[(one, "*", a), (two, "**", b)])


def several_meanings(words: Words) -> Marked:
    a, b, one, two = f"Creditor {words.number()}", f"Lender {words.number()}", words.sentence(), words.sentence()
    html = f"<dl class='definition-list'><dt><dfn>{a}</dfn></dt><dt><dfn>{b}</dfn></dt><dd><p>{one}</p></dd><dd><ul><li>{two}</li></ul></dd></dl>"
    return Marked(html, [a, b, one, two])


def spanned_rows(words: Words) -> Marked:
    a, b, c, d, e = (str(words.number()) for _ in range(5))
    html = f"<table border='1' cellpadding='1'><tbody><tr><td><strong>County {a}</strong></td><td><strong>Family size</strong></td><td><strong>Limit</strong></td></tr><tr><td rowspan='2'>Adams {a}</td><td>1 to 2</td><td>{b},100</td></tr><tr><td>3 or more</td><td>{c},200</td></tr><tr><td colspan='2'>All others {a}</td><td>{d},300</td></tr><tr><td colspan='3'>Limits rise each January {e}.</td></tr></tbody></table>"
    return Marked(html, [f"Limits rise each January {e}."], cells=[(f"Adams {a}", f"{b},100"), (f"Adams {a}", f"{c},200"), (f"All others {a}", f"{d},300"), ("Limit", f"{c},200")])  # fmt: skip


# Sealed: Umbraco, TYPO3, Granicus (Vision), OpenCities, Google Sites, Ghost


def umbraco(title: str, main: str) -> Shell:
    html = f"""<!DOCTYPE html><html lang="en-gb"><head><title>{title} - Example Borough Council</title></head><body class="frontpage theme-font-standard"><div class="mobile-nav"><nav class="nav-bar"><ul class="navigation">{items_of(_MENU)}</ul></nav></div><header class="header"><div class="logo"><a href="/">Example Borough Council</a></div><form class="site-search" action="/search"><input name="q" aria-label="Search the council"></form></header>
<section class="section section--breadcrumb"><ul class="breadcrumb"><li><a href="/">Home</a></li><li><a href="/g">Guidance Shelf</a></li></ul></section><main id="main"><section class="section"><div class="container"><div class="col-md-9"><article><h1>{title}</h1><div class="umb-block-grid" style="--umb-block-grid--grid-columns: 12;"><div class="umb-block-grid__layout-container"><div class="umb-block-grid__layout-item" data-content-element-type-alias="richTextBlock">{main}</div></div></div></article></div><div class="col-md-3"><nav class="nav-secondary"><h3>In this section</h3><ul>{items_of(_SIDE)}</ul></nav></div></div></section></main>
<footer class="section--themed footer"><p>Example Borough Council, Guildhall Lane</p><a href="https://x.com">Follow the council on X</a></footer></body></html>"""
    return Shell(html, ("Boards and Commissions", "Ombudsman Office", "Guildhall Lane", "Follow the council on X", "Guidance Shelf"))  # fmt: skip


def typo3(title: str, main: str) -> Shell:
    html = f"""<!DOCTYPE html><html dir="ltr" lang="en-US"><head><title>{title} - Example Ministry</title><meta name="generator" content="TYPO3 CMS"></head><body id="p77" class="page-77 pagelevel-3 layout-default"><div id="top"></div><div class="body-bg"><a class="visually-hidden-focusable" href="#page-content"><span>Skip to main content</span></a><header id="page-header" class="bp-page-header navbar navbar-mainnavigation"><nav id="mainnavigation" class="collapse navbar-collapse"><ul class="navbar-nav">{items_of(_MENU, "<li class='nav-item'><a class='nav-link nav-link-main' href='/{slug}'><span class='nav-link-text'>{name}</span></a></li>")}</ul></nav></header>
<nav class="breadcrumb-section" aria-label="Breadcrumb"><div class="container"><ol class="breadcrumb"><li class="breadcrumb-item"><a href="/">Home</a></li><li class="breadcrumb-item"><a href="/g">Guidance Shelf</a></li></ol></div></nav><main id="page-content" class="bp-page-content main-section"><div class="section section-default"><div class="container"><div class="section-row"><div class="section-column subnav-wrap"><nav class="frame frame-type-menu_subpages"><ul class="subnav-nav">{items_of(_SIDE)}</ul></nav></div><div class="section-column maincontent-wrap">
<div id="c311" class="frame frame-default frame-type-header frame-layout-default"><div class="frame-group-container"><div class="frame-group-inner"><div class="frame-container"><div class="frame-inner"><div class="frame-header"><h1 class="element-header"><span>{title}</span></h1></div></div></div></div></div></div><div id="c312" class="frame frame-default frame-type-text"><div class="frame-group-container"><div class="frame-inner">{main}</div></div></div></div></div></div></div></main>
<footer id="page-footer" class="bp-page-footer"><section class="section footer-section"><div class="frame frame-type-text"><h4>Contact the ministry</h4><p>Example Ministry, Lindenallee 3</p></div></section><section class="footer-section-meta"><div class="footer-copyright"><p>Running with TYPO3 and Bootstrap Package.</p></div></section></footer><a class="scroll-top" title="Scroll to top" href="#top"><span>Scroll to top</span></a></div></body></html>"""
    return Shell(html, ("Skip to main content", "Boards and Commissions", "Parcel Viewer", "Lindenallee 3", "Running with TYPO3", "Scroll to top"))  # fmt: skip


def granicus(title: str, main: str) -> Shell:
    html = f"""<!DOCTYPE html><html lang="en"><head><title>{title} | Town of Example</title></head><body class="inside_page"><div id="skip_container"><a id="skip" href="#content">Skip to page body</a> <a href="/home">Home</a></div><div id="wrapper"><div id="header_wrapper"><div class="top_links">{items_of(_MENU[:2], "<a href='/{slug}'>{name}</a>")}</div><div id="primary_nav_container"><ul id="nav">{items_of(_MENU)}</ul></div></div>
<div id="content_wrapper"><div id="content_container"><div id="breadcrumbs"><ul><li><a href="/">Home</a></li><li><a href="/g">Guidance Shelf</a></li></ul></div><div class="page_functions"><a title="Decrease text size">-</a> Text size <a title="Increase text size">+</a> <a href="#print">Print this page</a></div><div class="two_column"><div id="left_column"><div class="side_nav"><ul class="side_nav_list">{items_of(_SIDE)}</ul></div></div><div id="content" class="content_area full clearfix"><h1 id="PageTitle">{title}</h1><div class="row outer wide"><div class="col col12 first last id_x"><div class="page_widget content_widget"><div class="post clearfix"><div class="free_form_content">{main}</div></div></div></div></div></div></div></div></div>
<div id="footer_wrapper"><div class="footer"><p>Town of Example, 1 Common Street</p><ul><li><a href="/copyright">Copyright notices</a></li><li>Powered by Granicus</li></ul></div></div></div></body></html>"""
    return Shell(html, ("Skip to page body", "Boards and Commissions", "Records Retention", "Print this page", "1 Common Street", "Powered by Granicus"))  # fmt: skip


def opencities(title: str, main: str) -> Shell:
    html = f"""<!DOCTYPE html><html lang="en-US"><head><title>{title} City of Example</title></head><body class="oc-body"><form method="post" action="./" id="form1"><div class="oc-page site"><header class="site-header"><a class="skip-to-content" href="#main-content">Skip to main content</a><nav class="main-nav-container"><ul class="main-nav">{items_of(_MENU)}</ul></nav></header>
<main id="main-content" tabindex="-1" class="main-container"><ul class="breadcrumbs-list"><li><a href="/Home">Home</a></li><li><a href="/g">Guidance Shelf</a></li></ul><h1 class="oc-page-title">{title}</h1><div class="grid"><div class="col-xs-12 col-m-8 body-content">{main}<div class="page-feedback"><div class="page-feedback-question"><h2>Was this page useful to residents?</h2><label>Yes</label><label>No</label></div></div></div><div class="col-xs-12 col-m-4"><div class="sidebar-content"><div class="list-container"><h2>On this topic</h2><ul>{items_of(_SIDE)}</ul></div></div></div></div></main>
<footer class="footer-container"><div class="footer-contact"><p>City of Example, 77 Depot Plaza</p></div><div class="back-to-top"><a href="#">Back to top</a></div></footer></div></form></body></html>"""
    return Shell(html, ("Skip to main content", "Boards and Commissions", "Volunteer Desk", "Was this page useful to residents", "77 Depot Plaza", "Back to top"))  # fmt: skip


def google_sites(title: str, main: str) -> Shell:
    html = f"""<!DOCTYPE html><html lang="en-US"><head><title>Example Fire District - {title}</title></head><body dir="ltr" class="yxgWrb KbEvHd" id="yDmH0d"><div jscontroller="pc62j"><div jscontroller="X4BaPc"><div jsname="gYwusb" class="p9b27" role="banner"><div class="fktJzd AKpWA fOU46b"><div class="Q2L9pe"><a class="GAuSPc" href="/home"><span>Example Fire District</span></a></div><nav class="plFg0c"><ul class="jYxBte">{items_of(_MENU, "<li class='VsJjtf'><div class='PsKE7e'><a class='aJHbb' href='/{slug}'>{name}</a></div></li>")}</ul></nav></div></div>
<div class="QZ3zWd"><div class="UtePc RCETm SBrW1" role="main"><section class="yaqOZd lQAHbd"><div class="IFuOkc"></div><div class="mYVXT"><div class="LS81yb VICjCf"><div class="hJDwNd-AhqUyc-uQSCkd"><div class="jXK9ad D2fZ2"><div class="oKdM2c"><div class="GV3q8e"><h1 class="zfr3Q duRjpb CDt4Ke"><span class="C9DxTc">{title}</span></h1></div></div></div></div></div></div></section>
<section class="yaqOZd"><div class="mYVXT"><div class="LS81yb"><div class="hJDwNd-AhqUyc-OwsYgb"><div class="jXK9ad"><div class="oKdM2c"><div class="tyJCtd mGzaTb baZpAe">{main}</div></div></div></div></div></div></section></div></div>
<footer jsname="yePe5c"><section class="yaqOZd"><div class="mYVXT"><p class="zfr3Q">Example Fire District, Station 2</p><ul>{items_of(_SIDE)}</ul></div></section></footer><div class="dZA9kd"><span>Report abuse</span></div><div class="Xpil1b">Page details</div></div></div></body></html>"""
    return Shell(html, ("Boards and Commissions", "Parcel Viewer", "Example Fire District, Station 2", "Report abuse"))  # fmt: skip


def ghost(title: str, main: str) -> Shell:
    html = f"""<!DOCTYPE html><html lang="en"><head><title>{title}</title><meta name="generator" content="Ghost 5.130"></head><body class="page-template has-sans-title has-sans-body is-head-left-logo"><div class="viewport"><header id="gh-head" class="gh-head outer is-header-hidden"><div class="gh-head-inner inner"><a class="gh-head-logo no-image" href="/">Example Ethics Panel</a><nav class="gh-head-menu"><ul class="nav">{items_of(_MENU)}</ul></nav><div class="gh-head-actions"><a class="gh-head-link" href="#/portal/signin">Sign in</a> <a class="gh-head-button" href="#/portal/signup">Subscribe to the panel</a></div></div></header>
<div class="site-content"><main id="site-main" class="site-main"><article class="article post page"><header class="article-header gh-canvas"><h1 class="article-title">{title}</h1><div class="article-byline"><section class="article-byline-content"><h4 class="author-name"><a href="/author/kim/">Kim Ortega</a></h4><span class="byline-meta-content"><time>Oct 2, 2026</time> <span>5 min read</span></span></section></div></header><section class="gh-content gh-canvas">{main}</section></article><section class="article-comments gh-canvas"><h3>Member discussion</h3></section></main></div>
<aside class="read-more-wrap outer"><div class="read-more inner">{items_of(_SIDE, "<article class='post-card'><a href='/{slug}'><h2 class='post-card-title'>{name}</h2></a></article>")}</div></aside><footer class="site-footer outer"><div class="inner"><section class="copyright">Example Ethics Panel © 2026</section><div class="gh-powered-by"><a href="https://ghost.org">Powered by Ghost</a></div></div></footer></div></body></html>"""
    return Shell(html, ("Boards and Commissions", "Records Retention", "Subscribe to the panel", "5 min read", "Powered by Ghost", "Member discussion"))  # fmt: skip


def ghost_toggle(words: Words) -> Marked:
    item = "<div class='kg-card kg-toggle-card' data-kg-toggle-state='close'><div class='kg-toggle-heading'><h4 class='kg-toggle-heading-text'><span>{head}</span></h4><button class='kg-toggle-card-icon' aria-label='Expand toggle to read content'><svg viewBox='0 0 24 24'><path d='M23'></path></svg></button></div><div class='kg-toggle-content'><p>{text}</p></div></div>"
    return _fold(words, "", item, "", 4)


def opencities_accordion(words: Words) -> Marked:
    item = "<div class='accordion-list-item-container'><h2 class='accordion-title'><button type='button' class='item-header' aria-expanded='false' aria-controls='ac{n}'>{head}</button></h2><div id='ac{n}' class='accordion-list-item-content minimised' aria-hidden='true' style='display:none'><p>{text}</p></div></div>"
    return _fold(words, "<div class='accordion-list-container'>", item, "</div>", 2)


def google_collapse(words: Words) -> Marked:
    item = "<div class='oKdM2c CUIuqe'><div class='Rn3Z1b'><div role='button' tabindex='0' aria-expanded='false' aria-controls='h.{n}' class='KjIBtd'><h3 class='zfr3Q OmQG5e'><span class='C9DxTc'>{head}</span></h3></div><div class='GNzUNc pQmZ9c' id='h.{n}' style='display: none'><p class='zfr3Q'><span class='C9DxTc'>{text}</span></p></div></div></div>"
    return _fold(words, "", item, "", 3)


def typo3_tabs(words: Words) -> Marked:
    a, b, first, second = words.head(), words.head(), words.text(2), words.text(2)
    html = f"<ul class='nav nav-tabs' role='tablist'><li class='nav-item' role='presentation'><button class='nav-link active' data-bs-toggle='tab' data-bs-target='#tb1' role='tab' aria-controls='tb1'>{a}</button></li><li class='nav-item' role='presentation'><button class='nav-link' data-bs-toggle='tab' data-bs-target='#tb2' role='tab' aria-controls='tb2'>{b}</button></li></ul><div class='tab-content'><div class='tab-pane fade active show' id='tb1' role='tabpanel'><p>{first}</p></div><div class='tab-pane fade' id='tb2' role='tabpanel'><p>{second}</p></div></div>"
    return Marked(html, [first, second, a, b])


def umbraco_dialog(words: Words) -> Marked:
    name, text = f"Opinion {words.number()}", words.text(3)
    html = f"<p>{words.sentence()} <a href='#' role='button' aria-haspopup='dialog' aria-controls='dlg{name[8:]}'>{name}</a></p><div class='umb-dialog overlay is-hidden' id='dlg{name[8:]}' role='dialog' aria-modal='true' aria-hidden='true' hidden><div class='umb-dialog__body'><p>{text}</p></div><button class='umb-dialog__close'>Close</button></div>"
    return Marked(html, [name, text])


def ticked_rows(words: Words) -> Marked:
    a, b = f"Escrow account {words.number()}", f"Balloon payment {words.number()}"
    html = f"<table><thead><tr><th>Feature</th><th>Permitted</th></tr></thead><tbody><tr><td>{a}</td><td><div role='checkbox' aria-checked='true' aria-disabled='true' aria-label='Permitted'></div></td></tr><tr><td>{b}</td><td><div role='checkbox' aria-checked='false' aria-disabled='true' aria-label='Permitted'></div></td></tr></tbody></table>"
    return Marked(html, [a, b], cells=[(a, "☑"), (b, "☐")])


def switches(words: Words) -> Marked:
    one, two = f"Flood insurance {words.number()}", f"Mortgage insurance {words.number()}"
    html = f"<p><span role='switch' aria-checked='true' aria-readonly='true'>{one}</span></p><p><span role='switch' aria-checked='false' aria-readonly='true'>{two}</span></p>"
    return Marked(html, states=[f"☑ {one}", f"☐ {two}"])


def pictures_for_words(words: Words) -> Marked:
    a, b = f"Rider {words.number()}", f"Survey {words.number()}"
    html = f"<table class='contenttable'><tr><th>Paper</th><th>May be waived</th></tr><tr><td>{a}</td><td><svg role='img' aria-label='Yes' viewBox='0 0 9 9'><path d='M1'/></svg></td></tr><tr><td>{b}</td><td><svg role='img' viewBox='0 0 9 9'><title>No</title><path d='M1'/></svg></td></tr></table>"
    return Marked(html, cells=[(a, "Yes"), (b, "No"), ("May be waived", "No")])


def dagger_notes(words: Words) -> Marked:
    one, two, a, b = words.sentence(), words.sentence(), words.sentence(), words.sentence()
    html = f"<p>{one}<a href='#dn1' id='dr1' role='doc-noteref'>†</a> {two}<a href='#dn2' id='dr2' role='doc-noteref'>‡</a></p><section role='doc-endnotes'><ul style='list-style:none'><li id='dn1' role='doc-endnote'>† {a} <a href='#dr1' role='doc-backlink'>↩</a></li><li id='dn2' role='doc-endnote'>‡ {b} <a href='#dr2' role='doc-backlink'>↩</a></li></ul></section>"
    return Marked(html, [one, two, a, b], notes=[(one, "†", a), (two, "‡", b)])


def terms_in_sections(words: Words) -> Marked:
    pairs = [(f"Servicing {words.number()}", words.sentence(), words.sentence()) for _ in range(2)]
    html = "<dl class='dl-horizontal'>" + "".join(f"<dt id='t{a[10:]}'><a name='{a[10:]}'></a>{a}</dt><dd>{b}</dd><dd><em>{c}</em></dd>" for a, b, c in pairs) + "</dl>"  # fmt: skip
    return Marked(html, [text for one in pairs for text in one])


def rows_of_groups(words: Words) -> Marked:
    a, b, c, d = (str(words.number()) for _ in range(4))
    html = f"<table class='ce-table'><colgroup><col><col span='2'></colgroup><thead><tr><th rowspan='2' scope='col'>Class {a}</th><th colspan='2' scope='colgroup'>Charge {a}</th></tr><tr><th scope='col'>First year</th><th scope='col'>Renewal</th></tr></thead><tbody><tr><th colspan='3' scope='rowgroup'>Brokers {b}</th></tr><tr><th scope='row'>Main office {c}</th><td colspan='2'>{d}.00</td></tr><tr><th scope='row'>Branch {c}</th><td>{b}.50</td><td>{d}.50</td></tr></tbody></table>"
    return Marked(html, [f"Brokers {b}"], cells=[(f"Main office {c}", f"{d}.00"), (f"Branch {c}", f"{d}.50"), ("Renewal", f"{d}.50"), (f"Charge {a}", f"{b}.50")])  # fmt: skip


DEVELOPMENT_LAYOUTS: tuple[Callable[[str, str], Shell], ...] = (sitecore, plone, civicplus, dnn, squarespace, concrete)
SEALED_LAYOUTS: tuple[Callable[[str, str], Shell], ...] = (umbraco, typo3, granicus, opencities, google_sites, ghost)
DEVELOPMENT_PARTS: tuple[Callable[[Words], Marked], ...] = (
    sxa_accordion, squarespace_accordion, civic_tabs, overlay_of_plone, ticked_items, radio_group, symbols_in_cells,
    starred_notes, several_meanings, spanned_rows,
)  # fmt: skip
SEALED_PARTS: tuple[Callable[[Words], Marked], ...] = (
    ghost_toggle, opencities_accordion, google_collapse, typo3_tabs, umbraco_dialog, ticked_rows, switches,
    pictures_for_words, dagger_notes, terms_in_sections, rows_of_groups,
)  # fmt: skip
__all__ = ["DEVELOPMENT_LAYOUTS", "DEVELOPMENT_PARTS", "SEALED_LAYOUTS", "SEALED_PARTS", "URL", "Marked", "items_of"]
