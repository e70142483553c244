"""Walls in new dress, and honest pages that speak of the same things: an eighth set, in the shells of its half.

Written at once, before any verdict was seen, by an author who had not read the rules. No wording and no subject stands
in both halves.
"""

from __future__ import annotations

from benchmarks.templates.walls import Row

_SIGN_IN = '<form method="post"><label>{}</label><input name="u"><label>{}</label><input name="p" type="password"><button>{}</button></form>'
_CODE = '<form method="post"><label>{}</label><input name="c" inputmode="numeric"><button>{}</button></form>'

DEVELOPMENT_WALLS: tuple[Row, ...] = (
    Row("soft_404", "Well, this is awkward", "<h1>Well, this is awkward</h1><p>We looked everywhere and could not find the page that you asked for.</p><p><a href='/'>Take me home</a></p>"),
    Row("soft_404", "Oops", "<h2>Oops! That link seems to be broken</h2><p>It may have been moved or deleted. Try the search above.</p>"),
    Row("soft_404", "Page retired", "<h1>This page has been retired</h1><p>The content you are looking for is no longer here. Start again from our home page.</p>"),
    Row("soft_404", "Nothing here", "<h1>Nothing to see here</h1><p>The address you typed does not match any page on this site.</p>"),
    Row("soft_404", "Document unavailable", "<h1>Document unavailable</h1><p>The document that you requested does not exist or is not published.</p>"),
    Row("server_error", "Something broke", "<h1>Something broke on our side</h1><p>Our team has been told. Please try again in a few minutes.</p><p>Reference: 7f3a-22c1</p>"),
    Row("server_error", "Unable to load", "<h1>We are unable to load this page right now</h1><p>Please refresh your browser or come back later.</p>"),
    Row("server_error", "Technical difficulties", "<h1>We're experiencing technical difficulties</h1><p>We apologize for the inconvenience. Please try again later.</p>"),
    Row("maintenance", "Back soon", "<h1>We'll be back soon</h1><p>The portal is being upgraded this weekend and cannot be reached until Monday at 6 a.m.</p>"),
    Row("maintenance", "Scheduled outage", "<h1>Scheduled outage in progress</h1><p>This service is offline for planned maintenance. Thank you for your patience.</p>"),
    Row("maintenance", "Closed for updates", "<h1>Closed for updates</h1><p>We are making improvements to this website. Please check back shortly.</p>"),
    Row("denied", "Not so fast", "<h1>Not so fast</h1><p>Your request looks automated, so we stopped it. Incident ID 5510-88.</p>"),
    Row("denied", "Restricted", "<h1>This area is restricted</h1><p>You do not have permission to view this page. Contact your administrator for access.</p>"),
    Row("denied", "Blocked region", "<h1>Not available in your region</h1><p>Access to this site from your location has been blocked.</p>"),
    Row("challenge", "One moment", "<h1>One moment, please</h1><p>We are checking that you are a person. This takes a few seconds.</p>"),
    Row("challenge", "Prove it", "<h1>Prove you're human</h1><p>Select the box below to continue to the site.</p><div class='captcha-box'></div>"),
    Row("login_wall", "Members", f"<h1>Members, please identify yourselves</h1>{_SIGN_IN.format('Member number', 'PIN', 'Continue')}<p><a href='/f'>Forgot your PIN?</a></p>"),
    Row("login_wall", "Secure gateway", f"<h2>Secure gateway</h2>{_SIGN_IN.format('Network ID', 'Passphrase', 'Enter')}"),
    Row("login_wall", "Check your phone", f"<h1>Check your phone</h1><p>We sent a code of six digits to the number that ends in 43.</p>{_CODE.format('Code', 'Verify')}"),
    Row("login_wall", "Session ended", f"<h1>Your session has ended</h1><p>For your security you were signed out. Sign in to go on.</p>{_SIGN_IN.format('E-mail', 'Password', 'Sign in')}"),
    Row("rate_limited", "Slow down", "<h1>Slow down</h1><p>You have made too many requests. Wait a while, then try again.</p>"),
    Row("consent_wall", "Before you go on", "<h1>Before you go on</h1><p>We and our partners store cookies on your device. Choose what you accept to continue to the site.</p><button>Accept all</button><button>Reject all</button>"),
)  # fmt: skip
SEALED_WALLS: tuple[Row, ...] = (
    Row("soft_404", "Lost?", "<h1>Lost?</h1><p>There is no page at this address. It might have had a typing error, or the page is gone.</p>"),
    Row("soft_404", "Dead end", "<h1>You've reached a dead end</h1><p>Sorry, we can't seem to find what you're looking for. Use the menu to find your way.</p>"),
    Row("soft_404", "Sorry", "<h1>Sorry</h1><p>The item you were trying to open has been removed from the library.</p>"),
    Row("soft_404", "Unknown page", "<h1>Unknown page</h1><p>The URL is not known to this server. Please check the spelling.</p>"),
    Row("soft_404", "Expired link", "<h1>Expired link</h1><p>This link is out of date and no longer leads to a page.</p>"),
    Row("server_error", "Hiccup", "<h1>We hit a hiccup</h1><p>An unexpected problem stopped us from showing this page. Try again in a moment.</p>"),
    Row("server_error", "Service failure", "<h1>Service failure</h1><p>The application could not complete your request. If this continues, call the help desk with number 88213.</p>"),
    Row("server_error", "Busy", "<h1>Our servers are busy</h1><p>Many people are using the site at this time. Please try later.</p>"),
    Row("maintenance", "Under the hood", "<h1>We're working under the hood</h1><p>The site is down while we install updates. We expect to return at noon.</p>"),
    Row("maintenance", "Temporarily offline", "<h1>Temporarily offline</h1><p>This system is undergoing routine maintenance from 8 p.m. to midnight.</p>"),
    Row("maintenance", "Pardon our dust", "<h1>Pardon our dust</h1><p>The new site is coming soon. Until then this page is closed.</p>"),
    Row("denied", "Hold on", "<h1>Hold on</h1><p>This request was refused by our security policy. Support ID: 1180042915.</p>"),
    Row("denied", "Staff only", "<h1>Staff only</h1><p>You are not authorized to see this content. Ask the owner of the site to give you access.</p>"),
    Row("denied", "No entry", "<h1>No entry</h1><p>Your IP address has been barred from this service because of unusual activity.</p>"),
    Row("challenge", "Quick check", "<h1>A quick check before you enter</h1><p>Please wait while we verify your browser. JavaScript has to be on.</p>"),
    Row("challenge", "Robot?", "<h1>Are you a robot?</h1><p>Type the letters in the picture to go on.</p><img src='/c' alt='letters'><input name='l'>"),
    Row("login_wall", "Employee hub", f"<h1>Employee hub</h1>{_SIGN_IN.format('Badge', 'Secret word', 'Open')}<p><a href='/r'>I can't get in</a></p>"),
    Row("login_wall", "Welcome back", f"<h2>Welcome back</h2>{_SIGN_IN.format('User', 'Password', 'Let me in')}<p>New here? <a href='/j'>Create a profile</a></p>"),
    Row("login_wall", "Enter your key", f"<h1>Enter your key</h1><p>Open your authenticator and type what it shows.</p>{_CODE.format('Key', 'Go')}"),
    Row("login_wall", "Timed out", f"<h1>You have been timed out</h1><p>Log in once more to see this page.</p>{_SIGN_IN.format('Login', 'Password', 'Log in')}"),
    Row("rate_limited", "Easy there", "<h1>Easy there</h1><p>You've reached the limit of requests for this hour. Come back later.</p>"),
    Row("consent_wall", "Your choices", "<h1>Your privacy choices</h1><p>To read on, tell us which cookies we may set.</p><button>Allow</button><button>Refuse</button>"),
)  # fmt: skip


