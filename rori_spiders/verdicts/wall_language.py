"""Detect a wall by what its few sentences say: of the page itself, and to the visitor. For pages as they are converted.

A wall speaks of itself ("this page", "our website", "your request") and to who came ("try again", "to continue, sign
in"). A text about such things speaks of third parties, and of duties. One of both signs is a doubt; both are a wall.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from http import HTTPStatus

from rori_spiders.verdicts.main_text import NUMBERED_ERROR, MainText
from rori_spiders.verdicts.verdict import FiredRule, Kind, Verdict
from rori_spiders.verdicts.wall_vocabulary import verdict_from_vocabulary
from rori_spiders.verdicts.wall_wording import wall_probability

#: Characters of main text, outside links, that a wall has at most: of the walls made by template the longest has 320.
MAX_WALL_CHARS = 600
_MAX_HEADINGS = 3
#: A wall in doubt: nothing but its own sentence.
_MAX_DOUBT_CHARS = 250
#: A page that was longer than three times this had a text.
_LEAST_CHARS = 100
#: Of signing in, of cookies and of terms many short pages speak, without being a wall.
_DOUBTED: frozenset[Kind] = frozenset({"soft_404", "maintenance", "denied", "server_error", "rate_limited"})
_AMBIGUOUS: frozenset[Kind] = frozenset({"soft_404", "maintenance", "redirect_stub"})
_CONFIDENCE, _DOUBT = 0.75, 0.5
#: From so much on, the model of wordings leaves a page in doubt: of 1,231 short sections of unseen sites, 15.
WORDING_SUSPECTED = 0.7

# Texts of law, procedure and business: a wall has none of it. "Must" is no such word: "cookies must be enabled".
_OF_LAW = re.compile(
    r"\b(?:shall|pursuant|hereby|herein|thereof|§+|subsections?|paragraphs?|statutes?|plaintiffs?|defendants?|petition"
    r"(?:er)?s?|courts?|counsel|motion|ordered|repealed|borrowers?|consumers?|lenders? (?:that|who|must)|deadlines?|"
    r"fil(?:e|ed|ings) (?:due|on|within|the)|effective (?:on |january|february|march|april|may|june|july|august|sept"
    r"|oct|nov|dec)|appeals?|fees?|within \d+ (?:\w+ )?days)\b|\$\d"
)

_PAGE_NOUN = (
    r"(?:(?:web )?(?:page|site|address)|website|web ?page|url"
    r"|link|document|content|item|article|record|resource|file)s?"
)
_SYSTEM = (
    r"(?:(?:web)?sites?|web sites?|web server|portal|system|application|services?|server|page|search|"
    r"(?:online|regulations"
    r"|digital) (?:library|services?|systems?)|systems|database|platform)"
)
_ABSENT = (
    r"(?:not (?:be )?(?:found|located|here)|(?:is|was|are)(?:n['’]t| not) (?:here|there|found|available|valid|right)|"
    r"(?:ca|could|do|does|did)(?:n['’]?o?t|n['’]t| not) (?:seem to )?(?:be )?(?:found|find|exists?|located?|displayed|"
    r"lead|available)|cannot (?:be )?(?:found|find|located?|displayed)|no longer (?:exists?|available|here|"
    r"published|on)"
    r"|unavailable|not available|(?:been|was|were|may be|is) (?:moved or )?(?:removed|renamed|retired|deleted|"
    r"withdrawn|"
    r"archived|taken down)|we have deleted|(?:gone |is |are )missing|page missing|does not exist|out of date|outdated|"
    r"mistyped|typed wrong|(?:not|in)valid|any ?(?:more|longer))"
)
_ENTER = (
    r"\b(?:to|before you|before we can|until you|and) (?:continue|proceed|go (?:on|further)|enter|view|see|read|open|"
    r"get (?:in|to)|return to|visit|reach|access|show|work|show you) (?:(?:to )?(?:this|the|our) (?:page|site|website|"
    r"database|bulletin|content|article|guide|system|register|document|service)|it\b|[.,;:]|$)"
    r"|\bto (?:continue|proceed|go (?:on|further)|open|work)\b|\bbefore (?:you )?(?:enter(?:ing)?|continu(?:e|ing))\b"
)
# What a page says to somebody who wanted something else.
_TO_VISITOR = re.compile(
    r"\byou(?:['’]re|['’]ve| have| are| were| had)? (?:that )?(?:just )?(?:requested|asked for|want(?:ed)? "
    r"(?:to (?:open|"
    r"see|reach)|is)|want is|were after|after\b|look(?:ing|ed) for|(?:try|tried|trying|attempted) to|typed|entered|"
    r"followed|selected|may have|brought)|brought you here|\bthe page you want"
    r"|\b(?:try|check|come|look|go|return|visit|call) (?:again|back|later|us again|the (?:search|number|url|address)|"
    r"our (?:a to z|front|home)|after that|searching|your luck)|\bplease (?:try|check|return|wait|come|visit|use|go|"
    r"contact|repeat|follow|update|change|allow|log|sign|enter|choose|decide|read and accept|authenticate|"
    r"tick|keep|stand"
    r"|confirm|click)|\buse the (?:site map|search|navigation|menu)|\b(?:return|go|back) to (?:(?:the|our) )?"
    r"(?:home|front|main)|\bvisit "
    r"our (?:front|home)|\bsearching\b[^.?\n]{0,40}\bcan help|\bmaybe try|\bbrowse our|\bstart a new search|"
    r"\bcontact the webmaster\b"
    r"|\b(?:we(?:['’]re| are)? |our )(?:sorry|apologi[sz]e|working|looked|technicians|engineers|team|staff "
    r"has)|\bsorry\b"
    r"|\bapologi[sz]e\b|\binconvenience\b|\byour patience\b|\b(?:error|incident|event|support|reference|case|request|"
    r"session|correlation|tracking|transaction|trace|activity)"
    r" (?:id|number|code|no)\b|\badministrator\b|\b(?:help|service) desk\b|\bhas been (?:logged|notified|told)|\bwas "
    r"logged\b|\bhave been notified|\bbookmarks?\b|\bfavou?rites\b|\bif (?:nothing happens|your browser|you are not "
    r"redirected)|\btake me there\b|\bcontinue to the\b|\bclick here\b|\bthis link\b|\brefresh (?:the|this) "
    r"page|\blet us know|\bget in touch|\bgo back\b|\bback (?:online|soon|"
    r"shortly|in|this|on|within|later|by|up)\b"
    r"|\b(?:reopens?|will return|again shortly|online again)\b|\blet the author\b|\byour (?:country|location|region|"
    r"browser|network|computer|address|request|turn|session|connection|device)\b|\bthis (?:page|site|website|"
    r"web site)\b"
)
#: Where none of these words stands, "closed", "moved" and "not found" are said of other things than the page.
_OF_THE_WEB = re.compile(
    r"\b(?:(?:web)?(?:page|site)s?|web|links?|ur[il]s?|browsers?|servers?|online|portals?|applications?|systems?|database|"
    r"content|documents?|address|resource|identifier|search(?:es|ing)?|articles?|services?|back soon|shortly)\b"
)
_QUESTIONS = re.compile(
    r"\b(?:frequently asked|faqs?|questions about|(?<!choose )(?<!select )how (?:to|do)|alert|policy|"
    r"statement|schedule)\b|^(?:report|tell|ask|file|request|apply|learn|"
    r"send) (?:an?|the|us|for|about|your|to)\b|: (?:how|what|when|where|who|why)\b",
    re.MULTILINE,
)
_GREETING = re.compile(r"^(?:oops|whoops|uh-?oh|hmm|sorry|we['’]re sorry|error|woops|yikes)\b", re.MULTILINE)


@dataclass(frozen=True)
class _State:
    """What a wall of one kind says of itself. ``also`` must be said, or be on the page, too (default: to "
    "the visitor)."""

    name: str
    kind: Kind
    statement: re.Pattern[str]
    also: tuple[re.Pattern[str], ...] = ()
    needs_link: bool = False
    needs_form: bool = False


def _rule(name: str, kind: Kind, statement: str, *also: str, **needs: bool) -> _State:
    return _State(name, kind, re.compile(statement), tuple(map(re.compile, also)), **needs)


# In order of rank: the first that holds decides.
_STATES: tuple[_State, ...] = (
    _rule(
        "asks-for-human", "captcha",
        r"\bnot a robot\b|\bfrom robots\b|\byou are a (?:person|human)\b|\b(?:type|enter) the (?:letters|"
        r"characters|code|"
        r"digits)\b[^.?\n]{0,40}\b(?:image|picture)\b",
        r"\bto (?:open|get|protect|continue|proceed|see|view)\b|\btick\b|\bshow us\b",
    ),
    _rule(
        "checks-browser", "challenge",
        r"\b(?:checking|verifying|verify|checks?) (?:that )?your (?:browser|connection)|\byour (?:browser|"
        r"connection) is "
        r"being (?:verified|checked)",
        r"\bseconds\b|\bautomatically\b|\bwait\b|\bbefore you\b",
    ),
    _rule(
        "asks-for-consent",
        "consent_wall",
        r"\bcookies?\b|\bprivacy\b|\byour data\b(?! ?(?:director|folder|file|base|set))"
        r"|\bconsent\b|\bterms\b|\bdisclaimer\b|\bagreement\b|\blegal notice\b|"
        r"\b(?:the|this|our|user|software) license\b|\blicense (?:agreement|terms)\b|\bcodes only\b",
        r"\b(?:accept|agree|acknowledge|consent|choose|decide|save your|selection|allow|enabled?|turn them on|tell us)",
        rf"{_ENTER}|\bclick(?:ing)? (?:on )?(?:yes|accept|i )|\bselect accept|\breload the page|\byou can read "
        rf"the page|"
        rf"\bentering this|\btry again",
    ),
    _rule(
        "asks-for-age", "age_wall",
        r"\b(?:legal age|1[89] or older|2[01] or older|over (?:18|21)|date of birth|your age|how old)\b",
        r"\bto (?:enter|visit|view|access)\b[^.?\n]{0,30}\b(?:site|website|page)\b",
    ),
    _rule(
        "asks-for-sign-in", "login_wall",
        r"\b(?:sign(?:ed)?|log(?:ged)?)[ -]?(?:back )?(?:in|on|out)\b|\bauthenticate\b|\bcredentials\b|\bsign-in\b|"
        r"\b(?:need to know|verify) who you are|\bregistered users\b|\bfor (?:members|subscribers)\b|"
        r"\bsubscribers only\b|"
        r"\bpage is private\b|\bsession has expired\b|\byour account\b|\bemail address of your account\b|"
        r"\byour e-?mail "
        r"address\b|\bto (?:know )?who you are\b",
        rf"{_ENTER}|\bthis (?:page|guide|article|area|extranet|content|bulletin) is (?:\w+ )?(?:private|for|"
        rf"reserved|avail)"
        rf"|\bis for (?:registered|members)|\bmay enter this area|\bto read (?:it|this)|\bto get to the page|"
        rf"\bsession has "
        rf"expired|\bwill (?:send|mail) (?:you )?a (?:link|\w+ digit code)|\bif you are already a member|\bask "
        rf"its owner",
    ),
    _rule(
        "asks-for-credentials",
        "login_wall",
        r"\benter your (?:login|user ?name|user id|credentials|password|(?:verification|access|security) code)\b",
        r"\bbelow\b|\bhere\b",
    ),
    _rule(
        "asks-for-password", "login_wall",
        r"\b(?:enter|use|welcome|hello|sign|log|account|registered|login|member|details|credentials)\b",
        needs_form=True,
    ),
    _rule(
        "limits-requests", "rate_limited",
        r"\btoo many (?:requests|searches|downloads|visitors)\b|\bwaiting room\b|\b(?:very busy|high demand|"
        r"many people are)\b",
        r"\bwait\b|\bkeep this page open\b|\bdo not close\b|\bwhen it is your turn\b|\byour computer\b",
    ),
    _rule(
        "refuses", "denied",
        r"\byou(?:r (?:request|access|network|address|network address|ip|ip address|account))?\b[^.?\n]{0,50}(?:not "
        r"(?:authori[sz]ed|permitted|allowed)|\black the permission|do(?:es)? not have (?:the )?(?:level of "
        r"access|permiss"
        r"|access|privilege|right)|potential(?:ly)? (?:security )?threat|cannot be processed|\bblocked\b|look "
        r"automated)"
        r"|access (?:to this page )?(?:is|has been|was) (?:restricted|suspended|blocked)|firewall (?:of this "
        r"site )?has "
        r"stopped|\b(?:website|site|page) cannot be reached from|visitors from your|blocked it for|automated downloads",
        r"\bthis (?:page|site|website|web ?page)\b|\bcontact\b|\badministrator\b|\b(?:incident|event|support|reference|"
        r"ray|case) (?:id|number)|\bthis page\b|\byour (?:country|location|region|request|address|network)\b|"
        r"\bto open\b",
    ),
    _rule(
        "leads-elsewhere", "redirect_stub",
        rf"\b(?:{_PAGE_NOUN}|guidance|material|site|pages?)\b[^.?\n]{{0,60}}\b(?:has moved|was moved|been moved|is "
        rf"now (?:at|part|"
        rf"found)|has a new|relocated|are moving)|\bold (?:address|link)\b|\bnew (?:home|address of this)|"
        rf"\b(?:being|be) "
        rf"(?:redirected|transferred)|\babout to leave\b|\bare leaving\b|\blink to a website|\bmoving our pages",
        needs_link=True,
    ),
    _rule(
        "is-closed", "maintenance",
        rf"\b{_SYSTEM}\b[^.?\n]{{0,60}}\b(?:offline|is (?:currently )?down|(?:is|are|be) (?:currently |temporarily )?"
        rf"(?:unavailable|closed|used right now)|"
        rf"not (?:be )?available|cannot be used|switched off|(?:being|is|been) (?:upgraded|rebuilt|updated)|"
        rf"undergoing|will "
        rf"reopen|out of service)|\b(?:performing|undergoing|conducting|doing|installing) (?:an? "
        rf")?(?:scheduled |system )?"
        rf"(?:maintenance|upgrades?|updates)|\b(?:doing|carrying out) (?:some |a little )?work on (?:the|this|"
        rf"our) (?:web ?)?site|"
        rf"\btune-up\b|\bfor (?:maintenance|year-end processing)\b|\bwill be back\b|"
        rf"\bdown (?:until|for) [^.?\n]{{0,40}}(?:upgrade|maintenance)",
    ),
    _rule(
        "is-absent", "soft_404",
        rf"\b{_PAGE_NOUN}\b[^.?\n]{{0,80}}\b{_ABSENT}|\b{_ABSENT}[^.?\n]{{0,50}}\b{_PAGE_NOUN}\b|\bnothing (?:at this|"
        rf"here|was found|found)"
        rf"|\bno (?:page|record|document|item)s? (?:here|match\w*|exists?|with)\b|\b(?:broken|dead|outdated) "
        rf"link\b|\bcan(?:['’]"
        rf"?t|not) (?:seem to )?find what|\blinks? (?:is|are|may be) (?:broken|dead)\b"
        rf"|\bdoes not lead anywhere\b|\bcould not locate\b|\bwe (?:can(?:['’]t|"
        rf"not)|could(?:n['’]t| "
        rf"not)) find (?:that|the page|it)\b",
    ),
    _rule(
        "has-failed", "server_error",
        r"\b(?:something (?:(?:has |is )?(?:went|gone) (?:\w{1,20} )?wrong|broke|is broken)|"
        r"(?:problem|issue|error|fault) on our (?:end|side)|"
        r"server (?:is|was) (?:currently )?(?:overloaded|too busy)|an? (?:\w{1,20} ){0,2}error (?:has |was "
        r")?(?:occurred|"
        r"encountered|detected|prevented)|encountered an? (?:\w{1,20} ){0,2}(?:error|problem|exception)|experiencing "
        r"(?:\w{1,20} )?(?:difficulties|problems|issues)|(?:service|server|system|database|search) (?:did|does|is) not "
        r"respond\w*|kept (?:the|this) page from|"
        r"internal (?:problem|error)|"
        r"(?:could not|was "
        r"unable to|cannot) (?:complete|handle|process) your request|lost its connection|database (?:server )?(?:could "
        r"not|cannot) be reached|problem occurred|server (?:could not|was unable))",
    ),
)  # fmt: skip


# What a wall has as its heading, or as a part of its title, alone: a text about such a thing says which.
_LABELS: tuple[tuple[str, Kind, re.Pattern[str]], ...] = (
    (
        "headed-denied",
        "denied",
        re.compile(
            r"(?:error )?(?:40[13] )?(?:(?:permission|access|request|authori[sz]ation) (?:is |was |has been "
            r")?(?:denied|"
            r"refused|rejected|restricted|required)|(?:insufficient|missing|no|not enough) (?:permissions?|privileges|"
            r"access|rights)|(?:account|application|browser|client|device|request|user) (?:is )?not (?:authori[sz]ed|"
            r"allowed|permitted)(?: to .{1,40})?|not (?:authori[sz]ed|allowed|permitted)|unauthori[sz]ed|forbidden)"
        ),
    ),
    (
        "headed-error",
        "server_error",
        re.compile(
            r"(?:error )?(?:[45]\d\d )?(?:bad request|(?:internal |server |unexpected |application |system |"
            r"unknown |search |database |network |connection |request |script )(?:error|failure)"
            r"(?: occurred)?|an? (?:\w{1,20} )?error (?:was|has been) (?:encountered|detected)|technical "
            r"(?:difficult(?:y|"
            r"ies)|problems?|issues?)|(?:unable to|can(?:no|['’])t|could not) (?:display|load|show|open) (?:the |"
            r"this |your "
            r")?(?:page|document|content|request)|something went wrong|(?:an? |there was an? )(?:error|problem)(?: "
            r"occurred)?|(?:\w{1,30} )?"
            r"verification failed|unknown host|service (?:error|failure))"
        ),
    ),
    (
        "headed-apology",
        "server_error",
        re.compile(r"(?:oops|whoops|uh-?oh|hmm|yikes|woops|(?:we['’]re |we are )?(?:very )?sorry)"),
    ),
    (
        "headed-closed",
        "maintenance",
        re.compile(
            r"(?:the |this |our )?(?:\w{1,30} )?(?:site|website|shop|portal|service|system|application|page) (?:is "
            r")?(?:currently |"
            r"temporarily )?(?:offline|closed|unavailable|down|disabled|under maintenance)|(?:down for |under "
            r"|site |website |"
            r"system )?maintenance(?: mode)?"
        ),
    ),
    (
        "headed-absent",
        "soft_404",
        re.compile(
            r"(?:error )?(?:404 )?(?:(?:the |this |that |requested )?(?:page|document|content|url|file|object|record|"
            r"item|"
            r"resource|link|address) (?:was |is |could |can ?)?)?(?:not (?:be )?(?:found|displayed)|missing|does "
            r"not exist|not "
            r"available|unavailable)"
        ),
    ),
)
_SIGN_IN_LABEL = re.compile(
    r"(?:please )?(?:\w{1,20} )?(?:log|sign)[ -]?(?:in|on)(?: (?:required|here|now|page|form|area|panel|screen)"
    r"| or (?:register|sign up|create an account)| (?:to|into|with|using|as|for) .{1,60})?|authentication required|"
    r"welcome back"
)
_ACCOUNT_LABEL = re.compile(
    r"(?:forgot(?:ten)?|lost|reset(?:ting)?|recover|change)(?: your| my)? (?:password|account)\??|account recovery|"
    r"password (?:reset|recovery|reminder)|check your (?:inbox|e-?mail)|verify (?:your (?:identity|e-?mail|account)|"
    r"it['’]?s you)|two[- ](?:factor|step) (?:authentication|verification)|lock ?screen|screen locked|"
    r"session (?:locked|expired|timed out|time-?out)|your session (?:has |was )?(?:ended|expired|closed|timed out)|"
    r"(?:choose|select|pick) (?:(?:your|an) (?:identity provider|(?:home )?organi[sz]ation|institution)|(?:how|a way|"
    r"where) (?:to|you) (?:sign|log) ?(?:in|on))|enter (?:your |"
    r"the )?(?:pass|verification |security )code"
)
# What RFC 9110 and Cloudflare call errors: "405 Method Not Allowed", "Error 521: Web server is down"; without their
# numbers those that say nothing else: "Payment required" may head a form.
_PHRASES = {
    phrase: str(status)
    for status, phrase in (
        *((int(one), one.phrase.lower()) for one in HTTPStatus if one >= HTTPStatus.BAD_REQUEST),
        (520, "unknown error"), (521, "web server is down"), (522, "connection timed out"),
        (523, "origin is unreachable"), (524, "a timeout occurred"), (525, "ssl handshake failed"),
        (526, "invalid ssl certificate"),
    )
}  # fmt: skip
_NEEDS_NO_NUMBER = frozenset({"405", "500", "502", "503", "504", "521", "522", "523", "524", "525", "526"})
_PHRASED_ERROR = re.compile(
    r"(?:(?:http )?error:? ?)?\(?(?P<status>[45]\d\d)?[) :.–—-]{0,4}(?P<phrase>"
    + "|".join(sorted(map(re.escape, _PHRASES), key=len, reverse=True))
    + r")(?: error)?(?:[ (–—-]{1,3}(?:error )?[45]\d\d\)?)?"
)
# A clock that runs until a site opens.
_COUNTDOWN = re.compile(r"\bdays?\b\W{0,12}(?:\d\d?\W{1,6})?hours?\b\W{0,12}(?:\d\d?\W{1,6})?min(?:ute)?s?\b")
_OPENS = re.compile(
    r"\b(?:coming|launch\w*|opening|back|ready|live)\b[^.\n]{0,20}\b(?:soon|shortly|now)\b|\bunder (?:construction|"
    r"maintenance)\b|\bstay tuned\b|\bnotif(?:y|ied)\b|\bsubscribe\b|\bwe(?:['’]re| are) (?:launching|"
    r"working on|almost)"
)
_OPENS_LABEL = re.compile(
    r"(?:(?:the |our |this )?(?:new )?(?:web ?)?(?:site|page|store|shop) (?:is )?(?:coming|launching|opening|"
    r"back|arriving)"
    r"|(?:is )?(?:coming|launching)|we(?:['’]re| are) (?:launching|coming|opening)) (?:very )?soon|"
    r"(?:site |page )under construction"
)
_KINDS_OF_ERRORS: dict[str, Kind] = {
    "401": "login_wall",
    "403": "denied",
    "404": "soft_404",
    "410": "soft_404",
    "429": "rate_limited",
    "503": "maintenance",
}
#: Beside its phrase 503 is an error; alone, of a page that apologizes, it closes for a while.
_UNLIKE_ERRORS = {status: kind for status, kind in _KINDS_OF_ERRORS.items() if status != "503"}
_SPEAKS_OF_ERROR = re.compile(
    r"\b(?:oops|whoops|uh-?oh|sorry|errors?|wrong|bad (?:request|syntax|gateway)|unavailable|maintenance|not found|"
    r"forbidden|denied|unauthori[sz]ed|try again|go (?:back|home)|(?:back|return) (?:to|home)|take me|lost|home ?page|"
    r"nothing (?:here|to see))\b"
)
#: What stands below the number of an error as its heading.
_APOLOGY = re.compile(
    r"\b(?:oops|whoops|uh-?oh|sorry|(?:an |unknown |unexpected |fatal |server |system )error|error (?:page|occurred)"
    r"|went wrong|(?:page|file|document|site) (?:is |was |could )?(?:unavailable|missing|not (?:be )?found)"
    r"|access denied|try again|be right back|back soon|(?:you(?:['’]re| are)|page) lost|you (?:are|were) looking for)\b"
)
#: A page that is nothing but a form for a password: few words of its own, hardly a link.
_MAX_FORM_LINKS = 8
#: So many headings may stand before the one that is the title.
_LEADING = 3
#: Pages for signing in that say for whom, what for and under which conditions: those of agencies carry long warnings.
_MAX_ACCESS_CHARS = 3000
#: What a door has in its name: a portal, an account, members.
_OF_DOOR = re.compile(
    r"\b(?:sign|log)[ -]?(?:in|on)\b|\bwelcome\b|\baccess\b|\bportal\b|\baccounts?\b|\bauthori[sz]ed\b|"
    r"\bmembers?\b|\bpassword\b|\bsecure\b"
)
#: More whole sentences about something else than these make a text of its own.
_PROSE_WORDS, _MAX_PROSE = 10, 8
_SENTENCE_END, _SENTENCE_WORDS = re.compile(r"[.!?\n]"), 4
_OF_ACCESS = re.compile(
    r"\b(?:accounts?|log(?:ged|ging|s)?[ -]?(?:in|on|out)s?|logons?|sign(?:ed|ing|s)?[ -]?(?:in|on|up|out)|passwords?|"
    r"passcodes?|pins?|users?|user ?names?|registe(?:r|red|ring)|registration|(?:un)?authori[sz]\w+|authenticat\w+|"
    r"credentials?|members?|subscribers?|access|sessions?|browsers?|cookies|monitor\w*|help ?desk|service desk|"
    r"identity|systems?|portal|usage|privacy)\b"
)
_FORGOTTEN = re.compile(
    r"\b(?:forgot(?:ten)?|lost|reset)(?: your| my)? password\b|\byour password will be\b|"
    r"\breset your password\b|\benter your (?:\w+ ){1,3}(?:below|here)\b"
)
# What only a page says that asks its visitor for an account, or has just asked.
_ASKS_FOR_ACCOUNT = re.compile(
    r"\bforgot(?:ten)? (?:your|my) password\?|\benter (?:your|the) (?:registered |account )?(?:e-?mail|user ?name)"
    r"[^.\n]{0,60}\b(?:reset|recover|password|link|instructions)\b|\bwe(?:['’]ve| have| will|['’]ll)? "
    r"(?:just )?(?:sent|send|e-?mail(?:ed)?) (?:you )?(?:an?|your) (?:magic|password|reset|sign|log|verification|"
    r"confirmation|one-time)\b[^.\n]{0,30}\b(?:link|code|e-?mail|instructions)\b"
)
_MAX_ASKING_CHARS = 200
_STATUS = re.compile(r"\b[45]\d\d\b")
#: A heading that is a name of a program's part: its manual tells what may fail.
_HEADS_CODE = re.compile(r"^#{1,6} `[^`\n]*[a-z][._(][^`\n]*`$", re.MULTILINE | re.IGNORECASE)
_TITLE_PARTS = re.compile(r" [|–—·»•-] |[|:] |\n")
_MAX_LABELLED_CHARS = 400
#: Fewer characters are a label.
_LEAST_WORDING_CHARS = 20
_OF_SIGNING_IN = re.compile(r"\b(?:(?:sign|log)(?:ed|ged|ging|ing)?[ -]?(?:in|on|out)|passwords?|accounts?|cookies?)\b")


def read_main_text(markdown: str, title: str | None) -> MainText | None:
    """The main text of a page. None where it is no wall: too long, or the manual of a program's part."""
    if len(markdown) > 20 * MAX_WALL_CHARS or _HEADS_CODE.search(markdown):
        return None
    main, (opening, *sections) = MainText.read(markdown, title)
    if len(sections) < 2 and (not sections or main.own_chars <= MAX_WALL_CHARS):
        return main
    named = [part.strip(" .!…") for part in _TITLE_PARTS.split(main.title)]
    at = next((at for at, one in enumerate(main.headings[:_LEADING]) if one.strip(" .!…") in named), None)
    headed = next((f"# {part}" for part in named if at is None and _is_of_wall(part)), None)
    lead, _ = MainText.read("\n".join([headed, *opening] if headed else sections[at or 0]), title)
    return replace(main, lead=lead)


def verdict_from_language(
    main: MainText | None, *, has_form: bool, asks_name: bool = False, last_good_chars: int | None = None
) -> Verdict | None:
    """A wall, by its own words; content in doubt (`Verdict.is_doubtful`); None for anything else.

    ``has_form``: whether the page asks for a password; ``asks_name``: for a name or an address by which somebody signs
    in. ``last_good_chars``: of the page's last good text, the second witness: a page that has always been as short is
    no doubt, one that was three times as long was another.
    """
    if main is None:
        return None
    whole = _verdict_of_whole(main, has_form=has_form, asks_name=asks_name, last_good_chars=last_good_chars)
    if whole is not None and not whole.is_content:
        return whole
    if (led := _verdict_of_lead(main, has_form=has_form, asks_name=asks_name)) is not None:
        return led
    if has_form and main.links <= _MAX_FORM_LINKS and main.own_chars <= _MAX_ACCESS_CHARS:
        named = "\n".join((main.title, *main.headings[:1]))
        if (_OF_DOOR.search(named) or _FORGOTTEN.search(main.text)) and speaks_of_access(main.text, of_all=0.8):
            return Verdict("login_wall", None, _CONFIDENCE, (FiredRule("form-of-access", "element"),))
    return whole


def _verdict_of_lead(main: MainText, *, has_form: bool, asks_name: bool) -> Verdict | None:
    """What the page's first section says, however much stands below it: lists of pages, offices, other ways to search.

    Its heading has to be a wall's own; where more headings of the page are, too, the page is a list of them. A section
    that asks somebody to sign in is a box on a page that has a text, where sentences below have another subject.
    """
    if main.lead is None or not _is_of_wall(main.lead.headings[0]):
        return None
    if any(_is_of_wall(one) for one in main.headings if one != main.lead.headings[0]):
        return None
    lead = replace(main.lead, chars=main.chars)
    if _STATUS.search(lead.headings[0]) and lead.own_chars > MAX_WALL_CHARS:
        opening = lead.text.partition("\n")[0]  # what to do on the server may follow, at length
        if not _TO_VISITOR.search(opening):
            return None
        lead = replace(lead, text=opening, own_chars=len(opening), links=0)
    found = _verdict_of_whole(lead, has_form=has_form, asks_name=asks_name)
    if found is None or found.is_content:
        return None
    is_box = found.kind == "login_wall" and (has_form or asks_name)
    if is_box and _has_other_subject(main.text):
        return None
    return found


def _has_other_subject(text: str) -> bool:
    return _count_others(_sentences(text, _PROSE_WORDS)) > _MAX_PROSE


def _is_of_wall(heading: str) -> bool:
    """Whether a heading says what a wall says of itself, or is nothing but what a wall has as its heading."""
    part = heading.strip(" .!…")
    return bool(
        _GREETING.search(part)
        or any(label.fullmatch(part) for _, _, label in _LABELS)
        or any(label.fullmatch(part) for label in (_SIGN_IN_LABEL, _ACCOUNT_LABEL, NUMBERED_ERROR, _OPENS_LABEL))
        or _is_phrase_of_error(part)
        or any(state.kind in _DOUBTED and state.statement.search(part) for state in _STATES)
    )


def speaks_of_access(text: str, *, of_all: float = 0.5) -> bool:
    """Whether this share of the sentences of *text*, in small letters, is about accounts and the use of a system; one
    sentence is no text about something else.
    """
    sentences = _sentences(text, _SENTENCE_WORDS)
    return _count_others(sentences) <= max(1, (1 - of_all) * len(sentences))


def _sentences(text: str, least_words: int) -> list[str]:
    return [one for one in _SENTENCE_END.split(text) if len(one.split()) >= least_words]


def _count_others(sentences: list[str]) -> int:
    return sum(_OF_ACCESS.search(one) is None for one in sentences)


def _verdict_of_whole(
    main: MainText, *, has_form: bool, asks_name: bool, last_good_chars: int | None = None
) -> Verdict | None:
    if main.own_chars > MAX_WALL_CHARS or len(main.headings) > _MAX_HEADINGS:
        return None
    named = "\n".join((main.title, *main.headings))
    shown = shown_text(main)
    if _OF_LAW.search(shown) or _QUESTIONS.search(named):
        return None
    is_of_the_web = _OF_THE_WEB.search(shown) is not None
    speaks = _TO_VISITOR.search(main.text) or _GREETING.search(named)
    was_longer = last_good_chars is not None and last_good_chars >= 3 * max(main.own_chars, _LEAST_CHARS)
    asks_password = has_form and speaks_of_access(main.text)
    doubt: Verdict | None = None
    for state in _STATES:
        if (state.needs_form and not asks_password) or (state.needs_link and not main.links):
            continue
        at = state.statement.search(shown)
        if at is None or (state.kind in _AMBIGUOUS and not is_of_the_web):
            continue
        fired = (FiredRule(state.name, f"main:{at.start()}"),)
        also = all(one.search(shown) for one in state.also) if state.also else bool(speaks or state.needs_form)
        if also or was_longer:
            return Verdict(state.kind, None, 0.9 if also and was_longer else _CONFIDENCE, fired)
        if (
            doubt is None
            and state.kind in _DOUBTED
            and main.own_chars <= _MAX_DOUBT_CHARS
            and state.statement.search(named)
        ):
            doubt = Verdict("content", None, _DOUBT, (FiredRule(f"doubt-{state.name}", f"main:{at.start()}"),))
    labelled = _verdict_from_labels(main, named, has_form=has_form, asks_name=asks_name)
    if found := labelled or _verdict_within_shell(main):
        return found
    if last_good_chars is not None and abs(last_good_chars - main.chars) * 10 <= main.chars:
        return None  # it is as it has always been
    found = verdict_from_vocabulary(main, _TITLE_PARTS.split(named), has_form=has_form)
    is_wall = found is not None and (found.kind not in _AMBIGUOUS or is_of_the_web)
    return found if is_wall else doubt or _doubt_from_wording(main, shown, asks=has_form or asks_name)


def shown_text(main: MainText) -> str:
    """The title, the headings and the text of a page, in small letters."""
    return "\n".join((main.title, *main.headings, main.text))


def _doubt_from_wording(main: MainText, shown: str, *, asks: bool) -> Verdict | None:
    """A doubt where no rule knows the words and they are like those of walls.

    ``asks``: whether the page asks for a password or a name.
    """
    if not _LEAST_WORDING_CHARS <= main.own_chars <= _MAX_LABELLED_CHARS:
        return None
    if not asks and _OF_SIGNING_IN.search(shown):
        return None  # as in `_DOUBTED`
    if wall_probability(shown) < WORDING_SUSPECTED:
        return None
    return Verdict("content", None, _DOUBT, (FiredRule("doubt-wording", "main"),))


def _verdict_within_shell(main: MainText) -> Verdict | None:
    """What a heading and the words by it say, however much the shell around them: notices, settings, messages."""
    if _APOLOGY.search(main.below_number) and (numbered := _numbered(main.below_number.partition("\n")[0])):
        return numbered
    is_headed = main.headings and _ACCOUNT_LABEL.fullmatch(main.headings[0].strip(" .!…"))
    if is_headed and _ASKS_FOR_ACCOUNT.search(main.text):
        return Verdict("login_wall", None, _CONFIDENCE, (FiredRule("asks-for-account", "main"),))
    return None


def _verdict_from_labels(main: MainText, named: str, *, has_form: bool, asks_name: bool) -> Verdict | None:
    text = main.text
    if main.own_chars > _MAX_LABELLED_CHARS:
        return None
    parts = [part.strip(" .!…") for part in _TITLE_PARTS.split(named)]
    for name, kind, label in _LABELS:
        if any(label.fullmatch(part) for part in parts):
            return Verdict(kind, None, _CONFIDENCE, (FiredRule(name, "heading"),))
    asks = has_form or asks_name or _FORGOTTEN.search(text)
    for name, holds, label in (("headed-sign-in", asks, _SIGN_IN_LABEL), ("headed-account", True, _ACCOUNT_LABEL)):
        if holds and any(label.fullmatch(part) for part in parts):
            return Verdict("login_wall", None, _CONFIDENCE, (FiredRule(name, "heading"),))
    if numbered := _verdict_from_number(parts, named, text):
        return numbered
    numbered_lines = (line.strip(" .!…") for line in text.split("\n") if _STATUS.search(line))
    if phrased := next(filter(_is_phrase_of_error, (*parts, *numbered_lines)), None):
        status = next((one for one in _UNLIKE_ERRORS if one in phrased), "")
        return Verdict(
            _UNLIKE_ERRORS.get(status, "server_error"), None, _CONFIDENCE, (FiredRule("phrase-of-error", "heading"),)
        )
    if any(_OPENS_LABEL.fullmatch(part) for part in parts) or (
        _COUNTDOWN.search(text) and _OPENS.search(f"{named}\n{text}")
    ):
        return Verdict("maintenance", None, _CONFIDENCE, (FiredRule("opens-later", "main"),))
    return _verdict_from_form(main, has_form=has_form)


def _verdict_from_form(main: MainText, *, has_form: bool) -> Verdict | None:
    """A form that asks for a password, or a text about one, and hardly anything else."""
    if main.links > _MAX_FORM_LINKS:
        return None
    door = "\n".join((main.title, *main.headings[:1]))
    if has_form and (speaks_of_access(main.text) or _OF_DOOR.search(door)):
        return Verdict("login_wall", None, _CONFIDENCE, (FiredRule("form-for-password", "element"),))
    if main.own_chars <= _MAX_ASKING_CHARS and _ASKS_FOR_ACCOUNT.search(main.text):
        return Verdict("login_wall", None, _CONFIDENCE, (FiredRule("asks-for-account", "main"),))
    return None


def _verdict_from_number(parts: list[str], named: str, text: str) -> Verdict | None:
    numbers = (NUMBERED_ERROR.fullmatch(part.strip(" .!")) for part in (*parts, *text.split("\n")))
    number = next(filter(None, numbers), None)
    return _numbered(number[0]) if number and _SPEAKS_OF_ERROR.search(f"{named}\n{text}") else None


def _numbered(heading: str) -> Verdict | None:
    """The wall that a heading names, which is nothing but the number of an error."""
    number = NUMBERED_ERROR.fullmatch(heading.strip(" .!"))
    if number is None:
        return None
    kind = _KINDS_OF_ERRORS.get(number["status"].replace(" ", ""), "server_error")
    return Verdict(kind, None, _CONFIDENCE, (FiredRule("numbered-error", "main"),))


def _is_phrase_of_error(part: str) -> bool:
    """Whether a heading is nothing but what HTTP calls an error."""
    found = _PHRASED_ERROR.fullmatch(part)
    if found is None:
        return False
    status = _PHRASES[found["phrase"]]
    return found["status"] == status or (found["status"] is None and status in _NEEDS_NO_NUMBER)
