"""What systems put around a page: banners, menus, breadcrumbs, side bars, share bars, dialogs, footers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class Shell(NamedTuple):
    """A page in its surroundings, and the phrases of these."""

    html: str
    boilerplate: tuple[str, ...]


_TOPICS = (
    "Housing Counseling", "Loan Servicing", "Fair Lending", "Rulemaking Docket", "Enforcement Actions", "Press Room",
    "Grant Programs", "Careers Portal", "Forms Library", "Field Offices", "Open Data", "Licensee Lookup",
)  # fmt: skip


def _links(names: Sequence[str], classes: str = "", item: str = "li") -> str:
    return "".join(
        f'<{item}><a class="{classes}" href="/{name.lower().replace(" ", "-")}">{name}</a></{item}>' for name in names
    )


def drupal_uswds(title: str, main: str) -> Shell:
    html = f"""<!DOCTYPE html><html lang="en" dir="ltr"><head><meta charset="utf-8"><meta name="Generator" content="Drupal 10">
<title>{title} | Bureau of Example Finance</title><script src="/core/misc/drupal.js"></script></head>
<body class="path-node"><a href="#main-content" class="usa-skipnav">Skip to main content</a>
<section class="usa-banner" aria-label="Official website of the United States government"><div class="usa-accordion">
<header class="usa-banner__header"><p class="usa-banner__header-text">An official website of the United States government</p>
<button class="usa-accordion__button usa-banner__button" aria-expanded="false" aria-controls="gov-banner">Here’s how you know</button></header>
<div class="usa-banner__content usa-accordion__content" id="gov-banner" hidden><p><strong>Official websites use .gov</strong><br>A .gov website belongs to an official government organization.</p></div></div></section>
<header class="usa-header usa-header--extended" role="banner"><div class="usa-navbar"><div class="usa-logo"><a href="/">Bureau of Example Finance</a></div></div>
<nav class="usa-nav"><ul class="usa-nav__primary usa-accordion">{_links(_TOPICS[:8], "usa-nav__link")}</ul>
<form class="usa-search" role="search"><input type="search" name="q"><button>Search the bureau</button></form></nav></header>
<div class="region region-breadcrumb"><nav class="usa-breadcrumb" aria-label="Breadcrumbs"><ol>{_links(("Home", "Policy Area Index"))}</ol></nav></div>
<main class="usa-section" id="main-content"><div class="grid-container"><div class="grid-row">
<aside class="usa-layout-docs__sidenav"><nav aria-label="Side navigation"><ul class="usa-sidenav">{_links(_TOPICS[8:], "usa-sidenav__link")}</ul></nav></aside>
<div class="usa-layout-docs__main"><div id="block-content" class="block block-system"><article class="node node--type-page">
<h1 class="page-title">{title}</h1><div class="field field--name-body">{main}</div></article></div>
<div class="block block-feedback"><h2>Was this page helpful?</h2><p>Tell us what you were looking for on this site.</p></div></div></div></div></main>
<footer class="usa-footer"><div class="usa-footer__return-to-top"><a href="#">Return to top</a></div>
<nav class="usa-footer__nav"><ul>{_links(("Privacy Program", "FOIA Requests", "No FEAR Act"))}</ul></nav>
<div class="usa-identifier"><p>Bureau of Example Finance, 1700 Example Street, Washington</p></div></footer></body></html>"""
    return Shell(
        html,
        (
            "Skip to main content", "An official website of the United States government", "Here's how you know",
            "Loan Servicing", "Search the bureau", "Field Offices", "Was this page helpful?", "Return to top",
            "No FEAR Act", "1700 Example Street",
        ),
    )  # fmt: skip


def wordpress(title: str, main: str) -> Shell:
    html = f"""<!DOCTYPE html><html lang="en-US"><head><meta charset="UTF-8"><meta name="generator" content="WordPress 6.4">