def _page(title: str, *paragraphs: str) -> Row:
    return Row("", title, f"<h1>{title}</h1>" + "".join(f"<p>{text}</p>" for text in paragraphs))


DEVELOPMENT_INNOCENT: tuple[Row, ...] = (
    _page("Broken links on our site", "Tell the web team when you find a link that leads nowhere.", "Give the address of the page and what you expected to find there. We correct most of them within five days."),
    _page("Maintenance of rental homes", "A landlord must keep the home safe and fit to live in.", "Write to the landlord first. If the repair is not made within 14 days, the tenant may call the code inspector."),
    _page("Denied claims", "When a claim is denied, the letter gives the reason and the date.", "You may appeal within 60 days. Send the form and a copy of the letter."),
    _page("Outages and storm notices", "The utility must report an outage of more than 500 customers within one hour.", "Reports for the past year are listed by county."),
    _page("Passwords for the filing portal", "Filers choose a password of 12 characters or more.", "It expires after 90 days. The clerk can reset it for you in person."),
    _page("Restricted funds", "Money given for one purpose is restricted.", "It may not be used for anything else without the consent of the giver. The auditor looks at each transfer."),
    _page("Access to public records", "Every person may see and copy the records of the county.", "Some are exempt. The custodian must say in writing why access is refused."),
    _page("Rate limits on payday loans", "A lender may not charge more than 36 percent a year.", "Too many requests for the same borrower in a month must be reported to the registry."),
    _page("Two-step sign-in begins in May", "From May 1 all users of the licensing system sign in with a code.", "The code goes to your phone. Update your number before that date."),
    _page("Cookies in school meals", "Cookies and other sweets may be sold after lunch only.", "Schools must accept the standard by the fall term, or reject the federal money."),
    _page("Closed offices", "Three field offices are closed until further notice.", "Please come to the office in Salem, or call between 8 and 5."),
    _page("Not found guilty", "A person found not guilty may ask that the record be sealed.", "The court sends the order to the state police within 30 days."),
)  # fmt: skip
SEALED_INNOCENT: tuple[Row, ...] = (
    _page("Lost property", "Things lost on a train are kept for 90 days.", "Come to the window with a document that shows your name. What is not claimed is sold."),
    _page("Dead ends and cul-de-sacs", "A street that ends must have room for a fire engine to turn.", "The planning board can allow less where the lots are few."),
    _page("Expired licenses", "A license that has expired can be renewed within one year.", "After that, the person must pass the examination again."),
    _page("Service failures and refunds", "A carrier that fails to give service for 24 hours owes a refund.", "Ask for it in writing. The commission decides where the two do not agree."),
    _page("Unauthorized practice", "Nobody may give legal advice for money who is not admitted.", "Complaints go to the committee, which may refuse or forward them."),
    _page("Offline application", "You can apply offline, by mail or in person.", "Forms are at every library. The office answers within ten days."),
    _page("Security policy of the county", "Each department keeps its systems safe under this policy.", "Requests from outside are refused unless the officer has agreed in writing."),
    _page("Who may enter the building", "Visitors show a badge and sign in at the desk.", "Staff only beyond the second door. The guard keeps the list for a year."),
    _page("Robots in warehouses", "An employer that uses robots must train the people near them.", "Are they tested each year? The inspector asks for the log."),
    _page("Privacy choices under state law", "Consumers may tell a business not to sell their data.", "The business must honor the choice within 15 days. Cookies are covered, too."),
    _page("When the system is down", "Judges may extend a deadline when the filing system is down.", "File a motion with the notice of the outage on the next court day."),
    _page("Limits on requests for discovery", "A party may serve 25 requests without leave of the court.", "You must show good cause for more. Come to the hearing with the list."),
)  # fmt: skip

