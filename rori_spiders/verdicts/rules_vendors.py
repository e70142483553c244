"""Rules of named vendors: walls that say whose they are. Data only; judge.py reads them.

Sources: ``edgi`` = EDGI web-monitoring-processing; ``wafw00f`` = EnableSecurity/wafw00f plugins; ``crawlee`` = Crawlee's
blocked selectors; ``is-antibot`` = is-antibot's signatures; ``captured`` = pages saved by public projects, 2018 to 2026.
"""

from __future__ import annotations

from rori_spiders.verdicts.rule import Rule

VENDOR_RULES: tuple[Rule, ...] = (
    # Federal Register and eCFR: 200 with an apology. Their APIs stay open (the `official` tier).
    Rule("federalregister-unblock-host", "denied", "federalregister", "strong", "url", r"^https?://unblock\.federalregister\.gov", "edgi"),
    Rule("federalregister-title", "denied", "federalregister", "strong", "title", r"^Federal Register :: Request Access", "edgi"),
    Rule(
        "federalregister-text", "denied", "federalregister", "strong", "text",
        r"programmatic access to these sites is limited to access to our extensive developer APIs", "edgi",
    ),
    # Cloudflare. `cf-ray`, `__cf_bm`, `cf_clearance` and /challenge-platform/scripts/jsd/ stand on good pages: no rules.
    Rule("cloudflare-mitigated", "challenge", "cloudflare", "strong", "header", r"^cf-mitigated: *challenge", "is-antibot"),
    Rule("cloudflare-attention", "captcha", "cloudflare", "strong", "title", r"(?:Attention Required!|Please Wait\.\.\.) \| Cloudflare", "captured"),
    Rule("cloudflare-challenge-script", "challenge", "cloudflare", "strong", "script", r"window\._cf_chl_opt|_cf_chl_ctx|jschl_(?:vc|answer)", "is-antibot"),
    Rule("cloudflare-orchestrate", "challenge", "cloudflare", "strong", "source", r"/cdn-cgi/challenge-platform/\S*orchestrate|/cdn-cgi/l/chk_jschl", "crawlee"),
    Rule("cloudflare-challenge-form", "challenge", "cloudflare", "strong", "element", r"form#challenge-form|\[jschl_|#cf-challenge-running|#trk_jschal_js", "captured"),
    Rule("cloudflare-error-code", "denied", "cloudflare", "strong", "text", r"\bError (?:code:? )?10(?:0[5-9]|1[0-5]|20)\b", "captured", also=("text", r"Ray ID")),
    Rule("cloudflare-origin", "server_error", "cloudflare", "strong", "text", r"\bError (?:code )?5(?:0[0-4]|2[0-7]|30)\b", "captured", also=("text", r"Ray ID")),
    Rule("cloudflare-turnstile-only", "challenge", "cloudflare", "medium", "element", r"\[cf-turnstile-response\]|#turnstile-wrapper|\.cf-turnstile\b", "crawlee", within=300),
    Rule("cloudflare-just-a-moment", "challenge", "cloudflare", "medium", "title", r"^Just a moment\.\.\.|^Checking your browser", "edgi"),
    # Akamai. Its `_abck` and `bm_sz` cookies stand on good pages; references #2, #9 and #15 are errors, not refusals.
    Rule("akamai-denied", "denied", "akamai", "strong", "text", r"Reference #1?8\.[0-9a-f]+\.\d+", "edgi", also=("text", r"don't have permission to access")),
    Rule("akamai-edgesuite", "denied", "akamai", "strong", "text", r"errors\.edgesuite\.net", "captured", within=400),
    Rule("akamai-invalid-url", "server_error", "akamai", "strong", "text", r"The requested URL .{0,300}, is invalid\. Reference #", "captured"),
    Rule("akamai-challenge", "challenge", "akamai", "strong", "script", r"bm-verify|/_sec/(?:verify|cp_challenge)", "captured", within=600),
    Rule("akamai-challenge-box", "challenge", "akamai", "strong", "element", r"#sec-if-cpt-container|#sec-cpt-if", "captured", within=600),
    # Amazon
    Rule("aws-waf-action", "challenge", "aws", "strong", "header", r"^x-amzn-waf-action: *challenge", "edgi"),
    Rule("aws-waf-captcha", "captcha", "aws", "strong", "header", r"^x-amzn-waf-action: *captcha", "edgi"),
    Rule("aws-waf-page", "challenge", "aws", "strong", "source", r"awswaf\.com/\S*challenge", "crawlee", within=300, also=("element", r"#challenge-container")),
    Rule("cloudfront-refused", "denied", "cloudfront", "strong", "text", r"The request could not be satisfied\.", "is-antibot", also=("text", r"Request blocked|403 ERROR|country")),
    Rule("cloudfront-error", "server_error", "cloudfront", "medium", "title", r"^ERROR: The request could not be satisfied", "is-antibot"),
    Rule("amazon-robot-check", "captcha", "amazon", "strong", "text", r"Enter the characters you see below", "captured", within=1000),
    # Imperva. Its script with SWJIYLWA= is injected into good pages; only the bare frame and the incident text count.
    Rule("imperva-incident", "denied", "imperva", "strong", "text", r"Incapsula incident ID", "wafw00f", within=600),
    Rule("imperva-frame", "challenge", "imperva", "strong", "source", r"/_Incapsula_Resource\?(?!SWJIYLWA)", "crawlee", within=200),
    Rule("imperva-page", "challenge", "imperva", "medium", "source", r"/_Incapsula_Resource", "crawlee", within=60),
    # F5
    Rule("f5-rejected", "denied", "f5", "strong", "text", r"The requested URL was rejected\. Please consult with your administrator", "wafw00f"),
    Rule("f5-shape", "challenge", "f5", "strong", "script", r"window\[.bobcmn.\]", "captured"),
    Rule("f5-tspd", "challenge", "f5", "strong", "source", r"/TSPD/", "captured", within=200),
    Rule("f5-javascript", "challenge", "f5", "medium", "noscript", r"enable JavaScript to view the page content.{0,80}support ID", "captured", within=200),
    # Others that name themselves
    Rule("datadome", "captcha", "datadome", "strong", "script", r"var dd ?= ?\{.{0,2000}captcha-delivery\.com", "is-antibot", within=300),
    Rule("datadome-frame", "captcha", "datadome", "strong", "source", r"captcha-delivery\.com", "is-antibot", within=300),
    Rule("datadome-header", "captcha", "datadome", "strong", "header", r"^x-dd-b: *[12]", "is-antibot"),
    Rule("perimeterx-box", "captcha", "perimeterx", "strong", "element", r"#px-captcha", "wafw00f", within=800),
    Rule("perimeterx-denied", "captcha", "perimeterx", "strong", "title", r"^Access to this page has been denied", "wafw00f"),
    Rule("perimeterx-script", "captcha", "perimeterx", "strong", "script", r"_pxAppId.{0,4000}(?:blockScript|px-captcha)", "wafw00f", within=800),
    Rule("kasada", "challenge", "kasada", "strong", "script", r"KPSDK\.scriptStart ?= ?KPSDK\.now", "crawlee", within=300),
    Rule("sucuri-denied", "denied", "sucuri", "strong", "title", r"^Sucuri WebSite Firewall - Access Denied", "wafw00f"),
    Rule("sucuri-header", "denied", "sucuri", "strong", "header", r"^x-sucuri-block:", "wafw00f"),
    Rule("sucuri-cookie", "challenge", "sucuri", "strong", "script", r"sucuri_cloudproxy_js", "captured"),
    Rule("sucuri-origin", "server_error", "sucuri", "strong", "text", r"Unable to Connect to the Origin Server", "captured"),
    Rule("anubis", "challenge", "anubis", "strong", "element", r"script#anubis_challenge", "is-antibot"),
    Rule("anubis-source", "challenge", "anubis", "strong", "source", r"/\.within\.website/x/cmd/anubis/", "is-antibot", within=1000),
    Rule("imunify360", "challenge", "imunify360", "strong", "text", r"Please wait while your request is being verified", "captured", within=300),
    Rule("imunify360-bot", "denied", "imunify360", "strong", "text", r"Access denied by Imunify360", "wafw00f", within=600),
    Rule("shieldsquare", "captcha", "radware", "strong", "title", r"^ShieldSquare (?:Captcha|Block)", "wafw00f"),
    Rule("radware", "captcha", "radware", "strong", "text", r"We apologize for the inconvenience\.\.\..{0,200}(?:your activity|behavior).{0,80}made us think that you are a bot", "wafw00f"),
    Rule("distil", "captcha", "distil", "strong", "element", r"#distilCaptchaForm|#distilIdentificationBlock", "wafw00f", within=800),
    Rule("barracuda", "denied", "barracuda", "strong", "text", r"Barracuda (?:Networks|Web Application Firewall).{0,200}(?:blocked|denied)|You have been blocked.{0,80}Barracuda", "wafw00f", within=800),
    Rule("wordfence", "denied", "wordfence", "strong", "text", r"Generated by Wordfence|Your access to this site has been limited by the site owner", "wafw00f", within=1500),
    Rule("modsecurity", "denied", "modsecurity", "strong", "text", r"This error was generated by Mod_Security|rejected by ModSecurity", "wafw00f", within=600),
    Rule("azure-gateway", "denied", "azure", "strong", "text", r"403 Forbidden Microsoft-Azure-Application-Gateway", "captured", within=200),
    Rule("azure-front-door", "denied", "azure", "medium", "text", r"The request is blocked\.", "wafw00f", within=200),
    Rule("google-sorry", "captcha", "google", "strong", "text", r"Our systems have detected unusual traffic from your computer network|computer or network may be sending automated queries", "captured"),
    Rule("google-sorry-host", "captcha", "google", "strong", "url", r"^https?://(?:www|ipv[46])\.google\.[a-z.]+/sorry/", "captured"),
    Rule("google-consent-host", "consent_wall", "google", "strong", "url", r"^https?://consent\.(?:google|youtube)\.", "captured"),
    Rule("sec-threshold", "rate_limited", "sec", "strong", "text", r"Request Rate Threshold Exceeded", "captured"),
    Rule("varnish-agent", "denied", None, "strong", "text", r"Your User-Agent is banned", "captured", within=600),
    Rule("erddap", "denied", "erddap", "strong", "header", r"^erddap-server:", "edgi", also=("text", r"ip address|blacklist")),
    Rule("rimon", "filtered", "rimon", "strong", "header", r"^rimon: *RWC_BLOCK", "edgi"),
    Rule("weibo-visitor", "challenge", "weibo", "strong", "title", r"^Sina Visitor System$", "captured"),
)
