"""What systems that agencies run say when they show no page, and honest pages that speak of the same things.

The sentences are those that the systems are known for, from memory, with example names; a body in JSON is served as
HTML, as gateways do. Split by system: no system, and no subject of an honest page, is in both halves. All rows were
written before a rule was changed for any of them; their author had read the rules.
"""

from __future__ import annotations

from benchmarks.templates.walls import Row

_FIELDS = '<form method="post"><input name="u" type="text"><input name="p" type="password"><button>{}</button></form>'
_ONE_FIELD = '<form method="post"><label>{}</label><input name="u" type="text"><button>{}</button></form>'

#: Apache, Tomcat, WebLogic, Django, Laravel, WordPress, SharePoint, Okta, Keycloak, CAS, PostgreSQL, API gateways.
DEVELOPMENT_WALLS: tuple[Row, ...] = (
    Row("soft_404", "404 Not Found", "<h1>Not Found</h1><p>The requested URL was not found on this server.</p><hr><address>Apache/2.4.57 (Debian) Server at rules.example.gov Port 443</address>"),
    Row("denied", "403 Forbidden", "<h1>Forbidden</h1><p>You don't have permission to access this resource.</p><hr><address>Apache/2.4.57 Server</address>"),
    Row("server_error", "500 Internal Server Error", "<h1>Internal Server Error</h1><p>The server encountered an internal error or misconfiguration and was unable to complete your request.</p><p>Please contact the server administrator at webmaster@example.gov to inform them of the time this error occurred, and the actions you performed just before this error.</p>"),
    Row("soft_404", "HTTP Status 404 – Not Found", "<h1>HTTP Status 404 – Not Found</h1><p><b>Type</b> Status Report</p><p><b>Message</b> The requested resource [/rules/1026] is not available</p><p><b>Description</b> The origin server did not find a current representation for the target resource or is not willing to disclose that one exists.</p><h3>Apache Tomcat/9.0.85</h3>"),
    Row("soft_404", "Error 404--Not Found", "<h2>Error 404--Not Found</h2><h3>From RFC 2068 <i>Hypertext Transfer Protocol -- HTTP/1.1</i>:</h3><h4>10.4.5 404 Not Found</h4><p>The server has not found anything matching the Request-URI. No indication is given of whether the condition is temporary or permanent.</p>"),
    Row("server_error", "Server Error (500)", "<h1>Server Error (500)</h1>"),
    Row("soft_404", "Page not found at /rules/1026", "<h1>Page not found <span>(404)</span></h1><p>Using the URLconf defined in rules.urls, Django tried these URL patterns, in this order:</p><ol><li>admin/</li><li>rules/&lt;int:part&gt;/</li></ol><p>The current path, rules/1026, didn't match any of these.</p>"),
    Row("denied", "403 Forbidden", "<h1>Forbidden <span>(403)</span></h1><p>CSRF verification failed. Request aborted.</p><p>You are seeing this message because this HTTPS site requires a 'Referer header' to be sent by your web browser, but none was sent. This header is required for security reasons, to ensure that your browser is not being hijacked by third parties.</p>"),
    Row("soft_404", "Not Found", '<div class="flex">404</div><div class="ml-4">Not Found</div>'),
    Row("server_error", "Page Expired", '<div class="flex">419</div><div class="ml-4">Page Expired</div>'),
    Row("server_error", "WordPress &rsaquo; Error", "<p>There has been a critical error on this website.</p><p><a href='https://wordpress.org/documentation/article/faq-troubleshooting/'>Learn more about troubleshooting WordPress.</a></p>"),
    Row("server_error", "Database Error", "<h1>Error establishing a database connection</h1>"),
    Row("maintenance", "Maintenance", "<h1>Briefly unavailable for scheduled maintenance. Check back in a minute.</h1>"),
    Row("server_error", "Error", "<h1>Sorry, something went wrong</h1><p>An unexpected error has occurred.</p><p>TECHNICAL DETAILS</p><p>Troubleshoot issues with Microsoft SharePoint Foundation.</p><p>Correlation ID: 1c2c8a9f-0d6e-40c1-9d3b-1a2b3c4d5e6f</p><p>Date and Time: 11/2/2026 9:12:44 AM</p><p><a href='/'>GO BACK TO SITE</a></p>"),
    Row("denied", "Access required", "<h1>Sorry, you don't have access to this page</h1><p>You're signed in with an account that cannot open this site. Send a request to the site's owner, who will get back to you.</p><form><textarea>I'd like access, please.</textarea><button>Send request</button></form>"),
    Row("login_wall", "Agency - Sign In", f"<h2>Sign In</h2>{_ONE_FIELD.format('Username', 'Next')}<p><a href='/help'>Need help signing in?</a></p>"),
    Row("login_wall", "Sign in to rules", f"<h1>Sign in to your account</h1>{_FIELDS.format('Sign In')}<p><a href='/forgot'>Forgot Password?</a> New user? <a href='/register'>Register</a></p>"),
    Row("server_error", "Sign in to rules", "<h1>We are sorry...</h1><p>Invalid parameter: redirect_uri</p>"),
    Row("login_wall", "Sign in to rules", "<h1>Page has expired</h1><p>To restart the login process <a href='/a'>Click here</a>. To continue the login process <a href='/b'>Click here</a>.</p>"),
    Row("login_wall", "Login - CAS", f"<h2>Enter Username &amp; Password</h2>{_FIELDS.format('LOGIN')}<p>For security reasons, please log out and exit your web browser when you are done accessing services that require authentication!</p>"),
    Row("denied", "Application Not Authorized to Use CAS", "<h2>Application Not Authorized to Use CAS</h2><p>The application you attempted to authenticate to is not authorized to use CAS. This usually indicates that the application is not registered with CAS, or its authorization policy defined in its registration record prevents it from leveraging CAS functionality.</p>"),
    Row("server_error", "Error", "<pre>FATAL: remaining connection slots are reserved for non-replication superuser connections</pre>"),
    Row("server_error", "Error", "<pre>SQLSTATE[08006] [7] could not connect to server: Connection refused. Is the server running on host \"10.0.3.4\" and accepting TCP/IP connections on port 5432?</pre>"),
    Row("denied", "", '{"message":"Missing Authentication Token"}'),
    Row("server_error", "", '{"status":500,"error":"Internal Server Error","message":"No message available","path":"/rules/1026"}'),
    Row("soft_404", "", '{"statusCode":404,"error":"Not Found","message":"Cannot GET /rules/1026"}'),
    Row("server_error", "Application Error", "<h1>Application error</h1><p>An error occurred in the application and your page could not be served. If you are the application owner, check your logs for details.</p>"),
    Row("login_wall", "Session Timeout", "<h1>Session Timeout</h1><p>Your session has timed out due to inactivity. Please log in again to continue.</p><p><a href='/login'>Return to login page</a></p>"),
    Row("maintenance", "System Maintenance", "<h1>Scheduled system maintenance</h1><p>The system is unavailable Saturday from 10 p.m. to Sunday 6 a.m. Eastern Time. We apologize for any inconvenience.</p>"),
    Row("server_error", "Cannot display the page", "<h1>The page cannot be displayed because an internal server error has occurred.</h1>"),
)  # fmt: skip

