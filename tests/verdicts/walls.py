"""Whole pages of ours, after what servers, firewalls and networks say, all with status 200; and good ones like them."""

from __future__ import annotations

from tests.verdicts.pages import SENTENCE

MENU = "<nav>" + "".join(f"<a href='/{n}'>Department number {n}</a> " for n in range(60)) + "</nav>"
_SIGN_IN_NOTICE = (
    "You are accessing a U.S. Government information system. By using this information system, you understand and "
    "consent to the following: it may be monitored. "
)


def page(title: str, body: str, head: str = "") -> str:
    return f"<!DOCTYPE html><html><head><title>{title}</title>{head}</head><body>{body}</body></html>"


WALLS: list[tuple[str, str]] = [
    # Somebody refuses
    ("denied", page("403 - Forbidden", "<h1>403 - Forbidden</h1><p>You are not allowed to see this.</p>")),
    ("denied", page("Forbidden", "<h1>Forbidden</h1><p>You don't have permission to access this resource.</p>")),
    ("denied", page("", "<h2>Access Denied</h2><p>Your request did not pass. Contact us with the case number 17.</p>")),
    ("denied", page("Agency", "<h1>An Agency</h1><h2>Access denied</h2><p>You may not view this page.</p>")),
    ("denied", page("HTTP Status 403 – Forbidden", "<h1>HTTP Status 403 – Forbidden</h1><hr><p>Apache Tomcat</p>")),
    ("denied", page("Request Rejected", "The requested URL was rejected. Please consult with your administrator.")),
    ("denied", page("ERROR", "<h1>Sorry, you have been blocked</h1><p>You are unable to access example.gov</p>")),
    ("denied", page("Blocked", "<p>Your IP address has been blocked because of suspicious activity.</p>")),
    ("denied", page("", "<p>Request forbidden by administrative rules.</p>")),
    ("denied", "Access denied"),
    ("denied", "error code: 1020"),
    ("denied", '<?xml version="1.0"?><Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>'),
    ("denied", '{"message": "Forbidden"}'),
    ("soft_404", '{"statusCode":404,"error":"Not Found","message":"Cannot GET /rules"}'),
    ("server_error", '{"timestamp":1,"status":500,"error":"Oops","message":"No message available","path":"/rules"}'),
    ("denied", '{"error":{"code":403,"message":"The caller may not","status":"PERMISSION"}}'),
    ("soft_404", "<Error><Code>NoSuchKey</Code><Message>The key does not exist.</Message></Error>"),
    ("rate_limited", page("Slow down", "<h1>Too many requests</h1><p>Wait a minute, then try again.</p>")),
    ("rate_limited", page("Queue", "<h1>Welcome</h1><p>You are now in line. Your estimated wait time is short.</p>")),
    # Tests
    ("challenge", page("Just a moment...", "<p>Checking your browser before accessing example.gov.</p>")),
    ("challenge", page("Einen Moment", "<p>Ihr Browser wird geprüft.</p>")),
    ("challenge", page("example.gov", "<h1>example.gov</h1><p>Verifying you are human. This may take a moment.</p>")),
    ("challenge", page("", "<p>Performance &amp; security by Cloudflare</p><p>Ray ID: 8e1f0a6b2c3d4e5f</p>")),
    ("challenge", page("Security Verification", "<p>Please wait.</p><script src='/x.js'></script>")),
    (
        "challenge",
        page(
            "Please Wait... | Cloudflare",
            "<h1>Checking your browser before accessing the site.</h1><form id='challenge-form'></form>",
        ),
    ),
    ("captcha", page("Are you a robot?", "<p>Tick the box.</p>")),
    ("captcha", page("Agency", "<h1>Please verify you are a human</h1><div class='g-recaptcha'></div>")),
    ("captcha", page("", "<form id='captcha-form'><div class='h-captcha'></div></form>")),
    # On our own way
    ("filtered", page("Notification", "<p>Access to this website is blocked by your organization's policy.</p>")),
    ("filtered", page("", "<iframe src='http://blocked.example.net/?url=x'></iframe>")),
    ("filtered", page("Sito bloccato", "<h1>Avviso</h1><p>L'accesso al sito è stato bloccato.</p>")),
    ("filtered", page("", "<p>La página solicitada ha sido bloqueada por orden judicial.</p>")),
    ("filtered", page("Hinweis", "<p>Der Zugriff auf diese Webseite wurde gesperrt.</p>")),
    ("filtered", page("Уведомление", "<p>Доступ к ресурсу заблокирован по решению суда.</p>")),
    (
        "filtered",
        page(
            "ERROR: The requested URL could not be retrieved",
            "<p>Access control configuration prevents your request from being allowed.</p>",
        ),
    ),
    # Asked for something first
    ("login_wall", page("Sign In - Agency", "<input type='text' name='username'><input type='password'>")),
    ("login_wall", page("Sign in to your account", "<form><input type='email' name='loginfmt'></form>")),
    ("login_wall", page("Portal", "<p>You must be logged in to view this page.</p>")),
    ("login_wall", page("401 Authorization Required", "<h1>401 Authorization Required</h1><hr>nginx")),
    ("login_wall", page("Log in", f"<p>{_SIGN_IN_NOTICE * 8}</p><input type='password' name='p'>")),
    ("consent_wall", page("Notice", f"<p>{_SIGN_IN_NOTICE * 8}</p><a href='/go'>I accept</a>")),
    ("consent_wall", page("Before you continue", "<p>We use cookies.</p><button>Accept all</button>")),
    ("consent_wall", page("Guide", "<p>You must accept the license agreement before you access the guide.</p>")),
    ("age_wall", page("Shop", "<p>Are you 21 or older? You must be 21 to enter.</p>")),
    # An application, a stub, nothing
    ("js_shell", page("App", "<div id='root'></div><script src='/main.js'></script>")),
    ("js_shell", page("App", "<p>JavaScript must be enabled to use this application.</p>")),
    (
        "js_shell",
        page(
            "App",
            "<div id='app'></div><footer>"
            + "<a href='/x'>Terms of use</a> " * 20
            + "</footer><script src='/a.js'></script>",
        ),
    ),
    (
        "redirect_stub",
        page(
            "Circular B - Wiki",
            f"{MENU}<div class='mw-parser-output'><div class='redirectMsg'><p>Redirect to:</p><ul class='redirectText'>"
            "<li><a href='/wiki/Circular_A'>Circular A</a></li></ul></div></div>",
        ),
    ),
    ("redirect_stub", page("Object moved", "<h2>Object moved to <a href='/new'>here</a>.</h2>")),
    ("redirect_stub", page("", "", "<script>window.location.href = '/new';</script>")),
    ("redirect_stub", page("", "<form action='/x' method='post'></form><script>document.forms[0].submit()</script>")),
    ("redirect_stub", "<html><body onload=\"location.replace('/home')\"></body></html>"),
    ("redirect_stub", page("", "<iframe src='https://www.example.org/'></iframe>")),
    ("redirect_stub", page("301 Moved Permanently", "<h1>301 Moved Permanently</h1><hr>nginx")),
    ("empty", page("", "<div class='main'></div>")),
    # Gone, and saying so
    ("soft_404", page("Page Not Found | City", f"{MENU}<h1>Page Not Found</h1><p>Try the search.</p>")),
    ("soft_404", page("City of X", f"{MENU}<h1>City of X</h1><h2>404</h2><p>Nothing is here.</p>")),
    ("soft_404", page("City of X", f"{MENU}<h1>Oops!</h1><p>We can't find the page you are looking for.</p>")),
    ("soft_404", page("Error 404", "<p>Error 404. The page does not exist.</p>")),
    ("soft_404", page("404 - Agency", "<h1>Sorry</h1><p>That page is no longer here.</p>")),
    ("soft_404", page("Página no encontrada", f"{MENU}<p>Vuelva al inicio.</p>")),
    ("soft_404", "404 page not found"),
    # Not there yet, or no more
    ("parked", page("example.com is for sale", "<p>Make an offer.</p>")),
    ("parked", page("example.com", "<p>This domain is parked. Buy this domain.</p>")),
    ("parked", page("", "", "<script>window.location.href='/lander'</script>")),
    ("parked", page("Welcome to nginx!", "<h1>Welcome to nginx!</h1><p>The web server is installed.</p>")),
    ("parked", page("Account Suspended", "<h1>Account Suspended</h1><p>Contact your hosting provider.</p>")),
    # Broken or closed
    ("maintenance", page("We'll be right back", "<h1>We'll be right back</h1><p>Thank you for your patience.</p>")),
    ("maintenance", page("Maintenance", "<p>Briefly unavailable for scheduled maintenance.</p>")),
    ("maintenance", page("Agency", "<h1>Site is undergoing maintenance</h1><p>Come back at noon.</p>")),
    ("maintenance", page("Agency", "<h1>Website Offline</h1>")),
    ("server_error", page("502 Bad Gateway", "<h1>502 Bad Gateway</h1><hr>nginx")),
    ("server_error", page("HTTP Status 500 – Internal Server Error", "<h1>HTTP Status 500</h1>")),
    ("server_error", page("Error", "<h1>Something went wrong</h1><p>Try again later.</p>")),
    ("server_error", page("", "<p>Error establishing a database connection</p>")),
    ("server_error", page("WordPress › Error", "<p>There has been a critical error on this website.</p>")),
    ("server_error", "upstream connect error or disconnect/reset before headers"),
    ("server_error", page("", "<p>Fatal error: Uncaught Exception in /var/www/x.php on line 3</p>")),
]

