"""Error pages, closed doors and shells as vendors and agencies serve them, and innocent pages beside them.

Written in the shape of each vendor's own page (its structure, ids and length), not copied. A row: the kind ("" for
content), title, main, and the names of the frames that it stands in; "whole" is a page that has no frame. Development
and sealed vendors differ, and so do their words. All rows were written before a rule was changed for any of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Page(NamedTuple):
    kind: str
    name: str
    html: str


def _links(*names: str) -> str:
    return "".join(f'<li><a href="/{name.lower().replace(" ", "-")}">{name}</a></li>' for name in names)


_TOPICS = _links(
    "Driver Services", "Vehicle Services", "Business Licensing", "Taxes", "Unemployment", "Child Support", "Hunting",
    "State Parks", "Job Openings", "Budget", "Meetings", "Newsroom",
)  # fmt: skip
_FOOT = _links("Accessibility", "Privacy", "Public Records", "Contact", "Sitemap", "Translate")
_OFFICES = "".join(
    f"<p>Region {n} office: {n}00 Capitol Street, open 8 to 5, telephone 555-01{n:02}</p>" for n in range(1, 9)
)
_POPULAR = _links(
    *(
        f"{what} {year}"
        for what in ("Tax tables", "Fee schedule", "Annual report", "Form W-4")
        for year in range(2021, 2027)
    )
)


def bare(title: str, main: str) -> str:
    return f"<!DOCTYPE html><html><head><title>{title}</title></head><body>{main}</body></html>"


def drupal(title: str, main: str) -> str:
    return bare(
        f"{title} | Department of Commerce",
        f"""<a class="visually-hidden skip-link" href="#main-content">Skip to main content</a>
<div class="dialog-off-canvas-main-canvas"><header role="banner"><div class="region region-header"><div class="site-branding"><a href="/">Department of Commerce</a></div></div>
<nav role="navigation" class="menu--main"><ul class="menu">{_TOPICS}</ul></nav></header><main role="main"><a id="main-content"></a>
<div class="layout-content"><div class="region region-content"><div class="block block-page-title-block"><h1 class="page-title">{title}</h1></div>
<div class="block block-system-main-block"><div class="content">{main}</div></div></div></div></main><footer><div class="region region-footer"><ul>{_FOOT}</ul><p>1535 West Jefferson Street. Monday to Friday, 8 a.m. to 5 p.m.</p></div></footer></div>""",
    )


def wordpress(title: str, main: str) -> str:
    return bare(
        f"{title} &#8211; Board of Nursing",
        f"""<div id="page" class="site"><header id="masthead" class="site-header"><p class="site-title"><a href="/">Board of Nursing</a></p><nav id="site-navigation"><ul>{_TOPICS}</ul></nav></header>
<div id="content" class="site-content"><main id="primary" class="site-main"><section class="no-results"><header class="page-header"><h1 class="page-title">{title}</h1></header><div class="page-content">{main}</div></section></main>
<aside id="secondary" class="widget-area"><section class="widget widget_meta"><h2 class="widget-title">Meta</h2><ul><li><a href="/wp-login.php">Log in</a></li><li><a href="/feed/">Entries feed</a></li></ul></section></aside></div>
<footer id="colophon"><div class="site-info">Proudly powered by WordPress</div></footer></div>""",
    )


def aspnet(title: str, main: str) -> str:
    return bare(
        title,
        f"""<form method="post" action="./Error.aspx" id="form1"><input type="hidden" name="__VIEWSTATE" value="{"dDwtMTA4" * 60}">
<div id="header"><table width="100%"><tr><td><a href="/Default.aspx">County Assessor</a></td><td align="right"><a href="/Login.aspx">Log On</a></td></tr></table><div id="ctl00_Menu1">{_TOPICS}</div></div>
<div id="ctl00_ContentPlaceHolder1"><h2>{title}</h2>{main}</div><div id="footer"><ul>{_FOOT}</ul>Version 4.2.1. Copyright County Assessor.</div></form>""",
    )


def state(title: str, main: str) -> str:
    return bare(
        f"{title} - State of Example",
        f"""<div class="alertbar">Official State of Example website</div><div class="global-header"><div class="branding"><a href="/">Example.gov</a></div><div class="nav"><ul>{_TOPICS}</ul></div></div>