#: nginx, IIS, Jetty, ColdFusion, Rails, Drupal, ServiceNow, Salesforce, ADFS, Shibboleth, Login.gov, ID.me, Oracle.
SEALED_WALLS: tuple[Row, ...] = (
    Row("server_error", "502 Bad Gateway", "<center><h1>502 Bad Gateway</h1></center><hr><center>nginx/1.24.0</center>"),
    Row("server_error", "Error", "<h1>An error occurred.</h1><p>Sorry, the page you are looking for is currently unavailable.<br>Please try again later.</p><p>If you are the system administrator of this resource then you should check the error log for details.</p><p><em>Faithfully yours, nginx.</em></p>"),
    Row("soft_404", "IIS 10.0 Detailed Error - 404.0 - Not Found", "<h3>HTTP Error 404.0 - Not Found</h3><h4>The resource you are looking for has been removed, had its name changed, or is temporarily unavailable.</h4>"),
    Row("denied", "401 - Unauthorized: Access is denied due to invalid credentials.", "<h1>Server Error</h1><h2>401 - Unauthorized: Access is denied due to invalid credentials.</h2><h3>You do not have permission to view this directory or page using the credentials that you supplied.</h3>"),
    Row("server_error", "Runtime Error", "<h1>Server Error in '/' Application.</h1><h2><i>Runtime Error</i></h2><p><b>Description:</b> An application error occurred on the server. The current custom error settings for this application prevent the details of the application error from being viewed remotely (for security reasons). It could, however, be viewed by browsers running on the local server machine.</p>"),
    Row("server_error", "Error 503 Service Unavailable", "<h2>HTTP ERROR 503 Service Unavailable</h2><table><tr><th>URI:</th><td>/rules/1026</td></tr><tr><th>STATUS:</th><td>503</td></tr><tr><th>MESSAGE:</th><td>Service Unavailable</td></tr><tr><th>SERVLET:</th><td>-</td></tr></table><hr><a href='https://eclipse.dev/jetty'>Powered by Jetty:// 11.0.20</a>"),
    Row("server_error", "Error Occurred While Processing Request", "<h1>The web site you are accessing has experienced an unexpected error.<br>Please contact the website administrator.</h1><p>The following information is meant for the website developer for debugging purposes.</p><p>Error Occurred While Processing Request</p><p>Element PART_ID is undefined in URL.</p>"),
    Row("server_error", "We're sorry, but something went wrong (500)", "<h1>We're sorry, but something went wrong.</h1><p>If you are the application owner check the logs for more information.</p>"),
    Row("soft_404", "The page you were looking for doesn't exist (404)", "<h1>The page you were looking for doesn't exist.</h1><p>You may have mistyped the address or the page may have moved.</p>"),
    Row("server_error", "The change you wanted was rejected (422)", "<h1>The change you wanted was rejected.</h1><p>Maybe you tried to change something you didn't have access to.</p>"),
    Row("server_error", "Error", "<p>The website encountered an unexpected error. Please try again later.</p>"),
    Row("denied", "Access denied", "<h1>Access denied</h1><p>You are not authorized to access this page.</p>"),
    Row("maintenance", "Site under maintenance", "<h1>Site under maintenance</h1><p>Office of Banking is currently under maintenance. We should be back shortly. Thank you for your patience.</p>"),
    Row("denied", "Security constraints", "<h1>Security constraints prevent access to requested page</h1>"),
    Row("soft_404", "Knowledge", "<h1>Article not found</h1><p>The knowledge article you are trying to view is unavailable. It may have been retired, or you do not have sufficient privileges to view it.</p>"),
    Row("soft_404", "URL No Longer Exists", "<h1>URL No Longer Exists</h1><p>You have attempted to reach a URL that no longer exists on salesforce.com.</p><p>You may have reached this page after clicking on a direct link into the application. This direct link might be a bookmark to a particular page, such as a report or document.</p>"),
    Row("denied", "Insufficient Privileges", "<h1>Insufficient Privileges</h1><p>You do not have the level of access necessary to perform the operation you requested. Please contact the owner of the record or your administrator if access is necessary.</p>"),
    Row("maintenance", "Down for maintenance", "<h1>We are down for maintenance.</h1><p>Sorry for the inconvenience. We'll be back shortly.</p>"),
    Row("login_wall", "Sign In", f"<h1>Department of Revenue</h1><p>Sign in with your organizational account</p>{_FIELDS.format('Sign in')}"),
    Row("server_error", "Error", "<h1>An error occurred</h1><p>An error occurred. Contact your administrator for more information.</p><p>Activity ID: 00000000-0000-0000-8b3e-0080000000f6</p><p>Relying party: Rules Portal</p><p>Node name: 5f4c1c3e-9a0b-4b1c</p>"),
    Row("login_wall", "Web Login Service", f"<h1>Login to Rules Portal</h1>{_FIELDS.format('Login')}<p><a href='/f'>Forgot your password?</a> <a href='/h'>Need Help?</a></p>"),
    Row("server_error", "Web Login Service - Stale Request", "<h1>Web Login Service - Stale Request</h1><p>You may be seeing this page because you used the Back button while browsing a secure web site or application. Alternatively, you may have mistakenly bookmarked the web login form instead of the actual web site you wanted to bookmark or used a link created by somebody else who made the same mistake.</p>"),
    Row("login_wall", "Sign in | Login.gov", f"<h1>Sign in for existing users</h1><p>Rules Portal is using Login.gov to allow you to sign in to your account safely and securely.</p>{_FIELDS.format('Sign in')}<p><a href='/s'>Create an account</a> <a href='/p'>Forgot your password?</a></p>"),
    Row("login_wall", "ID.me", f"<h1>Sign in to ID.me</h1>{_ONE_FIELD.format('Email', 'Continue')}<p>New to ID.me? <a href='/n'>Create an ID.me account</a></p>"),
    Row("server_error", "Error", "<pre>ORA-12541: TNS:no listener</pre>"),
    Row("server_error", "Error", "<p>Warning: mysqli_connect(): (HY000/2002): Connection refused in /var/www/html/db.php on line 12</p><p>Could not connect to the database.</p>"),
    Row("denied", "", '{"error":{"code":403,"message":"The caller does not have permission","status":"PERMISSION_DENIED"}}'),
    Row("soft_404", "", '{"timestamp":"2026-11-02T09:12:44Z","status":404,"error":"Not Found","path":"/rules/1026"}'),
    Row("server_error", "", '{"errors":[{"status":"503","title":"Service temporarily unavailable"}]}'),
    Row("login_wall", "Session expired", "<h1>Your session has expired</h1><p>For your security, you were signed out after 30 minutes without activity.</p><p><a href='/in'>Sign in again</a></p>"),
)  # fmt: skip