GOOD: list[str] = [
    # Numbers of law that are also numbers of errors
    page(
        "20 CFR 404.1505 - Basic definition of disability", f"<h1>404.1505 Basic definition</h1><p>{SENTENCE * 3}</p>"
    ),
    page("Rule 404. Character Evidence", f"<h1>Rule 404. Character Evidence</h1><p>{SENTENCE * 3}</p>"),
    page("Permits under Section 404", f"<h1>Section 404</h1><p>{SENTENCE * 4}</p>"),
    page("§ 403.5 Requirements", f"<h1>403.5 Requirements</h1><p>{SENTENCE * 3}</p>"),
    page("403(b) plans", f"<h1>403(b) plans</h1><p>{SENTENCE * 2}</p>"),
    page("§ 502. Duties", f"<h1>502. Duties</h1><p>{SENTENCE * 2}</p>"),
    page("§ 503.2 Notice", f"<h1>503.2 Notice</h1><p>{SENTENCE * 2}</p>"),
    page("24 CFR 401.3", f"<h1>401.3 Scope</h1><p>{SENTENCE * 2}</p>"),
    page("429.11 Labeling", f"<h1>429.11 Labeling</h1><p>{SENTENCE * 2}</p>"),
    page("§ 1026.44 [Reserved]", "<h1>§ 1026.44 [Reserved]</h1>"),
    page("Repealed", "<h1>Sec. 12. Repealed by Laws 2019, ch. 4.</h1>"),
    # About walls, not walls
    page("How to set up a captcha", f"<h1>How captchas work</h1><p>{SENTENCE * 16}</p><p>Are you a robot?</p>"),
    page("Advisory: firewall", f"<h1>Advisory</h1><p>Your request was blocked by the firewall. {SENTENCE * 14}</p>"),
    page(
        "Status codes",
        "<h1>Status codes</h1><table>"
        + "".join(
            f"<tr><td>{code}</td><td>{name}. {SENTENCE}</td></tr>"
            for code, name in (
                (403, "Forbidden"),
                (404, "Not Found"),
                (429, "Too Many Requests"),
                (500, "Internal Server Error"),
                (503, "Service Unavailable"),
            )
            * 3
        )
        + "</table>",
    ),
    page("Court bars access", f"<p>Access was denied to the records by an order of the court. {SENTENCE * 14}</p>"),
    page("Age verification law", f"<h1>Age Verification Requirements</h1><p>{SENTENCE * 14}</p>"),
    page("Blocked Persons List", f"<h1>Blocked Persons List</h1><p>{SENTENCE * 2}</p>"),
    page("Surplus property is for sale", f"<h1>The old school is for sale</h1><p>{SENTENCE * 2}</p>"),
    page("Property maintenance code", f"<h1>Property maintenance</h1><p>{SENTENCE * 3}</p>"),
    page("Projects under construction", f"<h1>Projects under construction</h1><p>{SENTENCE * 8}</p>"),
    # Widgets and notices beside words
    page("Contact us", f"<p>{SENTENCE * 4}</p><form><input name='m'><div class='g-recaptcha'></div></form>"),
    page(
        "Forms", f"<script src='https://challenges.cloudflare.com/turnstile/v0/api.js'></script><p>{SENTENCE * 3}</p>"
    ),
    page("Rates", f"<noscript>You need to enable JavaScript to run this app.</noscript><p>{SENTENCE * 3}</p>"),
    page("News", f"<div>We use cookies. <button>Accept</button></div><p>{SENTENCE * 8}</p>"),
    page("Account", f"<p>Forgot your password? Please log in to see your own loans. {SENTENCE * 9}</p>"),
    page("Guide", f"<div id='root'><p>{SENTENCE * 5}</p></div><script src='/a.js'></script>"),
    page("Map", f"<p>{SENTENCE}</p><iframe src='https://maps.example.org/'></iframe>"),
    page("Video", f"<p>{SENTENCE}</p><iframe src='https://block.example.org/v/1'></iframe><p>{SENTENCE * 5}</p>"),
    # Little text, and right
    page("Notice", "<p>The office is closed on Monday.</p>"),
    page("Office moved", "<h1>Office hours</h1><p>The office has moved to Main Street 4. Open from 9 to 5.</p>"),
    page("Links", "<ul>" + "".join(f"<li><a href='/{n}'>Handbook chapter {n}</a></li>" for n in range(30)) + "</ul>"),
    page("Index", f"{MENU}<h1>Departments</h1>"),
    page("Board", "<h1>Board of Denial Appeals</h1><p>If you were denied, write to the board.</p>"),
    "User-agent: *\nDisallow: /403\n",
    '{"message": "ok", "count": 3}',
    "<RULE><P>Access denied is a defined term.</P></RULE>",
]