<title>{title} &#8211; State Office of Examples</title><script>window._wpemojiSettings={{}};</script></head>
<body class="page-template-default page wp-custom-logo"><div id="page" class="site"><a class="skip-link screen-reader-text" href="#content">Skip to content</a>
<header id="masthead" class="site-header"><p class="site-title"><a href="/">State Office of Examples</a></p><p class="site-description">Serving the residents of the state</p>
<nav id="site-navigation" class="main-navigation"><button class="menu-toggle">Primary Menu</button><ul id="primary-menu">{_links(_TOPICS[:7], "menu-item")}</ul></nav></header>
<div id="content" class="site-content"><div id="primary" class="content-area"><main id="main" class="site-main"><article id="post-12" class="post-12 page type-page">
<header class="entry-header"><h1 class="entry-title">{title}</h1></header><div class="entry-content">{main}
<div class="sharedaddy sd-sharing-enabled"><h3 class="sd-title">Share this:</h3><ul><li><a href="?share=facebook">Click to share on Facebook</a></li><li><a href="?share=x">Click to share on X</a></li></ul></div></div></article></main></div>
<aside id="secondary" class="widget-area"><section class="widget widget_recent_entries"><h2 class="widget-title">Recent Posts</h2><ul>{_links(("Office closed for the holiday", "Meet our new director", "Budget hearing next week"))}</ul></section>
<section class="widget widget_archive"><h2 class="widget-title">Archives</h2><ul>{_links(("October 2026", "September 2026"))}</ul></section></aside></div>
<footer id="colophon" class="site-footer"><div class="site-info">Proudly powered by WordPress. Theme: Statehouse.</div></footer></div>
<div id="cookie-notice" role="dialog" class="cookie-notice-hidden"><span id="cn-notice-text">We use cookies to ensure that we give you the best experience on our website.</span><button>Accept cookies</button></div></body></html>"""
    return Shell(
        html,
        (
            "Skip to content", "Serving the residents of the state", "Primary Menu", "Loan Servicing", "Share this:",
            "Click to share on Facebook", "Recent Posts", "Meet our new director", "Proudly powered by WordPress",
            "Accept cookies",
        ),
    )  # fmt: skip


def sharepoint(title: str, main: str) -> Shell:
    html = f"""<!DOCTYPE html><html xmlns:o="urn:schemas-microsoft-com:office:office" lang="en-us"><head><meta name="GENERATOR" content="Microsoft SharePoint">
<title>{title}</title><script src="/_layouts/15/init.js"></script></head><body>
<form method="post" action="./page.aspx" id="aspnetForm"><input type="hidden" name="__VIEWSTATE" value="{"/wEPDwUKLTI" * 40}">
<div id="s4-workspace"><div id="s4-bodyContainer"><div id="ms-accessibility-skip"><a href="#mainContent">Skip to page content</a></div>
<div id="s4-titlerow"><div class="ms-siteicon-container"><a href="/">Department of Example Insurance</a></div>
<div class="ms-core-navigation ms-dialogHidden"><div id="DeltaTopNavigation"><ul class="root static">{_links(_TOPICS[:9], "static menu-item ms-core-listMenu-item")}</ul></div></div>
<div id="DeltaPlaceHolderSearchArea"><div class="ms-srch-sb"><input type="text" value="Search..."><a title="Search"></a></div></div></div>
<div class="ms-breadcrumb-box"><span class="ms-breadcrumb-dropdownBox">{_links(("Department Home", "Consumer Section"), item="span")}</span></div>
<div id="contentRow"><div id="sideNavBox" class="ms-dialogHidden ms-forceWrap ms-noList"><div class="ms-core-sideNavBox"><ul class="root static">{_links(_TOPICS[9:], "static menu-item")}</ul></div></div>
<div id="contentBox"><div id="DeltaPlaceHolderMain"><a id="mainContent"></a><div class="article article-body"><div class="article-header"><h1 class="ms-rteElement-H1">{title}</h1></div>
<div class="article-content"><div id="ctl00_PlaceHolderMain_Content" class="ms-rtestate-field">{main}</div></div></div></div></div></div>
<div id="footerRow" class="site-footer"><div class="footer-links">{_links(("Site Policies", "Accessibility Statement", "Site Map"), item="span")}</div><div>© Department of Example Insurance. All rights reserved.</div></div></div></div></form></body></html>"""
    return Shell(
        html,
        (
            "Skip to page content", "Loan Servicing", "Consumer Section", "Forms Library", "Open Data", "Site Policies",
            "Accessibility Statement", "All rights reserved",
        ),
    )  # fmt: skip


def old_table(title: str, main: str) -> Shell:
    html = f"""<html><head><title>{title}</title></head><body bgcolor="#FFFFFF"><table width="760" border="0" cellpadding="0" cellspacing="0" align="center">
