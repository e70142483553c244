"""Rules of kinds that have no vendor: what walls, apologies, shells and error pages say of themselves. Data only."""

from __future__ import annotations

from rori_spiders.verdicts.rule import Rule

_NOT_FOUND = (
    r"\bpage (?:was |is |could |can)?(?:not|n't) (?:be )?found|^(?:error )?404\b|\b404(?: error)?$|\b(?:error|"
    r"http) 404\b|404 ?[:|–-]? ?(?:page |file )?not found"
    r"|^(?:file |page )?not found\b|[-|:–] (?:page )?not found$|page (?:cannot|can ?not) be found|page you "
    r"(?:requested|are looking for).{0,40}(?:not|n't)"
    r"|moved or retired the (?:web ?)?page|page (?:has been|may have been) (?:moved|removed|deleted|retired)"
    r"|página no encontrada|seite nicht gefunden|page introuvable"
)
_MAINTENANCE = (
    r"\b(?:site|system|website|page|server)?\s*(?:is )?(?:currently )?(?:down for|under(?:going)?|in) "
    r"(?:scheduled |routine |planned )?maintenance\b|^maintenance(?: mode)?$"
    r"|^under construction$|^coming soon$|temporarily unavailable|scheduled maintenance|service unavailable|"
    r"^503\b|site is being updated"
)
_SERVER = (
    r"^(?:http )?(?:error )?50[0124]\b|\b50[0124] (?:bad gateway|gateway time-?out|internal server error|"
    r"server error)|^(?:internal )?server error|^runtime error"
    r"|^an? (?:unexpected |application )?error (?:has )?occurred|^application error|^bad gateway|^gateway "
    r"time-?out|error establishing a database connection|^fatal error|^bad request\b"
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
_BLOCKED_NETWORK = (
    r"(?:this|the|access to (?:this|the)) (?:web ?)?(?:site|page|location)[^.]{0,80} (?:has been|is|was) "
    r"(?:blocked|disabled|restricted|denied)[^.]{0,60}(?:order|court|pursuant|network|provider|regulation|"
    r"policy|administrator|categor|kominfo|law\b)"
    r"|blocked by (?:an order|[\w ]{0,40}(?:parental controls?|safe|provider|your (?:network|organi[sz]ation|"
    r"administrator)))|has been blocked by an order|parental controls? (?:has|have)? ?block"
    r"|(?:is )?not accessible in (?:the )?(?:uae|your country)|prohibited under the internet access management|"
    r"internet (?:sehat|positif)|trustpositif|situs (?:terlarang|ini)[^.]{0,60}(?:terlarang|di ?blokir|"
    r"kategori|diakses|indikasi)"
    r"|доступ (?:к|ограничен)[^.]{0,80}(?:ограничен|заблокирован|запрещ)|zugriff blockiert|restricted access "
    r"to adult content|(?:has|have) blocked this site|settings (?:won't|prevent)[^.]{0,30}(?:access|allow)"
    r"|web page blocked|fortiguard|cisco umbrella|zscaler|websense|content (?:filter|"
    r"filtering)[^.]{0,30}blocked|blocked url"
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
    Rule("captcha-only-form", "captcha", None, "medium", "element",
         r"#captcha-form|\.(?:g-recaptcha|h-captcha)\b", "is-antibot", within=150),
    Rule("security-check-title", "challenge", None, "medium", "title",
         r"^(?:one moment|please wait|just a moment|verif\w+ (?:your browser|de segurança)|security check|ddos-guard|"
         r"you are being redirected)", "captured", within=600),
    Rule("checking-browser", "challenge", None, "medium", "text",
         r"checking (?:if the site connection is secure|your browser)|(?:enable|requires?) javascript and cookies to "
         r"continue|verifying (?:that )?(?:you are human|your (?:browser|request))", "captured", within=700),
    Rule("enable-js-adblock", "challenge", None, "medium", "text",
         r"enable JS and disable any ad blocker", "is-antibot", within=200),
    # Filtered on the way: the publisher never saw the request
    Rule("network-title", "filtered", None, "medium", "title",
         r"^(?:blocked(?: url)?$|blockpage|block page|zugriff blockiert|web page blocked|access blocked|site blocked|"
         r"доступ ограничен|internet (?:sehat|positif))|settings prevent access|situs terlarang",
         "captured", within=4000),
    Rule("network-text", "filtered", None, "medium", "text",
         _BLOCKED_NETWORK, "captured", within=3000),
    Rule("firewall-portal", "filtered", None, "medium", "title",
         r"^(?:user portal|captive portal|network (?:login|authentication))$", "captured", within=300),
    # Refused by the publisher
    Rule("rate-title", "rate_limited", None, "strong", "title",
         r"too many requests|rate limit(?:ed)? exceeded|^429\b|request rate", "captured", within=1500),
    Rule("rate-text", "rate_limited", None, "medium", "text",
         r"too many requests|rate limit (?:has been )?exceeded|you have exceeded (?:the|your) .{0,30}(?:rate|limit)",
         "captured", within=500),
    Rule("denied-title", "denied", None, "medium", "title",
         r"^(?:http )?(?:error )?403\b|^access (?:is )?(?:denied|forbidden)|^forbidden\b|^request (?:rejected|blocked)|"
         r"^not acceptable|^blocked\b|403 forbidden$", "captured", within=1200),
    Rule("denied-heading", "denied", None, "medium", "heading",
         r"^(?:http )?(?:error )?403\b|^access (?:is |to this page has been )?denied|^forbidden\b|^not acceptable|403 "
         r"forbidden", "captured", within=800),
    Rule("denied-text", "denied", None, "weak", "text",
         r"(?:don't|do not) have permission to access|access (?:is )?denied|you have been blocked|your ip address "
         r"(?:has been|is) (?:blocked|banned)|access is forbidden", "captured"),
    # Gone, without saying so in the status
    Rule("not-found-title", "soft_404", None, "medium", "title",
         _NOT_FOUND, "captured", within=2500),
    Rule("not-found-heading", "soft_404", None, "medium", "heading",
         _NOT_FOUND, "captured", within=1800),
    Rule("not-found-text", "soft_404", None, "weak", "text",
         r"page (?:was |is |could |can)?not (?:be )?found|page (?:cannot|can't) be found|requested URL .{0,200}was not "
         r"found|file not found|error 404", "captured", within=350),
    Rule("site-deleted", "soft_404", None, "medium", "text",
         r"is no longer available\. ?The authors have deleted this site|this (?:site|account|blog) has been (?:deleted|"
         r"suspended)", "captured", within=800),
    Rule("aspnet-not-found", "soft_404", None, "strong", "text",
         r"Server Error in '[^']{0,80}' Application\. The resource cannot be found", "captured"),
    Rule("iis-not-found", "soft_404", None, "strong", "text",
         r"HTTP Error 404\.\d+ - ", "captured"),
    # For sale
    Rule("parked-title", "parked", None, "strong", "title",
         r"\b(?:is for sale|domain (?:name )?for sale|contact with domain owner|parked (?:domain|page)|domain "
         r"parking)\b", "captured", within=8000),
    Rule("parked-text", "parked", None, "medium", "text",
         r"(?:this|the) domain (?:name )?(?:is|may be) for sale|buy this domain|inquire about this domain|this domain "
         r"(?:is|has been) (?:parked|registered)|domain has expired", "captured"),
    Rule("parked-script", "parked", None, "strong", "source",
         r"(?:sedoparking|parkingcrew|bodis|parklogic|domainmarket|dan\.com/buy|above\.com/marketplace)",
         "captured", within=500),
    # Broken or closed for a while
    Rule("aspnet-error", "server_error", None, "strong", "text",
         r"Server Error in '[^']{0,80}' Application", "captured"),
    Rule("server-title", "server_error", None, "medium", "title",
         _SERVER, "captured", within=1200),
    Rule("server-heading", "server_error", None, "medium", "heading",
         _SERVER, "captured", within=600),
    Rule("maintenance-title", "maintenance", None, "medium", "title",
         _MAINTENANCE, "captured", within=1000),
    Rule("maintenance-heading", "maintenance", None, "medium", "heading",
         _MAINTENANCE, "captured", within=600),
    Rule("maintenance-text", "maintenance", None, "weak", "text",
         _MAINTENANCE, "captured"),
    # Asked to agree, to be old enough
    Rule("consent-title", "consent_wall", None, "medium", "title",
         r"^before you continue|cookie consent|^(?:terms|license|end user) (?:of use |agreement)?.{0,20}acceptance|"
         r"privacy gate", "captured", within=1500),
    Rule("consent-text", "consent_wall", None, "medium", "text",
         r"(?:you must|please) (?:accept|agree to) (?:the|our|these|all)? ?(?:terms|license|user agreement|"
         r"conditions)[^.]{0,80}(?:before|to (?:continue|proceed|access|view|use))|by clicking .{0,20}(?:i )?(?:accept|"
         r"agree).{0,120}(?:to (?:continue|proceed|enter))", "captured", within=1500),
    Rule("age-title", "age_wall", None, "strong", "title",
         r"\bage (?:verification|gate|check)\b|verify your age|are you (?:over|at least|of legal)",
         "captured", within=1500),
    Rule("age-text", "age_wall", None, "medium", "text",
         r"(?:are you (?:over |at least )?(?:18|21)|you must be (?:at least |over )?(?:18|21)|enter your date of birth|"
         r"confirm (?:that )?you are (?:over |at least )?(?:18|21)|of legal (?:drinking|smoking) age)",
         "captured", within=700),
)
# fmt: on
