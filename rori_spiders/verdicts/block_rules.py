"""Rules of named vendors: walls that say whose they are. Data only; judge.py reads them.

Sources: ``edgi`` is EDGI's web-monitoring-processing; ``wafw00f`` EnableSecurity's plugins; ``crawlee`` its blocked
selectors; ``is-antibot`` its signatures; ``captured`` pages saved by public projects, 2018 to 2026.
"""

from __future__ import annotations

from rori_spiders.verdicts.rule import Rule

# fmt: off
VENDOR_RULES: tuple[Rule, ...] = (
    # Federal Register and eCFR: 200 with an apology. Their APIs stay open (the `official` tier).
    Rule("federalregister-unblock-host", "denied", "federalregister", "strong", "url",
         r"^https?://unblock\.federalregister\.gov", "edgi"),
    Rule("federalregister-title", "denied", "federalregister", "strong", "title",
         r"^Federal Register :: Request Access", "edgi"),
    Rule("federalregister-text", "denied", "federalregister", "strong", "text",
         r"programmatic access to these sites is limited to access to our extensive developer APIs", "edgi"),
    # Cloudflare. `cf-ray`, `__cf_bm`, `cf_clearance`, /challenge-platform/scripts/jsd/ stand on good pages: no rules.
    Rule("cloudflare-mitigated", "challenge", "cloudflare", "strong", "header",
         r"^cf-mitigated: *challenge", "is-antibot"),
    Rule("cloudflare-blocked", "denied", "cloudflare", "strong", "heading",
         r"^Sorry, you have been blocked", "crawl4ai", within=1500),
    Rule("cloudflare-limited", "rate_limited", "cloudflare", "strong", "text",
         r"\bError (?:code:? )?1015\b|You are being rate limited", "published", within=1500,
         also=("text", r"Ray ID|Cloudflare")),
    Rule("cloudflare-attention", "captcha", "cloudflare", "strong", "title",
         r"(?:Attention Required!|Please Wait\.\.\.) \| Cloudflare", "captured", also=("element", r"captcha")),
    Rule("cloudflare-challenge-script", "challenge", "cloudflare", "strong", "script",
         r"window\._cf_chl_opt|_cf_chl_ctx|jschl_(?:vc|answer)", "is-antibot"),
    Rule("cloudflare-orchestrate", "challenge", "cloudflare", "strong", "source",
         r"/cdn-cgi/challenge-platform/\S*orchestrate|/cdn-cgi/l/chk_jschl", "crawlee"),
    Rule("cloudflare-challenge-form", "challenge", "cloudflare", "strong", "element",
         r"form#challenge-form|\[jschl_|#cf-challenge-running|#trk_jschal_js", "captured"),
    Rule("cloudflare-error-code", "denied", "cloudflare", "strong", "text",
         r"\bError (?:code:? )?1(?:00\d|01\d|02\d|03\d|1\d\d|2\d\d)\b", "crawl4ai", within=1500,
         also=("text", r"Ray ID")),
    Rule("cloudflare-restricted", "denied", "cloudflare", "strong", "title",
         r"\| .{1,200} used Cloudflare to restrict access", "captured", within=1500),
    Rule("cloudflare-origin", "server_error", "cloudflare", "strong", "text",
         r"\bError (?:code )?5(?:0[0-4]|2[0-7]|30)\b", "captured", also=("text", r"Ray ID")),
    Rule("cloudflare-turnstile-only", "challenge", "cloudflare", "medium", "element",
         r"\[cf-turnstile-response\]|#turnstile-wrapper|\.cf-turnstile\b", "crawlee", within=300),
    Rule("cloudflare-turnstile-script", "challenge", "cloudflare", "medium", "source",
         r"challenges\.cloudflare\.com/turnstile", "crawlee", within=150),
    Rule("cloudflare-error-box", "denied", "cloudflare", "medium", "element",
         r"#cf-error-details|\.cf-error-details|\.cf-error-code", "crawl4ai", within=1500),
    Rule("cloudflare-footer", "challenge", "cloudflare", "medium", "text",
         r"(?:DDoS protection|Performance (?:&|and) security) by Cloudflare", "captured", within=600),
    Rule("cloudflare-ray", "challenge", "cloudflare", "medium", "text",
         r"\bRay[ _]ID\b(?: for this request is|:)? ?[0-9a-f]{16}\b", "captured", within=300),
    Rule("cloudflare-access", "login_wall", "cloudflare", "strong", "url",
         r"^https?://[\w-]+\.cloudflareaccess\.com/", "published"),
    Rule("cloudflare-just-a-moment", "challenge", "cloudflare", "medium", "title",
         r"^Just a moment\.\.\.|^Checking your browser", "edgi"),
    # Akamai. Its `_abck` and `bm_sz` cookies stand on good pages; references #2, #9 and #15 are errors, not refusals.
    Rule("akamai-denied", "denied", "akamai", "strong", "text",
         r"Reference #\d{1,3}\.[0-9a-f]+\.\d+", "edgi", also=("text", r"don't have permission to access")),
    Rule("akamai-edgesuite", "denied", "akamai", "strong", "text",
         r"errors\.edgesuite\.net", "captured", within=400),
    Rule("akamai-invalid-url", "server_error", "akamai", "strong", "text",
         r"The requested URL .{0,300}, is invalid\. Reference #", "captured"),
    Rule("akamai-challenge", "challenge", "akamai", "strong", "script",
         r"bm-verify|/_sec/(?:verify|cp_challenge)", "captured", within=600),
    Rule("akamai-challenge-box", "challenge", "akamai", "strong", "element",
         r"#sec-if-cpt-container|#sec-cpt-if", "captured", within=600),
    # Amazon
    Rule("aws-waf-action", "challenge", "aws", "strong", "header",
         r"^x-amzn-waf-action: *challenge", "edgi"),
    Rule("aws-waf-captcha", "captcha", "aws", "strong", "header",
         r"^x-amzn-waf-action: *captcha", "edgi"),
    Rule("aws-waf-page", "challenge", "aws", "strong", "source",
         r"awswaf\.com/\S*challenge", "crawlee", within=300, also=("element", r"#challenge-container")),
    Rule("aws-waf-script", "challenge", "aws", "strong", "script",
         r"awsWafCookieDomainList|gokuProps|AwsWafIntegration\.(?:saveReferrer|checkForceRefresh|forceRefreshToken)",
         "published", within=300),
    Rule("aws-waf-human", "captcha", "aws", "strong", "title",
         r"^Human Verification$", "published", within=600),
    Rule("cloudfront-refused", "denied", "cloudfront", "strong", "text",
         r"The request could not be satisfied\.", "is-antibot", also=("text", r"Request blocked|403 ERROR|country")),
    Rule("cloudfront-error", "server_error", "cloudfront", "medium", "title",
         r"^ERROR: The request could not be satisfied", "is-antibot"),
    Rule("amazon-robot-check", "captcha", "amazon", "strong", "text",
         r"Enter the characters you see below|To discuss automated access to Amazon data|Click the button below to "
         r"continue shopping", "captured", within=1000),
    Rule("amazon-captcha-form", "captcha", "amazon", "strong", "source",
         r"/errors/validateCaptcha", "captured", within=1000),
    # Imperva. Its script with SWJIYLWA= is injected into good pages; only the bare frame and the incident text count.
    Rule("imperva-incident", "denied", "imperva", "strong", "text",
         r"Incapsula incident ID", "wafw00f", within=600),
    Rule("imperva-frame", "challenge", "imperva", "strong", "source",
         r"/_Incapsula_Resource\?(?!SWJIYLWA)", "crawlee", within=200),
    Rule("imperva-page", "challenge", "imperva", "medium", "source",
         r"/_Incapsula_Resource", "crawlee", within=60),
    Rule("imperva-blocked", "denied", "imperva", "strong", "text",
         r"This request was blocked by (?:the|our) security (?:rules|service)", "published", within=1000),
    # F5
    Rule("f5-rejected", "denied", "f5", "strong", "text",
         r"The requested URL was rejected\. Please consult with your administrator", "wafw00f"),
    Rule("f5-shape", "challenge", "f5", "strong", "script",
         r"window\[.bobcmn.\]", "captured"),
    Rule("f5-failure", "challenge", "f5", "strong", "script",
         r"window\[.failureConfig.\].{0,200}support", "published", within=300),
    Rule("f5-tspd", "challenge", "f5", "strong", "source",
         r"/TSPD/", "captured", within=200),
    Rule("f5-javascript", "challenge", "f5", "medium", "noscript",
         r"enable JavaScript to view the page content.{0,80}support ID", "captured", within=200),
    # Others that name themselves
    Rule("datadome", "captcha", "datadome", "strong", "script",
         r"var dd ?= ?\{", "is-antibot", within=300, also=("script", r"captcha-delivery\.com")),
    Rule("datadome-frame", "captcha", "datadome", "strong", "source",
         r"captcha-delivery\.com", "is-antibot", within=300),
    Rule("datadome-header", "captcha", "datadome", "strong", "header",
         r"^x-dd-b: *[12]", "is-antibot"),
    Rule("perimeterx-box", "captcha", "perimeterx", "strong", "element",
         r"#px-captcha", "wafw00f", within=800),
    Rule("perimeterx-denied", "captcha", "perimeterx", "strong", "title",
         r"^Access to this page has been (?:denied|blocked)", "wafw00f"),
    Rule("perimeterx-source", "captcha", "perimeterx", "strong", "source",
         r"captcha\.px-c(?:dn|loud)\.net|/captcha/captcha\.js\?a=c&", "crawl4ai", within=400),
    Rule("perimeterx-script", "captcha", "perimeterx", "strong", "script",
         r"_pxAppId", "wafw00f", within=800, also=("script", r"blockScript|px-captcha")),
    Rule("kasada", "challenge", "kasada", "strong", "script",
         r"KPSDK\.scriptStart ?= ?KPSDK\.now|window\.KPSDK ?=", "crawl4ai", within=300),
    Rule("kasada-source", "challenge", "kasada", "strong", "source",
         r"/[0-9a-f-]{36}/[0-9a-f-]{36}/(?:ips|p)\.js", "published", within=100),
    Rule("sucuri-denied", "denied", "sucuri", "strong", "title",
         r"^Sucuri WebSite Firewall.{0,20}Access Denied|^Access Denied.{0,6}Sucuri", "wafw00f"),
    Rule("sucuri-page", "denied", "sucuri", "strong", "source",
         r"cdn\.sucuri\.net/sucuri[-_]firewall[-_]block", "wafw00f", within=1500),
    Rule("sucuri-header", "denied", "sucuri", "strong", "header",
         r"^x-sucuri-block:", "wafw00f"),
    Rule("sucuri-cookie", "challenge", "sucuri", "strong", "script",
         r"sucuri_cloudproxy_js", "captured"),
    Rule("sucuri-origin", "server_error", "sucuri", "strong", "text",
         r"Unable to Connect to the Origin Server", "captured"),
    Rule("anubis", "challenge", "anubis", "strong", "element",
         r"script#anubis_challenge", "is-antibot"),
    Rule("anubis-source", "challenge", "anubis", "strong", "source",
         r"/\.within\.website/x/cmd/anubis/", "is-antibot", within=1000),
    Rule("imunify360", "challenge", "imunify360", "strong", "text",
         r"Please wait while your request is being verified", "captured", within=300),
    Rule("imunify360-bot", "denied", "imunify360", "strong", "text",
         r"(?:denied|protected|powered) by Imunify360|Imunify360 bot-protection", "wafw00f", within=600),
    Rule("shieldsquare", "captcha", "radware", "strong", "title",
         r"^(?:ShieldSquare|Radware) (?:Bot Manager )?(?:Captcha|Block)", "wafw00f"),
    Rule("radware-host", "captcha", "radware", "strong", "url",
         r"^https?://validate\.perfdrive\.com", "published"),
    Rule("radware", "captcha", "radware", "strong", "text",
         r"We apologize for the inconvenience\.\.\..{0,200}(?:your activity|behavior).{0,80}made us think that you are "
         r"a bot", "wafw00f"),
    Rule("distil", "captcha", "distil", "strong", "element",
         r"#distilCaptchaForm|#distilIdentificationBlock", "wafw00f", within=800),
    Rule("barracuda", "denied", "barracuda", "strong", "text",
         r"Barracuda (?:Networks|Web Application Firewall).{0,200}(?:blocked|denied)|You have been "
         r"blocked.{0,80}Barracuda", "wafw00f", within=800),
    Rule("wordfence", "denied", "wordfence", "strong", "text",
         r"Generated by Wordfence|Your access to this site has been limited by the site owner", "wafw00f", within=1500),
    Rule("modsecurity", "denied", "modsecurity", "strong", "text",
         r"This error was generated by Mod_Security|rejected by ModSecurity", "wafw00f", within=600),
    Rule("azure-gateway", "denied", "azure", "strong", "text",
         r"403 Forbidden Microsoft-Azure-Application-Gateway", "captured", within=200),
    Rule("azure-front-door", "denied", "azure", "medium", "text",
         r"The request is blocked\.", "wafw00f", within=200),
    Rule("google-sorry", "captcha", "google", "strong", "text",
         r"Our systems have detected unusual traffic from your computer network|computer or network may be sending "
         r"automated queries", "captured"),
    Rule("google-sorry-host", "captcha", "google", "strong", "url",
         r"^https?://(?:www|ipv[46])\.google\.[a-z.]+/sorry/", "captured"),
    Rule("google-consent-host", "consent_wall", "google", "strong", "url",
         r"^https?://consent\.(?:google|youtube)\.", "captured"),
    Rule("sec-threshold", "rate_limited", "sec", "strong", "text",
         r"Request Rate Threshold Exceeded", "captured"),
    Rule("varnish-agent", "denied", None, "strong", "text",
         r"Your User-Agent is banned", "captured", within=600),
    Rule("erddap", "denied", "erddap", "strong", "header",
         r"^erddap-server:", "edgi", also=("text", r"ip address|blacklist")),
    # A wiki's API refuses with 200 (mediawiki.org, API:Etiquette)
    Rule("mediawiki-limit", "rate_limited", "mediawiki", "strong", "header",
         r"^mediawiki-api-error: *(?:ratelimited|maxlag)", "mediawiki.org"),
    Rule("mediawiki-closed", "denied", "mediawiki", "strong", "header",
         r"^mediawiki-api-error: *readapidenied", "mediawiki.org"),
    # The page of a redirect itself, where it leads in a circle or to nothing: "Redirect to: ..." and no text.
    Rule("mediawiki-redirect", "redirect_stub", "mediawiki", "strong", "element",
         r"(?m)^div#[^\n]*\.(?:[^\n\[]* )?redirectMsg\b", "mediawiki.org", within=600),
    Rule("weibo-visitor", "challenge", "weibo", "strong", "title",
         r"^Sina Visitor System$", "captured"),
)
# fmt: on