DEVELOPMENT_INNOCENT: tuple[Row, ...] = (
    Row("", "Error resolution procedures", "<h1>Error resolution procedures</h1><p>A servicer must respond to a notice of error within 30 business days. If it finds that no error occurred, it sends the borrower a statement of the reasons.</p>"),
    Row("", "Password policy", "<h1>Password policy</h1><p>Passwords of state systems have at least 14 characters. An account is locked after five failed attempts to sign in, and unlocked by the help desk.</p>"),
    Row("", "System maintenance calendar", "<h1>System maintenance calendar</h1><p>The licensing system is offline on the first Sunday of each month from midnight to 4 a.m. Renewals that are due on such a day may be filed on the next.</p>"),
    Row("", "How to sign in to e-Filing", "<h1>How to sign in to e-Filing</h1><p>Choose Sign in at the top of the page, enter the user name that was mailed to you, and choose a password. Attorneys sign in with their bar number.</p>"),
    Row("", "Access denied: when we refuse a record", "<h1>When we refuse access to a record</h1><p>The custodian denies access to records that are exempt under Chapter 119. The requester may ask the circuit court to review a denial.</p>"),
    Row("", "404 Permit", "<h1>Section 404 permits</h1><p>A permit under Section 404 of the Clean Water Act is required for the discharge of dredged or fill material. None was found to be necessary for repairs of fewer than 500 feet.</p>"),
    Row("", "Lost or missing documents", "<h1>Lost or missing documents</h1><p>If a deed cannot be found, the recorder issues a certified copy. Documents before 1950 have been moved to the State Archives.</p>"),
    Row("", "Session laws", "<h1>Session laws</h1><p>The regular session expired on March 8. Acts of the session take effect on July 1, unless the act says otherwise.</p>"),
    Row("", "Rule 500", "<h1>Rule 500. Filing errors</h1><p>The clerk may not refuse a paper for an error of form. The filer corrects it within five days.</p>"),
    Row("", "Cookies and consent", "<h1>Cookies</h1><p>We set one cookie, which holds your language. You can delete it in your browser; every page works without it.</p>"),
    Row("", "Service unavailable at branch offices", "<h1>Branch offices</h1><p>Road tests are not available in Elko until the new office opens on May 2. All other services continue.</p>"),
    Row("", "Report an outage", "<h1>Report an outage</h1><p>Utilities report an outage of more than 500 customers to the Commission within two hours, by telephone or online.</p>"),
    Row("", "Forbidden conduct", "<h1>Forbidden conduct</h1><p>An appraiser may not accept a fee that depends on the value found.</p>"),
    Row("", "Removed from the docket", "<h1>Removed from the docket</h1><p>The application of Acme Water was removed from the docket of November 3 at the applicant's request.</p>"),
    Row("", "Account locked", "<h1>Locked accounts</h1><p>Call (555) 010-0199 between 8 and 5 if your taxpayer account is locked. Have your last return at hand.</p>"),
)  # fmt: skip

