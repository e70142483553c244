"""Rules of what servers say by themselves: their stock pages for errors, moves, and sites that are not there yet.

Data only. Sources: ``stock`` is the default page of the server or framework that is named beside it; ``captured`` pages
saved by public projects.
"""

from __future__ import annotations

from rori_spiders.verdicts.rule import Rule

# fmt: off
SERVER_RULES: tuple[Rule, ...] = (
    # ASP.NET, IIS
    Rule("aspnet-not-found", "soft_404", None, "strong", "text",
         r"Server Error in '[^']{0,80}' Application\. The resource cannot be found", "captured"),
    Rule("iis-not-found", "soft_404", None, "strong", "text",
         r"HTTP Error 404\.\d+ - ", "captured"),
    Rule("iis-denied", "denied", None, "strong", "text",
         r"HTTP Error 40[136]\.\d+ - |403 - Forbidden: Access is denied\.", "stock", within=1500),
    Rule("iis-error", "server_error", None, "strong", "text",
         r"HTTP Error 50\d\.\d+ - ", "stock", within=1500),
    Rule("aspnet-error", "server_error", None, "strong", "text",
         r"Server Error in '[^']{0,80}' Application", "captured"),
    # Moved: the body of a redirect that was not followed
    Rule("moved-title", "redirect_stub", None, "medium", "title",
         r"^(?:object|document|page|site|website) (?:has )?(?:been )?moved\b|^30[1278] (?:moved|found|permanent|"
         r"temporary|"
         r"redirect)|^moved (?:permanently|temporarily)|^redirect(?:ing)?(?:\.{2,3}|…)?$|^(?:page |site )"
         r"?redirect(?:ion)?$",
         "stock", within=300),
    Rule("moved-text", "redirect_stub", None, "medium", "text",
         r"^object moved to here|you (?:will|should) be (?:automatically )?(?:redirected|forwarded|taken)|(?:you are|"
         r"now) "
         r"being (?:redirected|forwarded)|if you are not (?:automatically )?(?:redirected|forwarded)|if your browser "
         r"does(?:n't| not) (?:automatically )?redirect|(?:this|our|the) (?:web ?)?(?:site|page) has (?:been )?moved "
         r"to\b",
         "stock", within=400),
    # Sign in: no form here, but nothing else either
    Rule("authorization-title", "login_wall", None, "medium", "title",
         r"^(?:http )?(?:error )?401\b(?!\.?\d| ?\()|^(?:authorization|authentication|login) required|^unauthorized"
         r"(?:$|[.!:]| ?[|–—(-]| (?:access|request|user)\b)|"
         r"401 unauthorized$", "stock", within=1000),
    Rule("login-required", "login_wall", None, "medium", "text",
         r"(?:you must|please|you need to|you have to) (?:be logged in|log ?in|sign ?in|be signed in)[^.]{0,40}(?:to "
         r"(?:view|access|see|continue|read|proceed)|before|first)|(?:could not|couldn't) verify that you are "
         r"authorized|"
         r"(?:site|page) has(?:n(?:'|’)t| not) been shared with you|"
         r"^(?:session (?:has )?(?:expired|timed out)|your session has (?:expired|timed out|ended))",
         "stock", within=600),
    Rule("members-only", "login_wall", None, "medium", "text",
         r"(?:members|subscribers|registered users|licensees) only|(?:available|restricted|limited|accessible) "
         r"(?:only )"
         r"?to (?:[a-z]+ )?(?:members|subscribers|registered users|account holders)", "published", within=300,
         also=("text", r"\b(?:sign|log)[ -]?(?:in|on)\b")),
    Rule("subscribers", "login_wall", None, "medium", "text",
         r"subscribe to (?:read|continue|view|access)|(?:already a|for) subscribers?\b", "published", within=300,
         also=("text", r"\b(?:sign|log)[ -]?(?:in|on)\b")),
    Rule("sign-in-name", "login_wall", None, "medium", "element",
         r"(?m)^input#[^\n]*\[(?:loginfmt|user_?name|user_?id|j_username|identifier|login|login_?id)\]",
         "captured", within=300,
         also=("title", r"\b(?:sign|log)[ -]?(?:in|on)\b|single sign|authenticat")),
    # Errors of applications
    Rule("application-text", "server_error", None, "medium", "text",
         r"^http status 5\d\d|whitelabel error page|web application could not be started|website encountered an "
         r"unexpected error|failure of (?:web )?server .{0,20}bridge|no backend server available|there has been a "
         r"critical "
         r"error "
         r"on (?:this|your) website|error establishing a database connection|application error: a (?:client|server)"
         r"-side "
         r"exception|an? (?:unhandled|internal|unexpected) (?:server )?(?:error|exception) (?:has )?occurred|"
         r"(?:fatal|parse) error: .{0,200} on line \d|uncaught (?:exception|error)|traceback \(most recent call last\)|"
         r"microsoft ole db provider .{0,60} error|\bora-\d{5}\b|guru meditation|backend fetch failed|upstream "
         r"(?:connect|request) (?:error|timeout)|no healthy upstream|no server is available to handle|"
         r"unknown domain: |no such app\b|there isn't a github pages site here|this (?:web )?app is stopped|"
         r"the (?:service|server) is (?:temporarily )?unavailable\.?$|could not connect to (?:the )?(?:database|"
         r"server)|"
         r"unable to connect to (?:the )?(?:database|server)|our servers are currently under maintenance or "
         r"experiencing|our services aren't available right now|we(?:'|’)re (?:sorry, but something went wrong|having "
         r"trouble)", "stock", within=600),
    Rule("akamai-error", "server_error", "akamai", "medium", "text",
         r"an error occurred while processing your request\. reference #|unable to (?:complete|service) your request"
         r"[^#]{0,120}reference #", "edgi", within=600),
    # A server without a site
    Rule("default-title", "parked", None, "medium", "title",
         r"^(?:welcome to (?:nginx|openresty|centos|iis)|apache\d? (?:\w+ )?(?:default|test) page|test page for "
         r"(?:the )?"
         r"(?:apache|nginx|http)|iis windows(?: server)?$|iis7$|it works!?$|default (?:web )?(?:site )?page|domain "
         r"default "
         r"page|web server'?s default page|default parallels plesk|plesk default|site (?:is )?not (?:configured|found)|"
         r"(?:web)?site not (?:published|available)|future home of|(?:your )?new website|account suspended|"
         r"congratulations! your (?:web ?)?site)", "stock", within=3000),
    Rule("default-text", "parked", None, "medium", "text",
         r"^it works!$|if you see this page, the nginx web server|this (?:site|account|website) has been suspended|"
         r"(?:hosting|billing) account (?:has been|is) suspended|website (?:is )?(?:coming soon|not yet (?:published|"
         r"available))|future home of something|there is no website configured at this address",
         "stock", within=800),
    # A line of text and nothing else (API gateways, Envoy, Cloudflare without a page)
    Rule("line-denied", "denied", None, "weak", "text",
         r"^(?:(?:40[1356]:? ?)?(?:error:? ?)?(?:forbidden|access (?:is )?denied|not allowed|unauthorized|blocked|"
         r"request blocked|permission denied)[.!]?|rbac: access denied|error code: 10\d\d|host not in allowlist|"
         r"invalid (?:host|hostname))$", "stock", within=60),
    Rule("line-not-found", "soft_404", None, "weak", "text",
         r"^(?:(?:error )?404:? ?)?(?:page |file |resource |route )?not found[.!]?$", "stock", within=60),
    Rule("line-error", "server_error", None, "weak", "text",
         r"^(?:error code: 5\d\d|(?:50[0-4]:? ?)?(?:internal server error|bad gateway|gateway time-?out)|server error|"
         r"error|an error occurred)[.!]?$", "stock", within=60),
    Rule("line-limit", "rate_limited", None, "weak", "text",
         r"^(?:429:? ?)?(?:too many requests|rate limit(?:ed| exceeded)|slow down|error code: 1015)[.!]?$",
         "stock", within=60),
)
# fmt: on