# Rules of firewalls and bot walls that are met less often, by the words of their own block pages. Data only. Sources:
# ``wafw00f`` is EnableSecurity's plugins; ``is-antibot`` and ``crawl4ai`` those projects' signatures; ``published``
# the vendor's own documentation or the page that it shows to everybody. They count only where the page has little
# text beside them: an advisory that names a product is no block page.

# fmt: off
FIREWALL_RULES: tuple[Rule, ...] = (
    # Tests of the browser
    Rule("vercel-mitigated", "challenge", "vercel", "strong", "header",
         r"^x-vercel-mitigated: *challenge", "is-antibot"),
    Rule("vercel-denied", "denied", "vercel", "strong", "header",
         r"^x-vercel-mitigated: *deny", "published"),
    Rule("vercel-checkpoint", "challenge", "vercel", "strong", "title",
         r"^Vercel Security Checkpoint", "wafw00f", within=600),
    Rule("fastly-challenge", "challenge", "fastly", "strong", "title",
         r"^Client Challenge$", "published", within=600),
    Rule("fastly-challenge-script", "challenge", "fastly", "strong", "source",
         r"/_fs-ch-[\w-]+/", "published", within=400),
    Rule("anubis-title", "challenge", "anubis", "strong", "title",
         r"^Making sure you(?:'|’)re not a bot", "published", within=1500),
    Rule("ddos-guard", "challenge", "ddos-guard", "strong", "title",
         r"^DDoS-Guard$", "wafw00f", within=800),
    Rule("ddos-guard-script", "challenge", "ddos-guard", "strong", "source",
         r"/\.well-known/ddos-guard/|check\.ddos-guard\.net", "wafw00f", within=300),
    Rule("qrator", "challenge", "qrator", "strong", "source",
         r"/__qrator/qauth", "published", within=300),
    Rule("stackpath", "challenge", "stackpath", "strong", "text",
         r"is using a security service for protection against online attacks|An action has triggered the service and "
         r"blocked your request", "wafw00f", within=1200),
    Rule("reblaze", "challenge", "reblaze", "strong", "script",
         r"window\.rbzns|rbzns\s*=\s*\{", "published", within=300),
    Rule("reblaze-denied", "denied", "reblaze", "strong", "text",
         r"current session has been terminated", "wafw00f", within=800, also=("text", r"Access denied \(\d{3}\)")),
    Rule("bitninja", "captcha", "bitninja", "strong", "text",
         r"Security check by BitNinja|Visitor anti-robot validation", "wafw00f", within=1500),
    Rule("siteground", "captcha", "siteground", "strong", "text",
         r"Our system thinks you might be a robot", "wafw00f", within=1500),
    Rule("sgcaptcha", "captcha", "siteground", "strong", "source",
         r"/\.well-known/captcha/|/\.well-known/sgcaptcha", "published", within=600),
    Rule("sgcaptcha-refresh", "captcha", "siteground", "strong", "script",
         r"/\.well-known/sgcaptcha/", "published", within=300),
    Rule("bytedance", "challenge", "bytedance", "strong", "script",
         r"_wafchallengeid|__ac_signature|byted_acrawler", "published", within=200),
    Rule("alibaba-punish", "captcha", "alibaba", "strong", "script",
         r"_____tmd_____/punish|x5secdata|punishPage", "is-antibot", within=300),
    Rule("alibaba-punish-address", "captcha", "alibaba", "strong", "url",
         r"/_____tmd_____/punish|[?&]x5secdata=", "is-antibot"),
    Rule("aliyun", "denied", "alibaba", "strong", "text",
         r"your request has been blocked as it may cause potential threats to the server", "wafw00f", within=1000),
    Rule("baidu-check", "captcha", "baidu", "strong", "title",
         r"^百度安全验证", "published", within=600),
    Rule("yandex-captcha", "captcha", "yandex", "strong", "url",
         r"^https?://[\w.]*(?:yandex|ya)\.[a-z.]+/showcaptcha", "published"),
    Rule("ebay-challenge", "challenge", "ebay", "strong", "url",
         r"^https?://[\w.]*ebay\.[a-z.]+/splashui/(?:challenge|captcha)", "published"),
    Rule("queue", "rate_limited", "queue-it", "strong", "url",
         r"^https?://[\w-]+\.queue-it\.net/", "published"),
    Rule("queue-text", "rate_limited", None, "medium", "text",
         r"you are (?:now )?in (?:line|the queue|a (?:virtual )?(?:queue|waiting room))|waiting room powered by "
         r"cloudflare|your estimated wait time|this page is limiting the number of people online", "published",
         within=1200),
    Rule("arkose", "captcha", "arkose", "medium", "source",
         r"(?:arkoselabs|funcaptcha)\.com", "is-antibot", within=200),
    Rule("geetest", "captcha", "geetest", "medium", "source",
         r"\bgeetest\.com", "is-antibot", within=200),
    # Refusals
    Rule("interruption", "captcha", "imperva", "strong", "title",
         r"^Pardon Our Interruption", "crawl4ai", within=1500),
    Rule("reddit-network", "denied", "reddit", "strong", "text",
         r"blocked by network security\.", "is-antibot", within=1500),
    Rule("undeclared-tool", "denied", "sec", "strong", "text",
         r"Your Request Originates from an Undeclared Automated Tool", "published"),
    Rule("ncbi-misuse", "denied", "ncbi", "strong", "text",
         r"access to the NCBI website .{0,80}has been temporarily blocked", "published", within=1500),
    Rule("robot-policy", "denied", "wikimedia", "strong", "text",
         r"Please (?:set a user-agent and )?respect our robot policy", "published", within=1500),
    Rule("linkedin-wall", "login_wall", "linkedin", "strong", "url",
         r"^https?://[\w.]*linkedin\.com/(?:authwall|checkpoint/)", "published"),
    Rule("meta-login", "login_wall", "meta", "strong", "url",
         r"^https?://(?:www\.|m\.)?(?:facebook|instagram)\.com/(?:accounts/)?login", "published"),
    Rule("yahoo-consent", "consent_wall", "yahoo", "strong", "url",
         r"^https?://(?:[\w-]+\.)?(?:guce|consent)\.(?:yahoo|aol|techcrunch|oath)\.", "published"),
    Rule("shield-security", "denied", None, "medium", "text",
         r"You were blocked by the Shield|remaining transgression\(s\) against this site|blocked by (?:naxsi|cloudbric|"
         r"yundun|website protection from armor|the security rules)|protected by (?:mod.?security|imunify360|astra)|"
         r"your access has been intercepted by anyu|dotdefender blocked your request|request denied by watchguard|"
         r"(?:current )?request was blocked by webtotem|by grey wizard|403 naughty.{0,10}not nice!|"
         r"blocked because of malicious activities|webarx.{0,10}web application firewall", "wafw00f", within=1200),
    Rule("firewall-title", "denied", None, "medium", "title",
         r"^(?:NinjaFirewall|WebKnight Application Firewall|Application Firewall Error|WTS-WAF|SecuPress|CrawlProtect|"
         r"Cloudbric|Grey Wizard|Web Application Firewall|GoDaddy (?:Security|Website Firewall)|Website Firewall|"
         r"CloudfloorDNS|Web Site Blocked|Unauthorized Request Blocked|Unauthorized Activity Has Been Detected|"
         r"StackPath|BunkerWeb)", "wafw00f", within=1500),
    Rule("firewall-text", "denied", None, "medium", "text",
         r"(?:request|access|connection|attempt) (?:has been|was|is) (?:blocked|denied|rejected|stopped)[^.]{0,60}"
         r"(?:firewall|security (?:rule|polic|service|system|reason|solution)|waf\b|suspicious|malicious)|"
         r"(?:firewall|security (?:rule|polic|service|system|plugin)\w*)[^.]{0,40}(?:blocked|denied|rejected) (?:your|"
         r"this|the) (?:request|access|connection)|whoops, this request has been blocked|request forbidden by "
         r"administrative rules|suspicious activity detected|(?:your )?request looks suspicious|detected (?:attempted "
         r"attack|unauthorized activity)|this request has been deemed suspicious|potentially dangerous request\.|"
         r"because we believe you are using automation tools|you have been (?:permanently )?(?:blocked|banned)|"
         r"your (?:ip|ip address|network|browser|connection)[^.]{0,40}(?:has been|is|was) (?:temporarily )?"
         r"(?:blocked|banned|blacklisted|flagged)|sorry, you have been blocked", "wafw00f", within=1200),
    Rule("fortiweb", "denied", "fortinet", "medium", "text",
         r"attack id ?: ?\d+.{0,80}message id ?: ?\d+", "wafw00f", within=800),
    Rule("called-automated", "denied", None, "medium", "text",
         r"(?:flagged|identified|detected|recogni[sz]ed|classified) as (?:potentially |possibly |likely |being )?"
         r"(?:automated|suspicious|malicious|a (?:ro)?bot\b|bot traffic)|(?:blocked|denied|rejected) by (?:our|the|a) "
         r"(?:web application |website |network )?(?:firewall|waf\b|security (?:service|system|polic))|due to "
         r"(?:aggressive|excessive) (?:automated )?(?:scraping|crawling)|(?:automated|programmatic|robotic) access[^.]"
         r"{0,60}(?:is|are) (?:prohibited|not (?:permitted|allowed)|limited|restricted|blocked)|(?:robots|bots|"
         r"scrapers|"
         r"crawlers)[^.]{0,40} (?:are|is) (?:not (?:allowed|permitted)|prohibited|blocked)|(?:turn off|disable) your "
         r"(?:vpn|proxy)|\bvpn (?:or proxy )?(?:detected|users)", "published", within=600),
    Rule("incident", "denied", "imperva", "medium", "text",
         r"The incident ID is|powered by (?:incapsula|imperva)|SiteLock incident ID", "wafw00f", within=800),
    Rule("netscaler", "denied", "citrix", "medium", "text",
         r"(?:NS Transaction|AppFW Session) id|Violation Category.{0,5}APPFW_", "wafw00f", within=800),
    Rule("support-id", "denied", None, "medium", "text",
         r"your support id is\b|please contact [^.]{0,60}(?:and|with)[^.]{0,40}(?:support|reference|incident|request|"
         r"event|ray) id\b", "wafw00f", within=500),
)
# fmt: on