# Written after the model of wordings was fitted, by one who had read the rows above; judged once, in the shells of the
# sealed half.
LATER_WALLS: tuple[Row, ...] = (
    Row("soft_404", "Bad luck", "<h1>Bad luck</h1><p>Whatever you were after isn't here any more. Have a look around from our front page.</p>"),
    Row("soft_404", "Off the map", "<h1>You're off the map</h1><p>This web address points to nothing. Double-check it, or browse by topic.</p>"),
    Row("soft_404", "Vanished", "<h2>It has vanished</h2><p>We took this page down during a clean-up of the site. Its content may live elsewhere.</p>"),
    Row("soft_404", "No match", "<h1>No match</h1><p>No record corresponds to the identifier in your link.</p>"),
    Row("soft_404", "Moved out", "<h1>Moved out</h1><p>That page left when we redesigned the site. Please update your bookmarks.</p>"),
    Row("soft_404", "404-ish", "<h1>Hmm.</h1><p>Nobody seems to be home at this URL.</p>"),
    Row("server_error", "Crash", "<h1>That wasn't supposed to happen</h1><p>Something crashed while this page was built. We've logged it. Reload to retry.</p>"),
    Row("server_error", "Database", "<h1>No connection to the database</h1><p>The page cannot be displayed. Contact the webmaster if this keeps happening.</p>"),
    Row("server_error", "Glitch", "<h1>A glitch</h1><p>Your request failed for a reason we didn't foresee. Error code GX-1140.</p>"),
    Row("server_error", "Overloaded", "<h1>Too busy right now</h1><p>Demand is higher than usual and we could not serve this page. Give it a minute.</p>"),
    Row("maintenance", "Nightly", "<h1>Nightly housekeeping</h1><p>The website sleeps from 1 a.m. to 3 a.m. while we back up its data. Visit us after that.</p>"),
    Row("maintenance", "Moving servers", "<h1>Moving house</h1><p>We are migrating to new servers today, so nothing is available. Back up by evening.</p>"),
    Row("maintenance", "Refresh", "<h1>We're getting a refresh</h1><p>Our web pages are offline for a redesign. Stay tuned!</p>"),
    Row("denied", "Stopped", "<h1>Request stopped</h1><p>The firewall judged this visit to be harmful. Event 90-3321-AA.</p>"),
    Row("denied", "Out of bounds", "<h1>Out of bounds</h1><p>Your role doesn't include this page. An administrator can change that.</p>"),
    Row("denied", "Country", "<h1>Sorry, not from here</h1><p>Visitors from your country can't open this site.</p>"),
    Row("challenge", "Gatekeeper", "<h1>Gatekeeper</h1><p>Tick the box so that we know a human is browsing. You'll be passed on automatically.</p>"),
    Row("challenge", "Wait room", "<h1>Hang tight</h1><p>Your browser is being inspected for security. You will be redirected in five seconds.</p>"),
    Row("login_wall", "Door", f"<h1>Who goes there?</h1>{_SIGN_IN.format('Handle', 'Passcode', 'Unlock')}"),
    Row("login_wall", "Subscribers", "<h1>For subscribers</h1><p>You have to be logged in to read this document. Join or log in with the link above.</p>"),
    Row("rate_limited", "Breather", "<h1>Take a breather</h1><p>Your address sent more requests than we permit. Access returns in ten minutes.</p>"),
    Row("consent_wall", "Cookies first", "<h1>Cookies first</h1><p>Agree to our use of cookies to open the page.</p><button>Agree</button><button>More options</button>"),
)  # fmt: skip
LATER_INNOCENT: tuple[Row, ...] = (
    _page("Moving house", "Tell the registrar your new address within ten days of the move.", "The form is at any post office."),
    _page("Missing persons", "Call the hotline when a person cannot be found.", "There is no need to wait. Have a photo at hand."),
    _page("Firewalls between units", "A wall between two units must resist fire for one hour.", "Openings need a door that closes by itself."),
    _page("Overloaded trucks", "A truck that is over its weight may be stopped.", "The driver shows the permit and waits while it is weighed."),
    _page("Bad checks", "A check that the bank returns costs 25 dollars.", "Pay in cash or by card within the week."),
    _page("Redesign of Main Street", "The street is being rebuilt until fall.", "Shops stay open. Use the lot on Oak Avenue."),
    _page("Cancelled hearing", "The hearing of March 3 is cancelled.", "A new date will be on this page."),
    _page("Temporary closure of the library", "The library is closed from May 4 to May 9 while shelves are moved.", "Books may be returned at the box."),
    _page("Country of origin labels", "Fresh meat carries the name of its country.", "The grocer keeps the papers for a year."),
    _page("Water shut-offs", "Service can be stopped when a bill is 60 days late.", "Call us first; a plan can be made."),
    _page("Backup power", "Nursing homes keep power for 96 hours.", "Tests are made each month and logged."),
    _page("Unknown heirs", "A notice is printed when no heir is known.", "Who answers it proves the kinship to the clerk."),
    _page("Limits on calls", "A collector may call seven times in a week.", "Ask in writing and the calls stop."),
    _page("No parking on snow days", "Cars on the odd side are towed when it snows.", "Sign up for a text message."),
    _page("Browser of the state archive", "The archive shows maps in your browser.", "Choose a county and click a sheet."),
    _page("Housekeeping workers", "Hotels give each worker a panic button.", "Training takes place in the first month."),
)  # fmt: skip
