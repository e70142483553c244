"""Rules of kinds that have no vendor: what walls, apologies, shells and error pages say of themselves. Data only."""

from __future__ import annotations

from rori_spiders.verdicts.rule import Rule

# A number alone is no error: "§ 404.1505", "Rule 404", "Section 404 permits", "403.5 Requirements" are titles of law.
_NOT_FOUND = (
    r"\bpage (?:was |is |could |can)?(?:not|n't) (?:be )?found|^(?:http )?(?:error )?404$|^error 404\b|\b404 "
    r"(?:error|page)\b|^404 ?[|]|\b(?:error|http|status)(?: code)?:? 404\b|404 ?[:|–—-]? ?(?:error|redirect|oops|"
    r"(?:page |file )?(?:not found|missing|does ?n[o'’]t exist))"
    r"|[|:–—-] 404$|^(?:file |page |document |resource |content |url )?not found\b"
    r"(?! (?:guilty|liable|responsible|eligible|qualified|to|by|under|unless)\b)|[-|:–—] (?:page )?not found$|"
    r"(?:page|file|document|content|resource|url)[^.]{0,30} (?:cannot|can ?not|can(?:'|’)t|could ?n[o'’]?t|was not|was|"
    r"wasn(?:'|’)t|isn(?:'|’)t) (?:be )?(?:not )?found|(?:cannot|can ?not|can(?:'|’)t) be found!?$|page you "
    r"(?:requested|are looking for|were looking for|have requested|are seeking).{0,40}(?:not|n't|n’t|"
    r"moved|removed)"
    r"|(?:can(?:'|’)?t|cannot|could ?n(?:o|'|’)t|unable to) (?:seem to )?(?:find|locate) (?:that|the|this|your|what)"
    r"[^.]{0,20}(?:page|file|document|looking|url|resource)|(?:page|document|file)[^.]{0,20} (?:does ?n(?:o|'|’)t|no "
    r"longer) exists?|^(?:missing|broken) (?:page|link)\b|^page (?:missing|unavailable|not available|error)\b"
    r"|moved or retired the (?:web ?)?page|page (?:has been|may have been) (?:moved|removed|deleted|retired)|page "
    r"(?:is )?no longer (?:available|exists)"
    r"|^nothing found(?:$| for\b)|^(?:url|page|link|document) (?:is )?no longer (?:exists|available|valid)|"
    r"^(?:content|page|"
    r"document|item|file) (?:is )?(?:not|no longer) available(?:$|[.!]| ?[|–—-])"
    r"|página no encontrada|seite nicht gefunden|page (?:introuvable|non trouvée)|pagina non trovata|página não "
    r"encontrada|страница не найдена|ページが見つかりません|页面不存在|找不到"
)
_MISSING = r"not (?:be )?found|n[o'’]t (?:find|exist|available)|no longer|moved|missing|oops|sorry|error"
_MAINTENANCE = (
    r"(?<!will be)(?<!will be )\b(?:site|system|website|page|server)?\s*(?:is )?(?:currently )?(?:down for|"
    r"under(?:going)?|in|"
    r"offline for|performing|conducting|carrying out) (?:scheduled |routine |planned |emergency |system |site |some )"
    r"{0,2}(?:maintenance|upgrades?)\b|^(?:site |website )maintenance(?: mode)?$|^maintenance mode$"
    r"|^(?:website |site |page )?(?:is )?(?:currently )?under construction$|^(?:website |site )?coming soon[.!]*$|"
    r"(?:is|be) "
    r"(?:temporarily|currently) (?:unavailable|offline|down|out of service)\b|^(?:web)?site temporarily closed|"
    r"^(?:site |website )?temporarily "
    r"(?:unavailable|offline)|temporarily unavailable|service (?:temporarily )?unavailable(?! (?:at|in|to)\b)"
    r"|^(?:system|service|"
    r"application|portal|server) (?:is )?(?:currently )?(?:unavailable|offline|down)\b(?! (?:at|in|to)\b)"
    r"|^(?:error )?503(?:$| (?:error|service|-|–|\|))|site is being updated|^(?:we(?:'|’)ll|we will) be (?:right )?back"
    r"(?: soon| shortly)?|^be (?:right )?back soon|briefly unavailable|^(?:web)?site (?:is )?(?:currently )?(?:offline|"
    r"unavailable|down)\b|(?<!will be )down for (?:maintenance|system upgrade)|\b(?:en|em) "
    r"(?:mantenimiento|maintenance|manutenção)\b|wartungsarbeiten|wird gewartet"
)
# Of elevators, roads and dwellings, too: only with words of a site that is closed.
_MAINTENANCE_WORD = r"^maintenance$|(?:scheduled|planned|routine) maintenance"
_CLOSED = r"unavailable|\boffline\b|\bback (?:online|soon|shortly|up|on|at)|check back|inconvenience|try again|patience"
_SERVER = (
    r"^(?:http )?(?:error )?50[0124](?:$|:| (?:error|internal|bad|gateway|not|-|–|\|))|\b50[0124] (?:bad gateway|"
    r"gateway time-?out|internal server error|server error)|^(?:internal )?server error(?:$|[.!:]| ?[|–—(-]| \d| in "
    r"['\"/‘]| occurred)|^runtime error|\binternal "
    r"server error\b"
    r"|^an? (?:unexpected |application )?error (?:has )?occurred|^application error|^bad gateway|^gateway "
    r"time-?out|error establishing a database connection|^database error|^fatal error|^bad request\b|^proxy error\b|"
    r"^whitelabel error|^unexpected error|^unhandled exception|^http status 5\d\d|^wordpress (?:›|&rsaquo;) error|"
    r"^(?:oops|sorry)[,!. ]+(?:something went wrong|an error (?:has )?occurred)|^something went wrong|^system error\b|"
    r"^error(?: page)?$"
)
_DENIED = (
    r"^(?:http )?(?:error )?403(?:$|:|!| (?:forbidden|error|access|unauthorized|denied|-|–|\|))|^access (?:is |to this "
    r"page has been |has been )?(?:denied|forbidden|blocked|restricted)\b|^forbidden(?:$|[ !.:|–-]+(?:error|access|"
    r"\(?403|you|by|$))|\b403 (?:error|forbidden|access)|forbidden \(?403|[|–-] (?:403|forbidden|access denied)$|"
    r"^(?:your )?request (?:has been |was |is )?(?:rejected|blocked|denied)\b|^not acceptable(?:$|!)|^blocked(?:!| "
    r"(?:request|by|ip))|^(?:you (?:have been|are|were) |ip (?:address )?)(?:blocked|banned|denied)|^permission denied|"
    r"^acc[eè]s (?:refusé|interdit)|^acceso denegado|^acesso negado|^zugriff verweigert|^доступ запрещ[её]н"
)
_HUMAN = (
    r"(?:are you|confirm (?:that )?you(?:['’]re| are)|prove (?:that )?you(?:['’]re| are)|verify (?:that "
    r")?you(?:['’]re| are)|you(?:['’]re| are) not) ?a? ?(?:human|robot|bot)\b"
    r"|(?:robot|bot) or (?:a )?human|human or (?:a )?(?:ro)?bot|prove your humanity|needs a human touch|press "
    r"(?:&|and) hold|activate and hold the button"
    r"|not a robot|confirm you are a human|humano o (?:un )?robot|usu[aá]rio humano|не робот|bist du ein "
    r"mensch|kein roboter|êtes-vous un robot"
    r"|solve (?:this|the) captcha|complete the (?:security check|captcha|challenge)|unusual (?:traffic|activity) from"
)
# fmt: off
PAGE_RULES: tuple[Rule, ...] = (
    # Proof of being human
    Rule("human-title", "captcha", None, "strong", "title",
         _HUMAN, "captured", within=1500),
    Rule("human-heading", "captcha", None, "strong", "heading",
         _HUMAN, "captured", within=1200),
    Rule("human-text", "captcha", None, "medium", "text",
         _HUMAN, "captured", within=700),
    Rule("captcha-image", "captcha", None, "medium", "text",
         r"(?:type|enter|retype) the (?:characters|letters|numbers|digits|code|text|word)s?(?: that)? (?:you see |"
         r"shown |"
         r"displayed |as (?:shown|seen) )?(?:in|from|on) (?:the|this) (?:image|picture|box|graphic)",
         "published", within=250),
    Rule("captcha-only-form", "captcha", None, "medium", "element",
         r"#captcha-form|\.(?:g-recaptcha|h-captcha)\b", "is-antibot", within=150),
    Rule("security-check-title", "challenge", None, "medium", "title",
         r"^(?:one moment|please wait|just a moment|verif\w+ (?:your browser|de segurança|you are)|verificación de|"
         r"(?:security|human|bot|browser|robot) (?:check|verification|challenge)|checking your|einen moment|un "
         r"(?:instant|"
         r"momento)|um momento|请稍候|しばらくお待ち|подождите|attention required|you are being redirected)",
         "captured", within=600),
    Rule("checking-browser", "challenge", None, "medium", "text",
         r"checking (?:if the site connection is secure|your browser)|(?:enable|requires?) javascript and cookies to "
         r"continue|verifying (?:that )?(?:you are human|your (?:browser|request)|the security)|performing (?:a )?"
         r"security (?:verification|check)|needs to review the security of your connection|uses a security service to "
         r"protect|(?:this|the) (?:process|check) is automatic|your browser will redirect to your requested content|"
         r"please (?:enable|allow|turn on) (?:javascript and )?cookies (?:to|and|in)|while we (?:check|verify) your",
         "captured", within=700),
    Rule("script-demand", "js_shell", None, "medium", "text",
         r"(?:enable|turn on|activate|allow) javascript|javascript (?:is|must be|has to be|needs to be|seems to be|"
         r"appears to be)(?: currently)? (?:required|disabled|enabled|turned o|not (?:enabled|available|supported))|(?:"
         r"requires?|needs?|without|does not support) javascript|your (?:web ?)?browser (?:is |version is )(?:not "
         r"supported|unsupported|out(?:dated| of date)|too old)|(?:upgrade|update|switch) to a (?:modern|newer|"
         r"supported|different) (?:web ?)?browser|^unsupported browser", "captured", within=400),
    Rule("enable-js-adblock", "challenge", None, "medium", "text",
         r"enable JS and disable any ad blocker", "is-antibot", within=200),
    # Refused by the publisher
    Rule("rate-title", "rate_limited", None, "strong", "title",
         r"too many requests|rate limit(?:ed)? exceeded|^(?:error )?429(?:$|:| (?:too|error|-|–))|request rate "
         r"(?:threshold|limit)", "captured", within=1500),
    Rule("rate-text", "rate_limited", None, "medium", "text",
         r"too many requests(?! (?:for|about|to) (?!your|this)\w)"
         r"|rate limit (?:has been )?exceeded|(?:you have|you've) (?:exceeded|reached) (?:the|your|a) "
         r".{0,30}(?:rate|request|quota) ?limit|you are being rate limited|exceeded a secondary rate limit|requests "
         r"(?:are )?(?:coming|sent) too (?:fast|quickly)|exceeded (?:the |your )?(?:maximum |allowed |permitted )"
         r"?(?:number of )?(?:allowed |permitted )?requests", "captured", within=500),
    Rule("denied-title", "denied", None, "medium", "title",
         _DENIED, "captured", within=1200),
    Rule("denied-heading", "denied", None, "medium", "heading",
         f"(?m){_DENIED}", "captured", within=800),
    Rule("blocked-word-heading", "denied", None, "medium", "heading",
         r"(?m)^blocked$", "captured", within=250),
    Rule("denied-place", "denied", None, "medium", "text",
         r"(?:site|page|content|resource|website)[^.]{0,40} (?:not (?:available|accessible)|unavailable|cannot be "
         r"accessed|can(?:'|’)t be accessed|blocked|restricted)[^.]{0,40} (?:in|from|for|to) your (?:country|region|"
         r"location)|(?:access|website|site)[^.]{0,40} (?:is |are )?(?:limited|restricted) to (?:visitors|users|"
         r"requests|"
         r"addresses|people) (?:from|in|within) |service (?:is )?not available in your (?:country|region)",
         "published", within=500),
    Rule("denied-text", "denied", None, "weak", "text",
         r"(?:don't|don’t|do not) have (?:permission|access|authori[sz]ation) to (?:access|view)|(?<!if )(?<!when )"
         r"(?<!where )(?<!whose )access (?:is |was |has "
         r"been )?(?:denied|forbidden|restricted)|not (?:authorized|allowed|permitted) to (?:access|view)|access "
         r"(?:to this "
         r"resource )?(?:on|from) (?:the|your) [\w ]{0,30}(?:denied|not allowed)|403 forbidden", "captured"),
    # Gone, without saying so in the status
    Rule("not-found-title", "soft_404", None, "medium", "title",
         _NOT_FOUND, "captured", within=2500),
    Rule("not-found-heading", "soft_404", None, "medium", "heading",
         f"(?m){_NOT_FOUND}", "captured", within=1800),
    Rule("not-found-number", "soft_404", None, "medium", "title",
         r"(?<!section )(?<!rule )(?<!part )(?<!form )(?<!route )(?<!cfr )(?<!§ )(?<!sec\. )\b404\b(?![.(]\w)",
         "captured",
         within=800, also=("text", _MISSING)),
    Rule("not-found-sentence", "soft_404", None, "medium", "text",
         r"(?:can(?:'|’)?t|cannot|could ?n(?:o|'|’)t|unable to) (?:seem to )?(?:find|locate) (?:that|the|this|your) "
         r"(?:web "
         r"?)?(?:page|file)|can(?:'|’)?t (?:seem to )?find what you(?:'|’)re looking for|reach a (?:url|page) that "
         r"(?:no longer|does not) exist|(?:page|content|document|item|resource|information|link|article) (?:that "
         r")?(?:you(?:'|’)re|you) (?:requested|(?:are |were |)looking for|have requested)"
         r"[^.]{0,20} (?:could not|could ?n(?:'|’)t|cannot|can(?:'|’)t|was not|was ?n(?:'|’)t|does ?n(?:o|'|’)t|may "
         r"have|"
         r"might have|has been|is no longer|is ?n(?:'|’)t)", "captured", within=450),
    Rule("not-found-text", "soft_404", None, "weak", "text",
         r"page (?:was |is |could |can)?not (?:be )?found|page (?:cannot|can't) be found|requested URL .{0,200}was not "
         r"found|(?:file|document|resource|url|content) (?:was )?not found|error 404|404 error|page (?:does not|"
         r"doesn't) "
         r"exist|(?:couldn't|can't|could not|cannot) find (?:that|the|this|your) page|no such (?:page|file)|page "
         r"(?:is )?no longer (?:available|exists)|resource (?:you are looking for )?(?:has been removed|does not "
         r"exist)",
         "captured", within=350),
    Rule("site-deleted", "soft_404", None, "medium", "text",
         r"is no longer available\. ?The authors have deleted this site|this (?:site|account|blog) has been (?:deleted|"
         r"suspended)", "captured", within=800),
    # For sale
    Rule("parked-title", "parked", None, "strong", "title",
         r"^[\w-]+(?:\.[\w-]+)+ (?:is|may be) (?:for sale|available)|\bdomain (?:name )?(?:is )?(?:for sale|available|"
         r"parking|parked|expired)\b|contact with domain owner|parked (?:domain|page|free)|^buy [\w-]+\.\w+|"
         r"hugedomains",
         "captured", within=8000),
    Rule("parked-text", "parked", None, "medium", "text",
         r"(?:this|the) (?:web ?page|domain)(?: name)? (?:is|may be|has been) (?:for sale|parked|listed for sale|"
         r"available for (?:sale|purchase))|buy (?:this|the) domain|inquire about this domain|this domain (?:name )"
         r"?(?:is|"
         r"has been|was) (?:parked|registered (?:at|with|by)|recently registered)|domain (?:name "
         r")?(?:[\w-]+\.[\w.-]+ )?(?:has |is )"
         r"?expired|"
         r"courtesy of godaddy|related searches.{0,40}privacy policy", "captured"),
    Rule("parked-script", "parked", None, "strong", "source",
         r"sedoparking|parkingcrew|\bbodis\b|parklogic|domainmarket|dan\.com/buy|above\.com/marketplace|parking-lander|"
         r"hugedomains|afternic|uniregistry|parking\.\w+\.\w+/|/caf\.js", "captured", within=500),
    Rule("parked-lander", "parked", None, "strong", "script",
         r"location(?:\.href)? ?= ?[\"']/lander|window\.park ?= ?", "published", within=100),
    # Broken or closed for a while
    Rule("server-title", "server_error", None, "medium", "title",
         _SERVER, "captured", within=1200),
    Rule("server-heading", "server_error", None, "medium", "heading",
         _SERVER, "captured", within=600),
    Rule("maintenance-title", "maintenance", None, "medium", "title",
         _MAINTENANCE, "captured", within=1000),
    Rule("maintenance-heading", "maintenance", None, "medium", "heading",
         _MAINTENANCE, "captured", within=600),
    Rule("maintenance-word-title", "maintenance", None, "medium", "title",
         _MAINTENANCE_WORD, "captured", within=1000, also=("text", _CLOSED)),
    Rule("maintenance-word-heading", "maintenance", None, "medium", "heading",
         f"(?m){_MAINTENANCE_WORD}", "captured", within=600, also=("text", _CLOSED)),
    Rule("maintenance-text", "maintenance", None, "weak", "text",
         _MAINTENANCE, "captured"),
    Rule("maintenance-word-text", "maintenance", None, "weak", "text",
         _MAINTENANCE_WORD, "captured", also=("text", rf"(?<!will be )(?:{_CLOSED})")),
    # Asked to agree, to be old enough
    Rule("consent-title", "consent_wall", None, "medium", "title",
         r"^before you continue|cookie ?(?:consent|wall)|^cookies? (?:are )?required|^(?:terms|license|end user) "
         r"(?:of use |agreement)?.{0,20}"
         r"acceptance|privacy gate|^(?:accept|agree to) (?:the )?(?:terms|license|conditions)",
         "captured", within=1500),
    Rule("consent-heading", "consent_wall", None, "medium", "heading",
         r"^(?:before you continue|we (?:value|care about|respect) your privacy|your privacy (?:matters|choices?)|"
         r"accept (?:the )?(?:terms|license)|end user license agreement|license agreement)", "captured", within=600),
    Rule("consent-text", "consent_wall", None, "medium", "text",
         r"(?:you must|please) (?:accept|agree to) (?:the|our|these|all)? ?(?:terms|license|user agreement|"
         r"conditions)[^.]{0,80}(?:before|to (?:continue|proceed|access|view|use))|click (?:on )?\W?(?:i )?(?:accept|"
         r"agree)\W? (?:below )?to (?:proceed|continue|enter|access|view)|to (?:proceed|continue|"
         r"enter)[^.]{0,40}(?:check|tick) the box|by clicking .{0,20}(?:i )?(?:accept|"
         r"agree).{0,120}(?:to (?:continue|proceed|enter))", "captured", within=1500),
    Rule("consent-cookies", "consent_wall", None, "medium", "text",
         r"(?<!not )(?:must|need to|have to) (?:accept|agree to|consent to|allow) (?:all |our |the )?cookies|without "
         r"your consent "
         r"(?:we|you) can ?not", "published", within=400),
    Rule("age-title", "age_wall", None, "medium", "title",
         r"\bage (?:verification|gate|check)(?: (?:required|page))?(?:$|[.!]| ?[|–—:-])|verify your age|are you "
         r"(?:over|at "
         r"least|of legal)|^are you (?:18|21)", "captured", within=1000,
         also=("text", r"\b(?:1[689]|21)\b|date of birth|birth ?date|of (?:legal )?age\b|adult")),
    Rule("age-text", "age_wall", None, "medium", "text",
         r"(?:are you (?:over |at least )?(?:18|21)|you must be (?:at least |over )?(?:18|21)\b[^.]{0,40} to "
         r"(?:enter|view|visit|"
         r"access|see|continue|proceed|use (?:this|our))|enter your date of birth|"
         r"confirm (?:your age\b|(?:that )?(?:you are|i am|you['’]re) (?:over |at least )?(?:18|21)\b)|of legal "
         r"(?:drinking|"
         r"smoking) age|i am (?:over |at least )?(?:18|21)\b|please verify your age)",
         "captured", within=700),
)
# fmt: on


# Rules of what servers say by themselves: their stock pages for errors, moves, and sites that are not there yet. Data
# only. Sources: ``stock`` is the default page of the server or framework that is named beside it; ``captured`` pages
# saved by public projects.

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