# Rules of what stands between us and the publisher: filters of providers, schools and companies, courts, portals.
# Data only. Sources: ``ooni`` is OONI's list of fingerprints of block pages (with Citizen Lab's and Censored
# Planet's); ``wafw00f`` EnableSecurity's plugins; ``squid`` the error pages of Squid; ``captured`` pages saved by
# public projects.

_THIS = r"(?:this|the|your|requested|that) (?:requested )?(?:web ?)?(?:site|page|location|content|url|domain|address)"
_BLOCKED = (
    rf"{_THIS}[^.]{{0,80}} (?:has been|have been|is|was) (?:currently )?(?:blocked|disabled|restricted|denied|"
    r"prohibited|filtered)[^.]{0,80}(?:order|court|pursuant|network|provider|regulation|policy|polic|administrator|"
    r"categor|kominfo|law\b|ministry|authorit|regulator|government|copyright|filter|settings|subscription|viewing)"
    r"|blocked by (?:an order|[\w ]{0,40}(?:parental controls?|safe|provider|your (?:network|organi[sz]ation|"
    r"administrator|isp|company)|contentkeeper|web ?filter|firewall policy))"
    r"|has been blocked by an order|forced to block the site|disabled by (?:an )?order|parental controls? (?:has|have)?"
    r" ?block|blocked (?:as per|in accordance with|due to (?:a )?(?:court|legal)|at the (?:request|direction) of)"
    r"|not accessible in (?:the )?(?:uae|your country)|prohibited under the internet access management"
    r"|content (?:that is )?prohibited (?:for|under|by|in)|in violation of [\w ]{0,40}national law|violates? the "
    r"national law|considered illegal according to|after technical analysis and legal consideration"
    r"|(?:has|have) blocked this (?:site|page)|settings (?:won't|prevent)[^.]{0,30}(?:access|allow)"
    r"|(?:access|pages) (?:to [\w ]{0,20})?(?:is|are) (?:blocked|restricted|not permitted) (?:for browsing|according "
    r"to "
    r"|by your|on this (?:network|computer|device))|restricted access to adult content|adult content filter is on"
    r"|need to be over 18 for this|recommended for persons over the age"
)
_SLAVIC = (
    r"доступ[^.]{0,80}(?:ограничен|заблокирован|запрещ|закрыт|приостановлен)|(?:ресурс|сайт|адрес)[^.]{0,60}"
    r"заблокирован|включ[её]н в (?:единый )?реестр|ограничить доступ|відвідування[^.]{0,60}заборонено|доступ[^.]{0,60}"
    r"(?:заборонено|заблоковано|обмежено)|dostęp[^.]{0,40}zablokowan|strona[^.]{0,40}zablokowan"
)
_ROMANCE = (
    r"(?:p[aá]gina|sitio|contenido|acceso|acesso|conteúdo|dominio)[^.]{0,60}(?:bloquead|restringid|no disponible por)"
    r"|(?:site|page|accès)[^.]{0,60}(?:bloqué|est interdit)|(?:sito|accesso|pagina)[^.]{0,60}(?:bloccat|sequestrat|"
    r"inibit|oscurat)|accesul[^.]{0,60}restric[țt]ionat"
)
_GERMANIC = (
    r"zugriff blockiert|(?:zugriff|seite|zugang|webseite)[^.]{0,60}(?:gesperrt|blockiert)|blokere(?:t|r)? for adgang|"
    r"adgang[^.]{0,60}(?:spærret|blokeret)|(?:siden|nettsiden)[^.]{0,40}(?:sperret|blokkert)|(?:sidan|webbplatsen)"
    r"[^.]{0,40}(?:spärrad|blockerad)|pääsy[^.]{0,40}estetty"
)
_INDONESIAN = (
    r"internet (?:sehat|positif|baik)|trustpositif|situs[^.]{0,80}(?:terlarang|di ?blokir|kategori|diakses|indikasi)|"
    r"akses[^.]{0,60}(?:di ?blokir|ditutup|dibatasi)|tidak bisa diakses melalui jaringan|negatif konten|makluman"
)
_OTHER_TONGUES = (
    r"erişim[^.]{0,40}engel|güvenli internet|telekomünikasyon iletişim başkanlığı|(?:الموقع|الصفحة|الرابط|الوصول)[^.]"
    r"{0,80}(?:محجوب|حجب|محظور|غير متاح|غير مسموح)|تم حجب|(?:سایت|تارنما)[^.]{0,60}(?:مسدود|فیلتر)|האתר[^.]{0,40}חסומ?"
    r"|ถูกระงับ|ระงับการ(?:เข้าถึง|เผยแพร่)|유해[^.]{0,20}차단|접속(?:이|을)? ?차단|불법[^.]{0,20}차단"
    r"|truy cập[^.]{0,30}bị chặn"
    r"|该?(?:网站|网页|页面)[^。]{0,20}(?:被屏蔽|被拦截|禁止访问)|閲覧(?:が|を)?(?:制限|規制|ブロック)|πρόσβαση[^.]{0,60}(?:αποκλεισ|απαγορ)"
)
_BLOCK_HOST = (
    r"(?:block(?:ed|page|ing|domain)?|blacklist|siteblocked|deny|denied|forbidden|zapret(?:-info)?|rkn|lawfilter|"
    r"erblock|subblock|censor|restrict(?:ed)?|warning|netsafe|internetpositif|internetbaik|cleanweb\d*|prohibit)"
)