<div class="section"><div class="main-primary"><h1>{title}</h1>{main}</div><div class="sidebar"><h3>Most visited</h3><ul>{_POPULAR}</ul></div></div><div class="global-footer"><h2>Offices</h2>{_OFFICES}<ul>{_FOOT}</ul></div>""",
    )


def sharepoint(title: str, main: str) -> str:
    return bare(
        title,
        f"""<form id="aspnetForm" action="/_layouts/15/error.aspx"><div id="s4-workspace"><div id="s4-titlerow"><a href="/">Insurance Division</a><ul class="root static">{_TOPICS}</ul><a id="ctl00_login" href="/_layouts/15/Authenticate.aspx">Sign In</a></div>
<div id="contentBox"><div id="DeltaPlaceHolderMain"><span class="ms-core-pageTitle">{title}</span><div class="ms-rtestate-field">{main}</div></div></div><div class="footer"><ul>{_FOOT}</ul></div></div></form>""",
    )


def liferay(title: str, main: str) -> str:
    return bare(
        f"{title} - Housing Authority",
        f"""<div id="wrapper"><header id="banner"><a class="logo" href="/web/guest">Housing Authority</a><nav id="navigation"><ul>{_TOPICS}</ul></nav></header><section id="content"><div class="columns-1" id="main-content"><div class="portlet-boundary"><section class="portlet"><div class="portlet-content"><h3 class="portlet-title-text">{title}</h3>{main}</div></section></div></div></section><footer id="footer">Powered by Liferay<ul>{_FOOT}</ul></footer></div>""",
    )


def municipal(title: str, main: str) -> str:
    return bare(
        f"{title} | City of Sample",
        f"""<div id="siteWrap"><div id="top"><a href="/">City of Sample</a><span>Sign In</span><span>Notify Me</span></div><div id="mainNav"><ul>{_TOPICS}</ul></div><div id="moduleContent"><div class="fr-view"><h1>{title}</h1>{main}</div></div>