<tr><td colspan="3" bgcolor="#003366"><a href="/"><img src="/banner.gif" alt="State Banking Board banner" border="0"></a></td></tr>
<tr><td colspan="3"><font size="1">{" | ".join(f'<a href="/{n}.htm">{name}</a>' for n, name in enumerate(_TOPICS[:6]))}</font></td></tr>
<tr><td width="140" valign="top" bgcolor="#CCCCCC"><font size="2"><b>Quick Links</b><br>{"<br>".join(f'<a href="/l{n}.htm">{name}</a>' for n, name in enumerate(_TOPICS[6:]))}</font></td>
<td width="10">&nbsp;</td><td valign="top"><font face="Arial"><h1>{title}</h1>{main}</font></td></tr>
<tr><td colspan="3" align="center"><hr><font size="1"><a href="/">Board Home</a> | <a href="/contact.htm">Contact Webmaster</a> | <a href="/privacy.htm">Privacy and Disclaimer</a><br>Best viewed at 800 by 600</font></td></tr></table></body></html>"""
    return Shell(
        html, ("Quick Links", "Loan Servicing", "Careers Portal", "Contact Webmaster", "Best viewed at 800 by 600")
    )


def adobe_em(title: str, main: str) -> Shell:
    html = f"""<!DOCTYPE html><html lang="en"><head><meta charset="UTF-8"><title>{title}</title><meta name="template" content="content-page">
<link rel="stylesheet" href="/etc.clientlibs/site/clientlibs/clientlib-base.css"></head><body class="page basicpage">
<div class="root responsivegrid"><div class="aem-Grid aem-Grid--12"><div class="experiencefragment aem-GridColumn"><div class="cmp-experiencefragment cmp-experiencefragment--header">
<div class="globalnav"><div class="cmp-navigation"><ul class="cmp-navigation__group">{_links(_TOPICS[:8], "cmp-navigation__item-link")}</ul></div>
<div class="cmp-search"><input class="cmp-search__input" placeholder="Search"><span>Popular searches</span></div>
<div class="cmp-languagenavigation">{_links(("Español", "中文", "Tiếng Việt"), item="span")}</div></div></div></div>
<div class="breadcrumb aem-GridColumn"><nav class="cmp-breadcrumb"><ol>{_links(("Agency Home", "Topics A to Z"))}</ol></nav></div>
<div class="responsivegrid aem-GridColumn"><div class="title"><div class="cmp-title"><h1 class="cmp-title__text">{title}</h1></div></div>
<div class="text"><div class="cmp-text">{main}</div></div></div>
<div class="sharing aem-GridColumn"><div class="cmp-sharing"><span>Share this page</span><a href="mailto:?">Email this page to a colleague</a></div></div>
<div class="experiencefragment aem-GridColumn"><div class="cmp-experiencefragment cmp-experiencefragment--footer"><div class="footer-columns">{_links(("Transparency Report", "Web Policies", "Plain Writing"), item="div")}</div><p>Follow the agency on social media</p></div></div></div></div></body></html>"""
    return Shell(
        html,
        (
            "Loan Servicing", "Popular searches", "Tiếng Việt", "Topics A to Z", "Share this page",
            "Email this page to a colleague", "Plain Writing", "Follow the agency on social media",
        ),
    )  # fmt: skip


def wagtail(title: str, main: str) -> Shell:
    html = f"""<!doctype html><html class="no-js" lang="en"><head><meta charset="utf-8"><title>{title} - Example Regulator</title></head>