# fmt: off
NETWORK_RULES: tuple[Rule, ...] = (
    Rule("rimon", "filtered", "rimon", "strong", "header",
         r"^rimon: *RWC_BLOCK", "edgi"),
    Rule("network-server", "filtered", None, "strong", "header",
         r"^server: *(?:Protected by WireFilter|Olfeo|Barracuda/NGFirewall|BarracudaHTTP|SonicWALL|Kerio Control "
         r"Embedded)|^x-app-url: *https?://blocked\.", "ooni"),
    Rule("network-host", "filtered", None, "strong", "url",
         r"^https?://(?:[\w.-]+\.)?(?:block\.opendns\.com|(?:malware|phish)\.opendns\.com|gateway\.zscaler\w*\.net|"
         r"notify\.bluecoat\.com|alert\.scansafe\.net|lighthouse\.du\.ae|warning\.or\.kr|internet-?positif\.\w+|"
         r"mercusuar\.uzone\.id|www\.webscanningservice\.com)(?:[:/?]|$)", "ooni"),
    Rule("network-address", "filtered", None, "medium", "url",
         rf"^https?://{_BLOCK_HOST}\.[\w.-]+|/(?:blockpage|deny_page|webadmin/deny|UserCheck/PortalMain|sgerror\.php)",
         "ooni", within=3000),
    Rule("network-frame", "filtered", None, "strong", "source",
         rf"^(?:https?:)?//(?:{_BLOCK_HOST}\.[\w.-]+|10\.10\.34\.3\d|\[d0:|www\.airtel\.in/dot|proxy\.etisalat\.ae|"
         r"www\.anonymous\.com\.bh)|/webadmin/deny|[?&](?:accessurl|dpid|dpruleid)=|blockpage\.[\w-]+\.\w|"
         r"notices/parental-controls|anonymous-content-lock", "ooni", within=400),
    Rule("network-title", "filtered", None, "medium", "title",
         r"^(?:blocked(?: url| page| site)?$|block ?page|zugriff blockiert|(?:web ?)?(?:page|site) (?:is )?blocked|"
         r"access (?:to this (?:site|page) )?(?:is )?blocked|site blocked|website blocked|oops! website blocked|"
         r"internet (?:sehat|positif)|negatif konten|netsafe|indosat\w* netsafe|block-system$|federal block$|"
         r"dominio[- ]no[- ]disponible|bloqueado por|acesso bloqueado|gateprotect content filter|content filter|"
         r"web filter|stop page|gdf stop page|notification: policy:|notificaci[oó]n: pol[ií]tica)"
         r"|settings prevent access|situs terlarang|internet sehat|доступ (?:ограничен|запрещ|закрыт|к [^|]{0,60}"
         r"(?:ограничен|закрыт))|유해차단|güvenli internet", "ooni", within=4000),
    Rule("network-heading", "filtered", None, "medium", "heading",
         r"(?:this )?content is locked|content lock\b|age-restricted content|web ?(?:page|site) (?:has been |is )?"
         r"blocked|(?:site|page|access|url) blocked|internet filter|family filter|parental control",
         "ooni", within=3000),
    Rule("network-text", "filtered", None, "medium", "text",
         _BLOCKED, "ooni", within=3000),
    Rule("network-text-slavic", "filtered", None, "medium", "text",
         _SLAVIC, "ooni"),
    Rule("network-text-romance", "filtered", None, "medium", "text",
         _ROMANCE, "ooni", within=1000),
    Rule("network-text-germanic", "filtered", None, "medium", "text",
         _GERMANIC, "ooni", within=1000),
    Rule("network-text-indonesian", "filtered", None, "medium", "text",
         _INDONESIAN, "ooni", within=3000),
    Rule("network-text-other", "filtered", None, "medium", "text",
         _OTHER_TONGUES, "ooni", within=1000),
    # A provider in the Emirates answers with its own page of offers, which says nothing of a block.
    Rule("network-lighthouse", "filtered", None, "strong", "text",
         r"\blighthouse\.du\.ae\b", "ooni", within=1000),
    # Products that name themselves
    Rule("network-product", "filtered", None, "medium", "text",
         r"fortiguard (?:intrusion|web|labs)|powered by fortiguard|web page blocked|cisco umbrella|internet security "
         r"by "
         r"zscaler|zscaler to protect you|content blocked by your organi[sz]ation|websense|forcepoint|bluecoat|blue "
         r"coat|barracuda web filter|sophos utm web protection|mcafee web gateway|netsweeper|lightspeed filter|securly|"
         r"pi-hole: your black hole|blocked by adguard|contentkeeper|squidguard|dansguardian|e2guardian|untangle|"
         r"watchguard firewall|sonicwall gateway|palo alto next generation|based on your organization['’]s access "
         r"policies|in accordance with company policy|because of its (?:content )?categori[sz]ation|"
         r"content (?:filter|filtering)[^.]{0,30}blocked|blocked url|\(policy_denied\)|system policy has denied",
         "wafw00f"),
    Rule("squid-denied", "filtered", "squid", "medium", "text",
         r"access control configuration prevents your request|cache access denied", "squid"),
    Rule("squid-error", "server_error", "squid", "medium", "text",
         r"while trying to retrieve the url|your cache administrator is", "squid"),
    Rule("firewall-portal", "filtered", None, "medium", "title",
         r"^(?:user portal|captive portal|network (?:login|authentication)|hotspot (?:login|access)|guest (?:wi-?fi|"
         r"access|portal)|wi-?fi login)\b", "captured", within=300),
)
# fmt: on