<div id="rightWidgets"><h3>Quick Links</h3><ul>{_POPULAR}</ul></div><div id="footerWidgets"><h3>Contact Us</h3>{_OFFICES}<p>Government Websites by CivicPlus</p></div></div>""",
    )


def salesforce(title: str, main: str) -> str:
    return bare(
        title,
        f"""<div class="siteforceStarterBody"><div class="header"><a href="/s/">Licensing Help</a><ul class="navigation">{_TOPICS}</ul><a href="/s/login">Log In</a></div><div class="siteforceContentArea"><div class="ui-widget"><h1>{title}</h1>{main}</div></div><div class="footer"><ul>{_FOOT}</ul></div></div>""",
    )


_FORM = '<form action="{to}" method="post"><label>{name}</label><input type="text" name="u"><label>{secret}</label><input type="password" name="p"><input type="submit" value="{go}"></form>'


def _form(name: str, secret: str, go: str, to: str = "/session") -> str:
    return _FORM.format(name=name, secret=secret, go=go, to=to)


_WARNING = (
    "<p>This is a state government computer system. It is for authorized use only. Users have no expectation of privacy. Any or all uses of this "
    "system and all files on it may be intercepted, monitored, recorded, copied, audited, inspected and disclosed to authorized site, law "
    "enforcement and other personnel. By using this system the user consents to such interception and monitoring. Unauthorized or improper use may "
    "result in disciplinary action and civil and criminal penalties.</p>"
)
Row = tuple[str, str, str, tuple["Callable[[str, str], str]", ...]]
_D = (drupal, wordpress, aspnet, state)
_S = (sharepoint, liferay, municipal, salesforce)

DEVELOPMENT_WALLS: tuple[Row, ...] = (
    ("error", "Page not found", "The requested page could not be found.", (drupal, bare)),
    ("error", "Page not found", f"<p>The requested page \"/node/1213\" could not be found. Our site was redesigned in May, and many addresses have changed. These suggestions may help:</p><ul><li>Check the spelling of the address.</li><li>Use the search box at the top of each page.</li><li>Begin at the <a href='/'>home page</a>.</li></ul><h2>Popular pages</h2><ul>{_POPULAR}</ul><h2>Contact</h2><p>Call our information line at 555-0100, or write to webmaster@example.gov and tell us which page you were looking for, from which page you came and which browser you use. We answer within two business days.</p>", _D),
    ("error", "Oops! That page can&rsquo;t be found.", f"<p>It looks like nothing was found at this location. Maybe try one of the links below or a search?</p><form role='search'><input type='search'></form><h2>Recent Posts</h2><ul>{_TOPICS}</ul><h2>Most Used Categories</h2><ul>{_FOOT}</ul><h2>Archives</h2><p>Try looking in the monthly archives.</p>", (wordpress,)),
    ("error", "Error 404", f"<p>Whatever you were looking for was not found, but maybe the pages below have it. The address that you typed may be out of date: we moved all licensing pages to a system of their own in the spring, and renamed the sections on taxes, on hunting and on fishing. Bookmarks from before then no longer work. The old system is kept for records requests only and can not be searched from here. Please bear with us while search engines learn of the new addresses, which takes some weeks.</p><ul>{_POPULAR}</ul>", _D),
    ("error", "We couldn't find that page", "<p>You may have followed an old bookmark, or the page has been retired. Here are a few ways to get back on track.</p><div class='cards'><h3>Search</h3><p>Type a few words of what you want.</p><h3>Topics</h3><p>Browse everything from A to Z.</p><h3>Agencies</h3><p>Find an agency by its name.</p><h3>Help</h3><p>Chat with a person on weekdays.</p></div>", _D),
    ("error", "The website encountered an unexpected error. Please try again later.", "", (bare, drupal)),
    ("error", "Access denied", "You are not authorized to access this page.", (drupal, aspnet)),
    ("error", "Access denied", "<p>You are not authorized to access this page. Some pages are for staff of the department and for licensed lenders only. If you have an account, log in. If you have none and think that you should have one, write to the licensing unit with your licence number, the name of your company and the page that you need. Requests are answered on the next business day.</p>", (drupal, state)),
    ("maintenance", "Site under maintenance", "Department of Commerce is currently under maintenance. We should be back shortly. Thank you for your patience.", (drupal, bare)),
    ("maintenance", "Maintenance", "<p>Briefly unavailable for scheduled maintenance. Check back in a minute.</p>", (bare,)),
    ("error", "Server Error", "<h1>Server Error</h1><fieldset><h2>404 - File or directory not found.</h2><h3>The resource you are looking for might have been removed, had its name changed, or is temporarily unavailable.</h3></fieldset>", (bare,)),
    ("error", "Service Unavailable", "<h2>Service Unavailable</h2><hr><p>HTTP Error 503. The service is unavailable.</p>", (bare,)),
    ("error", "Error", "<p>An error has occurred while processing your request. The error was logged and the web team has been told. Please go back and try again. If it happens again, call the service desk at 555-0133 and give this number: 8f21-77ac.</p>", (aspnet, state)),
    ("error", "Application Error", "<p>We're sorry. The parcel viewer could not complete what you asked for.</p><p>Error ID: 20261104-1121</p>", (aspnet, bare)),
    ("error", "There has been a critical error on this website.", "<p>There has been a critical error on this website.</p><p><a href='https://wordpress.org/support/'>Learn more about troubleshooting WordPress.</a></p>", (bare,)),
    ("error", "File Not Found", f"<p>The file that you asked for is no longer on this server. Reports older than five years go to the State Archives, where you can ask for them by title and year.</p>{_OFFICES}", _D),
    ("error", "Runtime Error", "<h1>Server Error in '/' Application.<hr></h1><h2><i>Runtime Error</i></h2><b>Description: </b>An application error occurred on the server. The current custom error settings for this application prevent the details of the application error from being viewed remotely (for security reasons).<br><b>Details: </b>To enable the details of this specific error message to be viewable on remote machines, create a tag within a web.config file.", (bare,)),
    ("error", "Not Found", "<p>Not Found</p><p>HTTP Error 404. The requested resource is not found.</p>", (bare,)),
    ("login", "Log in", "<form id='user-login-form'><label>Username</label><input name='name'><div>Enter your Department username.</div><label>Password</label><input type='password' name='pass'><div>Enter the password that accompanies your username.</div><input type='submit' value='Log in'></form><ul><li><a href='/user/register'>Create new account</a></li><li><a href='/user/password'>Request new password</a></li></ul>", (drupal, aspnet)),
    ("login", "Access denied", f"<p>Sign in to see this page.</p>{_form('Username', 'Password', 'Sign in')}<p>New here? <a href='/register'>Register</a></p>", (drupal, state)),
    ("login", "Board of Nursing &lsaquo; Log In", f"<div id='login'><h1><a href='https://wordpress.org/'>Powered by WordPress</a></h1>{_form('Username or Email Address', 'Password', 'Log In', '/wp-login.php')}<p id='nav'><a href='/wp-login.php?action=lostpassword'>Lost your password?</a></p><p id='backtoblog'><a href='/'>&larr; Go to Board of Nursing</a></p></div>", (bare,)),
    ("login", "Protected: Board packet", "<p>This content is password protected. To view it please enter your password below:</p><form action='/wp-login.php?action=postpass'><input type='password' name='post_password'><input type='submit' value='Enter'></form>", (wordpress,)),
    ("login", "Department of Revenue - Sign In", "<div id='okta-login-container'><main class='auth-container'><h2>Sign In</h2><form><label for='okta-signin-username'>Username</label><input id='okta-signin-username' name='username'><label><input type='checkbox'>Remember me</label><input type='submit' value='Next'></form><a href='#'>Need help signing in?</a></main></div><footer>Powered by <a href='https://www.okta.com'>Okta</a></footer>", (bare,)),
    ("login", "Taxpayer Access", f"<h2>Welcome</h2><p>Manage your accounts, file returns and pay online. You can register for an account with a letter that we sent you.</p>{_form('Logon name', 'Password', 'Log On')}<p><a href='/f'>Forgot logon or password?</a></p><h3>Not registered?</h3><p>Individuals can make a payment, look up a refund, submit a power of attorney, and apply for a payment plan without a logon. Businesses can register with the Department, check a certificate, file a special fuel return and find out which forms they have to file each quarter.</p>{_WARNING}", (bare, aspnet)),
    ("login", "Log On", f"<p>Enter your user name and password.</p>{_form('User name', 'Password', 'Log On', '/Account/LogOn?ReturnUrl=%2fDocs')}{_WARNING * 2}", (aspnet,)),
    ("login", "Authorized users only", f"{_WARNING}{_form('ID', 'Password', 'OK')}", (bare, state)),
    ("login", "Sign in to continue", "<p>Use your agency e-mail address.</p><form><input type='email' name='loginfmt' placeholder='name@agency.gov'><input type='submit' value='Next'></form><a href='/cant'>Can't access your account?</a>", (bare, state)),
    ("shell", "eLicense", "<app-root><div class='spinner'>Loading...</div></app-root><script src='main.js'></script><script src='polyfills.js'></script>", (bare,)),
    ("shell", "Portal", "<div id='root'></div><noscript>You need to enable JavaScript to run this app.</noscript><script src='/static/js/main.js'></script>", (bare,)),
)  # fmt: skip

SEALED_WALLS: tuple[Row, ...] = (
    ("error", "Sorry, something went wrong", "<p>An unexpected error has occurred.</p><p>Technical Details</p><p>Troubleshoot issues with Microsoft SharePoint Foundation. Correlation ID: 2f9b529e-7b1c-50d2-ab0e-1. Date and Time: 11/4/2026 9:12:11 AM</p><a href='/'>Go back to site</a>", (sharepoint, bare)),
    ("error", "Page not found", f"<p>The page you're looking for doesn't exist. We rebuilt this site and sorted its pages by what people come for, rather than by division, so that links from other sites and from search engines may lead here for some time.</p><ul><li>Make sure that the address has no typing errors.</li><li>Look for a new place in the menu above.</li><li>Ask our librarian, who knows where each document went.</li></ul><h3>Often asked for</h3><ul>{_POPULAR}</ul>", _S),
    ("error", "404 Not Found", "<center><h1>404 Not Found</h1></center><hr><center>nginx/1.22.1</center>", (bare,)),
    ("error", "502 Bad Gateway", "<center><h1>502 Bad Gateway</h1></center><hr><center>nginx</center>", (bare,)),
    ("error", "Access Denied", "<h1>Access Denied</h1>You don't have permission to access \"http&#58;&#47;&#47;www&#46;example&#46;gov&#47;rules\" on this server.<p>Reference&#32;&#35;18&#46;2d351ab8&#46;1557333295&#46;a4e16ab</p>", (bare,)),
    ("error", "Error", "An error occurred while processing your request.<p>Reference&#32;&#35;97&#46;14f01202&#46;1699&#46;2b</p>", (bare,)),
    ("error", "Not Found", "<div class='alert alert-danger'><p>The requested resource could not be found.</p><p><code>http://www.example.gov/web/guest/x</code></p></div><a href='/'>Back</a>", (liferay,)),
    ("error", "Insufficient Privileges", "<p>You do not have the level of access necessary to perform the operation you requested. Please contact the owner of the record or your administrator if access is necessary.</p>", (salesforce, bare)),
    ("error", "Data Not Available", "<p>The data you were trying to access could not be found. It may be due to another user deleting the data or a system error. If you know the data is not deleted but cannot access it, please look at our support page.</p>", (salesforce, bare)),
    ("error", "Invalid Page", "<p>URL No Longer Exists. You have attempted to reach a URL that no longer exists on this community. You may have reached this page after clicking on a direct link into the application.</p>", (salesforce,)),
    ("maintenance", "Down For Maintenance", "<p>Sorry for the inconvenience. We'll be back shortly.</p>", (bare, salesforce)),
    ("error", "Page Not Found", f"<p>The page you have requested can't be displayed. It may have been deleted by the department that owned it, or the link that you used was wrong.</p><p>Visit the home page, choose a department on the left, or look through the list of our forms, which are updated each month. City Hall answers questions in person and by telephone on weekdays, and the library lends computers with which you can search our agendas and minutes as far back as 1994.</p>{_OFFICES}", (municipal, liferay)),
    ("error", "Error Occurred While Processing Request", "<p>The server encountered an internal error and was unable to complete your request.</p><p>Resources: Check the documentation to verify that you are using the correct syntax. Search the knowledge base.</p><p>Remote Address 10.1.1.9</p>", (bare, liferay)),
    ("error", "403 ERROR", "<h1>403 ERROR</h1><h2>The request could not be satisfied.</h2><hr>Request blocked. We can't connect to the server for this app or website at this time. There might be too much traffic or a configuration error. Try again later, or contact the app or website owner.<pre>Generated by cloudfront (CloudFront) Request ID: 3-Q==</pre>", (bare,)),
    ("error", "Document not found", "<p>The requested document was not found.</p><p>Requested URL: /rules/11</p><p>User Name: extranet\\Anonymous</p><p>Site Name: website</p><p>If the page you are trying to display exists, please check that an appropriate prefix has been added to the IncludePrefixes setting.</p>", (bare,)),
    ("error", "Sorry, that link is broken", "<p>Good news: what you want is probably still here. Bad news: it has another address now. Use the search box, or one of the buttons.</p><h2>Residents</h2><p>Pay a bill, report a pothole, reserve a park.</p><h2>Businesses</h2><p>Get a permit, bid on a contract, renew a licence.</p><h2>Visitors</h2><p>Events, parking and hotels.</p><h2>Government</h2><p>Council, agendas, budget and ordinances.</p>", (municipal, sharepoint)),
    ("error", "Whoops", "<p>Our server is having a bad day. Someone has been paged. Please come back in a while.</p><p>Incident 5531</p>", (bare, municipal)),
    ("error", "System Unavailable", "<p>The licensing system cannot be reached at the moment. Renewals that are due today will be taken tomorrow.</p>", (bare, salesforce)),
    ("error", "Unauthorized", "<p>401 - Unauthorized: Access is denied due to invalid credentials.</p><p>You do not have permission to view this directory or page using the credentials that you supplied.</p>", (bare,)),
    ("login", "Sign In", "<div id='authArea'><div id='loginMessage'>Sign in with your organizational account</div><form id='loginForm'><input name='UserName' type='email' placeholder='someone@example.com'><input name='Password' type='password'><span id='submitButton'>Sign in</span></form><div id='introduction'>Staff use the same name as for e-mail. Contractors add the prefix ext. Call 555-0188 for a reset.</div></div>", (bare,)),
    ("login", "Sign in to EXAMPLE", f"<h1 id='kc-page-title'>Sign in to your account</h1>{_form('Username or email', 'Password', 'Sign In')}<div id='kc-registration'>New user? <a href='/r'>Register</a></div>", (bare,)),
    ("login", "Login | Salesforce", f"{_form('Username', 'Password', 'Log In')}<a href='/f'>Forgot Your Password?</a><a href='/s'>Use Custom Domain</a><div id='marketing'><h2>Do more with your data</h2><p>Join us for three days of talks and trainings.</p></div>", (bare,)),
    ("login", "Select your organization", "<p>To continue to the records service, choose where you work.</p><select><option>County of A</option><option>County of B</option></select><button>Continue</button><p>Need help? Contact your own help desk first.</p>", (bare, liferay)),
    ("login", "CAS – Central Authentication Service", f"<h2>Enter your Username and Password</h2>{_form('Username:', 'Password:', 'LOGIN')}<div id='sidebar'><p>For security reasons, please log out and exit your web browser when you are done accessing services that require authentication!</p></div>", (bare,)),
    ("login", "Sign in", "<p>Sorry, this site hasn't been shared with you.</p>", (sharepoint, bare)),
    ("login", "Member Sign In", f"<p>The full text of bulletins is open to approved lenders.</p>{_form('Lender number', 'Access code', 'Enter')}<p>Not approved yet? Read how to apply, what it costs and how long it takes. Applications are reviewed each month by a committee, which meets on the second Tuesday. Approved lenders get a number by mail and choose an access code on the first visit. Training is held online twice each quarter and is free for the first three persons of a company.</p>", (municipal, salesforce)),
    ("login", "Welcome to e-Filing", f"<p>Attorneys and self-represented parties file documents, pay and get notices here.</p>{_form('E-mail', 'Password', 'Sign In')}<p>First time? <a href='/r'>Create an account</a>.</p>{_WARNING}<p>Technical support answers from 7 a.m. to 10 p.m. Central Time. Browsers: current Edge, Chrome and Firefox. Clear your cache after each update of the system.</p>", (bare, sharepoint)),
    ("login", "Your session has ended", "<p>You were away for more than 20 minutes. <a href='/start'>Start again</a></p>", (bare, salesforce)),
    ("login", "Sign in | Portal", "<h1>Sign in for existing users</h1><form><label>Email address</label><input type='email'><button>Continue</button></form><p><a href='/c'>Create an account</a></p><p><a href='/h'>Sign in with your government employee ID</a></p>", (bare,)),
    ("shell", "Rules portal", "<app-root></app-root><script src='runtime.js' type='module'></script><script src='main.js' type='module'></script>", (bare,)),
    ("shell", "Docket", "<div id='__next'><div>Please wait</div></div><script src='/_next/static/chunks/main.js'></script><script src='/_next/x.js'></script>", (bare,)),
)  # fmt: skip

# Written after the first development rows were all detected, from products that the sealed half has not.
WIDER_WALLS: tuple[Row, ...] = (
    ("error", "Error 404--Not Found", "<h2>Error 404--Not Found</h2><h3>From RFC 2068 <i>Hypertext Transfer Protocol -- HTTP/1.1</i>:</h3><h4>10.4.5 404 Not Found</h4><p>The server has not found anything matching the Request-URI. No indication is given of whether the condition is temporary or permanent.</p>", (bare,)),
    ("error", "HTTP Status 404 – Not Found", "<h1>HTTP Status 404 – Not Found</h1><hr><p><b>Type</b> Status Report</p><p><b>Message</b> The requested resource [/rules] is not available</p><p><b>Description</b> The origin server did not find a current representation for the target resource or is not willing to disclose that one exists.</p><hr><h3>Apache Tomcat/9.0.71</h3>", (bare,)),
    ("error", "Http Status Code: 404", "<p>Reason: Item Not Found Exception</p>", (bare,)),
    ("error", "Error", "<p>You are not authorized to access this component. (40,20)</p>", (bare, aspnet)),
    ("error", "500 Internal Server Error", "<h1>Internal Server Error</h1><p>The server encountered an internal error or misconfiguration and was unable to complete your request.</p><p>Please contact the server administrator at root@localhost to inform them of the time this error occurred.</p>", (bare,)),
    ("error", "Technical difficulties", "<p>The page that you requested is experiencing technical difficulties. Our engineers know of it.</p>", (bare, state, drupal)),
    ("error", "Record not found", "<p>The record does not exist, or you may not see it.</p>", (bare, aspnet, state)),
    ("error", "Request Rejected", "The requested URL was rejected. Please consult with your administrator.<br><br>Your support ID is: 1442211<br><br><a href='javascript:history.back();'>[Go Back]</a>", (bare,)),
    ("error", "Error", "<p>Request unsuccessful. Incident ID: 877000210122-4410</p>", (bare,)),
    ("error", "503 Service Unavailable", "<h1>503 Service Unavailable</h1>No server is available to handle this request.", (bare,)),
    ("error", "Document unavailable", "<p>The document you requested does not exist, or you do not have permission to view it. Documents are taken down once they are ten years old. To get a copy of an older one, send a request for public records with its number, its title and the year, and say whether you want it on paper.</p>", (state, wordpress, aspnet)),
    ("error", "Error (Not Found)!!1", "<p><b>404.</b> <ins>That’s an error.</ins></p><p>The requested URL was not found on this server. <ins>That’s all we know.</ins></p>", (bare,)),
    ("error", "Page cannot be found", "<p>You tried to open a page of our old website. It was closed on September 30.</p><p>Choose one of these to go on:</p><div><h3>Laws</h3><p>Statutes and rules by chapter.</p><h3>Licences</h3><p>Look up, renew, complain.</p><h3>About us</h3><p>People, history and reports.</p></div>", _D),
    ("error", "An unexpected error was encountered", "<p>Details have been sent to our support team. Session ID: a91b, tracking number 18.</p>", (bare, aspnet, state)),
    ("error", "Search error", "<p>The search service did not respond in time. Try again, or narrow your search.</p>", (drupal, aspnet)),
    ("error", "Unable to display page", "<p>A problem with the database kept this page from loading. Wait a minute and reload it.</p>", (wordpress, state)),
    ("maintenance", "We'll be right back", "<p>The site is getting an update. Come back in an hour.</p>", (bare, wordpress)),
    ("maintenance", "Scheduled downtime", "<p>Online services are down for scheduled work until Monday at 6 a.m. Renewals that end in this time stay valid for three more days.</p>", (bare, state)),
    ("login", "Records portal", f"<p>Guests can search by name. For images of documents, sign in.</p>{_form('User ID', 'Password', 'Sign in')}<p>Subscriptions cost $50 a month.</p>", (bare, aspnet)),
    ("login", "Please sign in", "<form><label>Username</label><input name='username'><button>Continue</button></form><p>Trouble? Call 555-0199.</p>", (bare, drupal, state)),
    ("login", "Session timeout", "<p>For your protection we signed you out, since nothing was done for 15 minutes.</p><a href='/'>Sign in again</a>", (bare, aspnet)),
    ("login", "Secure area", f"<p>Staff and vendors only.</p>{_form('Badge', 'PIN', 'Enter')}<p>Vendors: your badge number is on the purchase order. Staff: it is on the back of your card. The system closes at 9 p.m.</p>", (bare, state)),
    ("login", "Choose how to sign in", "<ul><li><a href='/1'>Agency card</a></li><li><a href='/2'>Phone app</a></li><li><a href='/3'>Text message</a></li></ul><p>First time here? Ask your administrator to invite you.</p>", (bare, state)),
    ("login", "Members only", "<p>This part of the site is for members of the association. Members: use the number on your card.</p><form><input name='userid'><button>Next</button></form>", (bare, wordpress)),
    ("login", "Log in with your account", f"<p>One account for taxes, benefits and licences.</p>{_form('E-mail', 'Password', 'Log in')}<h2>What is the state account?</h2><p>It is one user name and one password for forty services. Your data is protected by a second step. More than two million people have registered.</p><h2>Help</h2><p>Forgot your password? Locked out? Our help desk is open from 7 to 7.</p>", (bare, state)),
)  # fmt: skip

_PARAGRAPH = "<p>A mortgage broker files the report by March 31 for the year before. The report names each loan, its amount and its rate. Late reports cost $50 a day.</p>"
_BOX = f"<div class='box'><h3>Member login</h3>{_form('Name', 'Password', 'Go')}<a href='/f'>Forgot password?</a></div>"
DEVELOPMENT_INNOCENT: tuple[Row, ...] = (
    ("", "Annual reports", f"{_PARAGRAPH * 4}", _D),
    ("", "Annual reports", f"{_PARAGRAPH}{_BOX}", _D),
    ("", "How to log in to the taxpayer portal", "<ol><li>Open the portal and choose Log On.</li><li>Enter your user name and password.</li><li>Type the code from your phone.</li></ul><p>If you forgot your password, choose Forgot password and follow the link that we send.</p>", _D),
    ("", "Outages of the filing system in 2026", "<table><tr><th>Day</th><th>From</th><th>To</th></tr><tr><td>March 4</td><td>9:10</td><td>11:45</td></tr><tr><td>July 9</td><td>2:00</td><td>2:20</td></tr></table><p>Filings due on these days were accepted on the next business day.</p>", _D),
    ("", "Order to deny access to sealed file", "<p>Access to the sealed file is denied. The request may be made again once the trial is over.</p>", _D),
    ("", "Forms", f"<p>All forms are PDF files. If a form is not found here, it was withdrawn; call 555-0100.</p><ul>{_POPULAR}</ul>", _D),
    ("", "Report a broken link", "<p>Tell us the address of the page that was not found, and where you found the link to it.</p><form><input name='a'><textarea></textarea><button>Send</button></form>", _D),
    ("", "Payments unavailable on Sunday", "<p>The payment system is down for maintenance on Sunday from 1 to 5 a.m. Licences that expire that day may be renewed on Monday without a late fee.</p>", _D),
    ("", "Parking", "<p>Visitors park in garage B. Bring your ticket.</p>", _D),
    ("", "Error rates in benefit payments", "<p>The error rate for 2025 was 4.1 percent. Errors occurred most often in cases with earned income.</p>", _D),
    ("", "Moved: Office of Appeals", "<p>The Office of Appeals moved to 9 River Road on June 1. Hearings are held there.</p>", _D),
    ("", "Unauthorized practice of law", "<p>Complaints are reviewed by a committee of seven members, who meet each month.</p>", _D),
)  # fmt: skip
SEALED_INNOCENT: tuple[Row, ...] = (
    ("", "Licence fees", f"{_PARAGRAPH * 3}", _S),
    ("", "Licence fees", f"<p>Fees rise on July 1: brokers $220, appraisers $305. Renew before then to pay the fee of last year.</p>{_BOX}", _S),
    ("", "Creating a Login.gov account", "<p>Employees sign in with Login.gov from March on. Choose Create an account, confirm your e-mail address, and add a second way to prove who you are. Keep the backup codes.</p>", _S),
    ("", "Planned maintenance", "<p>Work on the register is planned for these days: May 3, August 9, November 8. The register can be read but not changed then.</p>", _S),
    ("", "Access to records denied: what next", "<p>Write to the ombudsman within 30 days. Attach the letter in which access was denied.</p>", _S),
    ("", "Missing persons", "<p>A person is missing when nobody has heard from them for 24 hours. Call the sheriff.</p>", _S),
    ("", "Tell us about a page", "<p>Did a page not load, or show an error? Write its address below, and what you saw.</p><form><input><button>Send</button></form>", _S),
    ("", "Closed on Monday", "<p>All offices are closed on Monday, October 12. Online services work as always.</p>", _S),
    ("", "Wi-Fi", "<p>Guests use the network Visitor. Ask the desk for the password.</p>", _S),
    ("", "Bad gateway bridge design", "<p>The Gateway Bridge fails to meet the load standard. Repairs begin in 2027.</p>", _S),
    ("", "Server training", "<p>Servers of alcohol take a course of three hours. The certificate expires after two years.</p>", _S),
    ("", "Sessions", "<p>The session of the legislature has ended. The next session begins on January 12.</p>", _S),
    ("", "Redirected calls", "<p>Calls to the closed offices are redirected to the office in Salem.</p>", _S),
)  # fmt: skip


def pages(rows: tuple[Row, ...]) -> Iterator[Page]:
    """Each row in each of its frames."""
    for kind, title, main, frames in rows:
        for frame in frames:
            yield Page(kind, f"{title} in {frame.__name__}", frame(title, main))