<body class="template-standardpage"><a class="u-skip" href="#main">Skip to the content of this page</a><div class="o-banner"><p>Beta: this is a new service, your feedback will help us to improve it.</p></div>
<div class="o-header"><div class="o-header__logo"><a href="/">Example Regulator</a></div><div class="o-mega-menu"><div class="o-mega-menu_content"><ul>{_links(_TOPICS[:8], "o-mega-menu_content-link")}</ul></div></div>
<div class="m-global-search"><label>Search terms</label><input type="text"></div></div>
<div class="wrapper content__wrapper"><div class="breadcrumbs"><a href="/">Start</a> / <a href="/guidance">All guidance</a></div>
<main id="main" class="content content--2-1"><div class="content_main"><div class="block block__flush-top"><h1>{title}</h1></div><div class="rich-text">{main}</div></div>
<aside class="content_sidebar"><div class="m-related-links"><h2>Related links from elsewhere</h2><ul>{_links(_TOPICS[8:])}</ul></div><div class="o-email-signup"><h2>Stay informed</h2><p>Subscribe to our email newsletter. We will update you on new blogs.</p><input type="email"><button>Sign up now</button></div></aside></main></div>
<div class="o-footer"><ul>{_links(("Ombudsman Office", "Inspector General", "Small Entities"))}</ul><p>The regulator is an independent body.</p><a href="#top">Back to top of page</a></div></body></html>"""
    return Shell(
        html,
        (
            "Skip to the content of this page", "Loan Servicing", "Search terms", "All guidance",
            "Related links from elsewhere", "Subscribe to our email newsletter", "Ombudsman Office",
            "Back to top of page",
        ),
    )  # fmt: skip


def confluence(title: str, main: str) -> Shell:
    html = f"""<!DOCTYPE html><html><head><title>{title} - Seller Guide - Examples Wiki</title><meta charset="UTF-8"></head><body id="com-atlassian-confluence" class="theme-default">
<ul id="assistive-skip-links" class="assistive"><li><a href="#title-heading">Skip to main title</a></li></ul><div id="page"><div id="full-height-container">
<div id="header-precursor"><div class="cell"><p>This instance is refreshed every Sunday.</p></div></div><header id="header" role="banner"><nav class="aui-header"><ul class="aui-nav">{_links(_TOPICS[:6])}</ul><form class="aui-quicksearch"><input placeholder="Search"></form><a id="login-link" href="/login.action">Log in to the wiki</a></nav></header>
<div class="ia-splitter"><div class="ia-fixed-sidebar"><div class="acs-side-bar"><div class="ia-secondary-content"><h5>Page tree</h5><ul class="plugin_pagetree_children_list">{_links(_TOPICS[6:])}</ul></div></div></div>
<div id="main" class="aui-page-panel"><div id="main-header"><div id="navigation" class="content-navigation"><ul class="ajs-menu-bar"><li><a href="/edit">Page history</a></li><li><a href="/x">Resolved comments</a></li></ul></div>
<div id="breadcrumb-section"><ol id="breadcrumbs">{_links(("Pages", "Seller Guide Home"))}</ol></div><h1 id="title-heading" class="pagetitle"><span id="title-text"><a href="/display/SG/x">{title}</a></span></h1></div>
<div id="content" class="page view"><div class="page-metadata"><ul><li class="page-metadata-modification-info">Created by <a href="/u">Pat Example</a>, last modified on Mar 03, 2026</li></ul></div>
<div id="main-content" class="wiki-content">{main}</div><div id="likes-and-labels-container"><div id="likes-section">Be the first to like this</div><div id="labels-section">No labels</div></div>
<div id="comments-section"><h2 class="section-title">1 Comment</h2><ol class="comment-threads"><li class="comment-thread"><p>Thanks, this was what I needed.</p></li></ol></div></div></div></div>
<div id="footer" role="contentinfo"><p>Powered by Atlassian Confluence 8.5</p><p>Report a bug</p></div></div></div></body></html>"""
    return Shell(
        html,
        (
            "Skip to main title", "Log in to the wiki", "Page tree", "Loan Servicing", "Page history",
            "Resolved comments", "Be the first to like this", "Powered by Atlassian Confluence", "Report a bug",
        ),
    )  # fmt: skip


def salesforce(title: str, main: str) -> Shell:
    html = f"""<!DOCTYPE html><html lang="en"><head><title>{title}</title><script src="/sfsites/l/app.js"></script></head><body>