SEALED_INNOCENT: tuple[Row, ...] = (
    Row("", "Correction of errors in a decision", "<h1>Correction of errors</h1><p>The Board corrects clerical errors in its decisions at any time, on its own motion or a party's request.</p>"),
    Row("", "Request for access", "<h1>Request for access to your file</h1><p>You may see your file at the office where it is kept. Bring identification. Access is refused only to notes of counsel.</p>"),
    Row("", "Maintenance of records", "<h1>Maintenance of records</h1><p>A licensee keeps its records for three years after the last entry, and makes them available to the Commissioner on request.</p>"),
    Row("", "Multi-factor authentication", "<h1>Multi-factor authentication</h1><p>From January 12 users of the portal confirm each sign-in with a code that is sent to their telephone. Password and user name stay the same.</p>"),
    Row("", "Notice of unavailability", "<h1>Notice of unavailability</h1><p>Counsel gives notice of dates on which they are not available at least 21 days before the hearing.</p>"),
    Row("", "Moved offices", "<h1>We have moved</h1><p>The Division of Corporations is now at 500 Dover Street. Mail to the former address is forwarded until June.</p>"),
    Row("", "Denied applications", "<h1>Denied applications</h1><p>In October 41 applications were denied: 22 for missing documents, 12 for unpaid fees, and 7 for other reasons.</p>"),
    Row("", "Not found liable", "<h1>Not found liable</h1><p>The respondent was not found liable on counts 2 and 3. Count 1 was settled.</p>"),
    Row("", "Blocked drives", "<h1>Blocked driveways</h1><p>Report a car that blocks your driveway to the police. The city tows it at the owner's cost.</p>"),
    Row("", "Failed inspections", "<h1>Failed inspections</h1><p>A vehicle that failed may be driven for 10 days to have it repaired, and is inspected again without charge.</p>"),
    Row("", "Expired licenses", "<h1>Expired licenses</h1><p>A license that expired less than two years ago is renewed with a late fee of $25. After that the examination is taken again.</p>"),
    Row("", "Gateway projects", "<h1>Gateway projects</h1><p>The 502 Gateway widening begins in May. Two lanes stay open at all times.</p>"),
    Row("", "Terms of use", "<h1>Terms of use</h1><p>These pages are for information. In case of conflict the printed code prevails.</p>"),
    Row("", "Recovering a password", "<h1>Recovering a password</h1><p>Choose Forgot password, answer your security question, and open the message that we send. The link in it is valid for one hour.</p>"),
    Row("", "Test of the emergency alert system", "<h1>Test of the emergency alert system</h1><p>A test takes place on October 4 at 2:20 p.m. Phones sound once. Nothing needs to be done.</p>"),
)  # fmt: skip
