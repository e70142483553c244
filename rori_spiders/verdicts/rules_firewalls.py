"""Rules of firewalls and bot walls that are met less often, by the words of their own block pages. Data only.

Sources: ``wafw00f`` is EnableSecurity's plugins; ``is-antibot`` and ``crawl4ai`` those projects' signatures;
``published`` the vendor's own documentation or the page that it shows to everybody. They count only where the page has
little text beside them: an advisory that names a product is no block page.
"""

from __future__ import annotations

from rori_spiders.verdicts.rule import Rule

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