<div class="siteforceContentArea"><div class="slds-template__container"><div class="cHeaderPanel"><div class="themeHeader"><div class="logo"><a href="/s/">Examples Help Center</a></div>
<div class="comm-navigation"><ul class="slds-list_horizontal">{_links(_TOPICS[:7], "comm-navigation__item")}</ul></div><div class="forceSearch"><input placeholder="Search articles"></div><div class="userProfileMenu"><a href="/s/login">Member Login</a></div></div></div>
<div class="cCenterPanel"><div class="forceCommunityBreadcrumbs"><ul class="slds-breadcrumb">{_links(("Help Home", "Knowledge Base"))}</ul></div>
<div class="slds-col contentRegion"><div class="forceKnowledgeArticle"><div class="article-head"><h1 class="slds-page-header__title">{title}</h1></div><div class="slds-rich-text-editor__output uiOutputRichText"><div class="content">{main}</div></div></div>
<div class="cKnowledgeVote"><p>Did this article solve your problem?</p><button>Yes</button><button>No</button></div>
<div class="relatedArticles"><h3>Trending Articles</h3><ul>{_links(_TOPICS[7:])}</ul></div></div></div>
<div class="cFooterPanel"><div class="footerLinks">{_links(("Terms of Use", "Cookie Settings"), item="span")}</div><p>© Examples Corporation</p></div></div></div>
<div class="slds-modal" role="dialog" aria-label="Log in" hidden><h2>Log in to continue to the Help Center</h2><form><input name="u"><input type="password"></form></div></body></html>"""
    return Shell(
        html,
        (
            "Loan Servicing", "Member Login", "Knowledge Base", "Did this article solve your problem?",
            "Trending Articles", "Cookie Settings", "Log in to continue to the Help Center",
        ),
    )  # fmt: skip


def div_soup(title: str, main: str) -> Shell:
    html = f"""<!DOCTYPE html><html><head><title>Town of Example, {title}</title></head><body><div id="wrap"><div id="topbar"><div class="inner"><span>Call 311 for city services</span><span class="translate">Select Language</span></div></div>
<div id="hdr"><div class="inner"><a href="/"><img src="/seal.png" alt="Seal"></a><div id="megamenu"><div class="mm-col">{_links(_TOPICS[:4], item="div")}</div><div class="mm-col">{_links(_TOPICS[4:9], item="div")}</div></div></div></div>
<div id="bc">{_links(("Your Government", "Departments List"), item="span")}</div><div id="cols"><div id="left-col"><div class="lnav">{_links(_TOPICS[9:], item="div")}</div></div>
<div id="center-col"><div class="pg"><h1>{title}</h1>{main}</div></div>
<div id="right-col"><div class="box"><h3>Contact Us Box</h3><p>Town Hall, 1 Main Street</p></div><div class="box"><h3>Upcoming Events</h3>{_links(("Farmers market", "Leaf collection"), item="div")}</div></div></div>
<div id="ftr"><div>Website by MunicipalWeb</div><div>{_links(("Site Map Index", "Employee Intranet"), item="span")}</div></div></div></body></html>"""
    return Shell(
        html,
        (
            "Call 311 for city services", "Select Language", "Loan Servicing", "Departments List", "Open Data",
            "Upcoming Events", "Website by MunicipalWeb", "Employee Intranet",
        ),
    )  # fmt: skip


def bare(title: str, main: str) -> Shell:
    return Shell(
        f"<!DOCTYPE html><html><head><title>{title}</title></head><body><h1>{title}</h1>{main}</body></html>", ()
    )


DEVELOPMENT: tuple[Callable[[str, str], Shell], ...] = (drupal_uswds, wordpress, sharepoint, old_table, adobe_em, bare)
SEALED: tuple[Callable[[str, str], Shell], ...] = (wagtail, confluence, salesforce, div_soup, bare)
