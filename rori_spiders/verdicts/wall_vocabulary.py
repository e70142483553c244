"""Detect a wall by what its page is made of: hardly a word that is not a wall's, and the shape of one.

No phrase decides here. A wall says that something failed, of which page or server, and what to do now; a page for
signing in has a field for a password and says how to use it. A text about either says something else, too: its words
are counted against the others.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rori_spiders.verdicts.verdict import FiredRule, Kind, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rori_spiders.verdicts.main_text import MainText

_CONFIDENCE = 0.7
#: Words of its own that a wall has at most, and the share of all that they are at most.
_MAX_OTHERS, _SHARE_OF_OTHERS = 8, 0.25
_MAX_WORDS = 60
#: The share below a heading that speaks of a failure.
_SHARE_UNDER_HEADING = 0.5
#: Distinct words of HTTP, and the share of words of its own, of what a server says of a request.
_LEAST_OF_PROTOCOL, _SHARE_BY_PROTOCOL = 2, 0.4
_MAX_HEADINGS, _MAX_LINKS, _MAX_LINKS_BY_FORM = 3, 10, 25
#: A line of fewer words is a label or an entry of a menu.
_LINE_WORDS = 5

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
#: Numbers that are not an error status.
_COUNT = re.compile(r"(?![45]\d\d$)\d+")
_SENTENCE_END = re.compile(r"[.!?\n]")
#: A line of the shell that is left where there is hardly another.
_COPYRIGHT = re.compile(r"^(?:©|\(c\)|copyright\b)[^\n]*", re.MULTILINE)
#: A wall says that something failed, not what to do should it fail.
_CONDITION = re.compile(
    r"(?:^\s*|(?<=\w )|(?<=, ))(?:if|whenever|unless|in case)\b.*|^\s*(?:when|where|should)\b.*", re.DOTALL
)
#: Nor does it tell what may fail or is to be told: of things in the plural, to a reader who wants something done.
_GENERAL = re.compile(
    r"(?<!our )(?<!these )(?<!many )(?<!some )(?<!\w)(?:accounts|applications|browsers|clients|documents|files|forms"
    r"|links|names|pages|records|requests|resources|sites|types|users|websites) (?:are|do|can|cannot|may|must|shall"
    r"|should|that|which|who|will|with(?:out)?)\b|^\s*(?:to \w+|report|state|describe|tell us)\b"
)
_THINGS = re.compile(r"\w+(?<![suw'’])s")
_NO_FAILURE = re.compile(r"\b(?:no|without) (?:\w+ )?(?:outages?|downtime|errors?|problems?|issues?|exceptions?)\b")
_NEGATION = re.compile(r"\b(?:not?|cannot|unable|never|without|nothing|lack|nor|missing)\b|n['’]t\b")
#: What a server says of a request that it does not take: too much of it, or a part of it that has to be there.
_EXCESS = re.compile(r"\btoo (?:large|long|big|many|high|busy|early|late|slow|old|much)\b|\bexceeds\b")
_DEMAND = re.compile(r"\b(?:requires?|required|needed|needs to|must)\b")
_OF_REQUEST = re.compile(r"\b(?:headers?|preconditions?|content-length|ur[il]|payload)\b")
#: Words that hold a sentence together and say nothing of its subject.
_FUNCTION_WORDS = (
    "a about above after all also an and any are as at be because been before being below between both but by can com "
    "could did do does done during each either else even ever every example for from get gets give go had has have he "
    "her here hers him his how however i if in into is it its itself just know let like made make may maybe me might "
    "more most much must my never new no nor not now of off often on once one only or other our ours out over own "
    "please possible probably re s same see seem seems shall she should since so some something still such t than that "
    "the their them then there therefore these they thing things this those though through thus to too under until up "
    "upon us very via was way we well were what when where whether which while who whom why will with without would "
    "yet you your yours yourself ll ve it's that's you're we're don't doesn't something's"
)
_FUNCTION = frozenset(_FUNCTION_WORDS.split())
#: By kind, what failed; the first kind that has a word decides between them.
_FAILURES: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("maintenance", re.compile(r"maintenance|offline|downtime|outages?")),
    (
        "denied",
        re.compile(
            r"den(?:y|ied)|forbidden|refus\w+|reject\w+|block\w*|bann\w+|restrict\w+|unauthori[sz]ed|prohibited"
            r"|dis(?:allowed|abled)|malicious|infected|violat\w+|suspicious"
        ),
    ),
    (
        "soft_404",
        re.compile(
            r"404|410|missing|lost|moved|removed|deleted|gone|renamed|nothing|broken|mis(?:typed|spell\w*)|nowhere"
        ),
    ),
    (
        "server_error",
        re.compile(
            r"errors?|fail(?:s|ed|ure|ures|ing)?|wrong|unable|cannot|\w{2,6}n['’]t|problems?|trouble|issues?|exceptions?"
            r"|crash\w*|oops|whoops|uh|oh|ouch|sorry|apolog\w+|inconvenience|invalid|bad|expired|exceeded|timed"
            r"|timeouts?|down|overload\w*|busy|[45]\d\d|interrupted|abort\w*|cancel\w*|terminated|dropped|corrupt\w*"
            r"|faults?|illegal|dangerous|stopped|suspended|declined|conflicts?|mismatch\w*|abuse|disco\w{3,}ed"
            r"|un\w{3,}(?:able|ed|edly|ible|ful|safe|known|ive)|in(?:accessible|complete|correct\w*|sufficient|active)"
            r"|mis(?:configur\w+|take)|exceeding|locked|unwilling|incapable|erred|unauthenticated"
        ),
    ),
)
#: What fails where a sentence denies it.
_DENIABLE: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    (
        "denied",
        re.compile(r"permissions?|permitted|allow(?:ed|s)?|privileges?|authori[sz]ed|accept(?:ed|s)?|access(?:ed)?"),
    ),
    ("soft_404", re.compile(r"found|find|exists?|existing|located?|available|accessible|here|match\w*")),
    (
        "server_error",
        re.compile(r"process(?:ed)?|complete[d]?|display(?:ed)?|connect(?:ed)?|respond\w*|supported|load|right"),
    ),
)
#: What a server, or a browser, does not do.
_DENIABLE_OF_SERVER: tuple[Kind, re.Pattern[str]] = (
    "server_error",
    re.compile(
        r"supports?|underst(?:and|ood)|compl(?:y|ied)|satisf(?:y|ied)|meets?|met|provided?|fulfil\w*|perform(?:ed)?"
        r"|implement(?:ed)?|handle[d]?|receive[d]?|serve[d]?|reach(?:ed)?|produc(?:e[d]?|ing)|recogni[sz]e[sd]?|parsed?"
    ),
)
_FAILED = re.compile("|".join(words.pattern for _, words in (*_FAILURES, *_DENIABLE, _DENIABLE_OF_SERVER)))
_SUBJECT = re.compile(
    r"pages?|(?:web)?sites?|web|servers?|requests?|requested|requesting|urls?|links?|address(?:es)?|access(?:ed|ing"
    r"|ible)?|resources?|documents?|files?|services?|systems?|applications?|apps?|browsers?|connections?|sessions?"
    r"|paths?|hosts?|internal|content|http|https|status|codes?|gateway|database|operation|actions?|object|items?"
    r"|location|internet|network|proxy|firewall|cookies?|tokens?|accounts?|users?|login|moment|time|database|data"
    r"|host\w*|headers?|dns|domains?|names?|ports?|protocols?|ssl|tls|certificates?|connect\w*|respon[sd]\w*|clients?"
    r"|virus(?:es)?|malware|polic(?:y|ies)|categor(?:y|ies)|filter\w*|cache\w*|upstream|transactions?|methods?|scheme"
    r"|encoding|length|syntax|malformed|(?:un)?supported|tunnel\w*|secur(?:e|ity)|retriev\w+|transfer\w*|redirect\w*"
    r"|loop\w*|versions?|format|parameters?|query|values?|fields?|size|limit\w*|entity|origin|remote|local|destination"
    r"|ip|socket|inactivity|communicat\w+|external|webpages?|homepages?|ur[in]s?|media|types?|ranges?|preconditions?"
    r"|conditions?|expectations?|expect|conditional|representations?|variants?|body|payload|capacity|volume|semantic"
    r"|characteristics|able|space|permanent(?:ly)?|forwarding|share|target|capable|action|authenticat\w+|instructions?|given|sent"
)
#: What HTTP itself is made of (RFC 9110), and what of it stands in no other text.
_PROTOCOL = re.compile(
    r"requests?|requested|clients?|methods?|prox(?:y|ies)|entity|media|representations?|protocols?|origin|target"
    r"|respon[sd]\w*|resources?|syntax|length|range|host|connections?"
)
_PROTOCOL_ALONE = re.compile(r"servers?|browsers?|ur[il]s?|headers?|gateway|upstream|https?|preconditions?|payload")
_REMEDY = re.compile(
    r"try|trying|again|later|soon|shortly|minutes?|seconds?|wait|back|home|homepage|return(?:ed|ing)?|contact\w*"
    r"|administrators?|admins?|support|refresh|reload|retry|check\w*|help|search\w*|webmaster|click\w*|visit|start"
    r"|main|front|take|took|use|used|using|browse|browsing|report(?:ed|ing)?|teams?|staff|look(?:s|ed|ing)?|typed?"
    r"|typing|typo|spell\w*|want(?:ed)?|need(?:ed)?|think|believe|happen(?:s|ed)?|occurr?(?:s|ed)?|process(?:ed|ing)?"
    r"|handl(?:e|ed|ing)|displayed?|load(?:ed|ing)?|open(?:ed)?|temporarily|currently|available|went|come|came"
    r"|continue|correct(?:ly)?|sure|ensure|mistake|anymore|longer|log(?:ged|s)?|sign(?:ed)?|details?|information"
    r"|message|reference|id|working|work|fix(?:ed|ing)?|resolve[ds]?|notified|aware|meantime|menu|navigation"
    r"|follow(?:ed|ing)?|bookmark\w*|hit|button|enter(?:ed)?|view(?:ed|ing)?|reach(?:ed)?|encountered|performed"
    r"|cause[ds]?|due|reasons?|different|another|perhaps|outdated|old|direct(?:ly)?|feel|free|sufficient|required"
    r"|large|long|big|short|specif(?:y|ied)|receiv(?:e[ds]?|ing)|support(?:s|ed)|understand|valid|wait(?:ed|ing)|finish\w*"
    r"|dashboard|previous|assistance|persists?|unfortunately|hello|hey|hi|hmm+|stay|tuned|thank|thanks|patience"
)
_SIGN_IN = re.compile(
    r"log(?:ged|ging|s)?|logins?|logons?|sign(?:ed|ing|s)?|in|on|up|out|users?|usernames?|names?|e?mails?|e-mail"
    r"|addresses|address|passwords?|passwd|passcodes?|passphrases?|pins?|remember\w*|forgot(?:ten)?|lost|reset|recover"
    r"|accounts?|register\w*|registration|create|submit|continue|keep|enter(?:ed)?|secure\w*|credentials?|welcome|back"
    r"|google|facebook|twitter|github|gitlab|microsoft|apple|linkedin|sso|ldap|oauth|openid|saml|single|social|access"
    r"|authenticat\w+|authori[sz]\w+|members?|required|verify|verification|codes?|tokens?|two|factor|otp|device"
    r"|correct|case|sensitive|fields?|note|invalid|incorrect|wrong|again|try|start|session|admin\w*|portal|panel"
    r"|dashboard|system|site|page|protected|private|proceed|change|click|contact|help|need|yet|already|join|free|now"
    r"|terms|privacy|policy|agree|cookies?|enabled?|show|hide|caps|lock|next|cancel|close|home|language|english|hello"
)
#: What the heading or the title of a page for signing in says, alone or with a name.
_SIGNS_IN = re.compile(r"\b(?:log|sign)(?:ging)?[ -]?(?:in|on)\b|\bpassword\b|\bauthenticat\w+\b")


def verdict_from_vocabulary(main: MainText, names: Sequence[str], *, has_form: bool) -> Verdict | None:
    """A wall, where its words and its shape agree; None for anything else. *names*: headings and parts of the title."""
    if len(main.headings) > _MAX_HEADINGS:
        return None
    return _detect_sign_in(main) if has_form else _detect_failure(main, names)


def _detect_sign_in(main: MainText) -> Verdict | None:
    """A form for a password beside which no sentence has another subject; labels and entries of menus have none."""
    named = "\n".join((main.title, *main.headings))
    words = _content_words("\n".join(line for line in main.text.split("\n") if len(line.split()) >= _LINE_WORDS))
    others = [word for word in words if not _SIGN_IN.fullmatch(word)]
    if main.links > _MAX_LINKS_BY_FORM or not _is_few(others, words):
        return None
    if _SIGNS_IN.search(f"{named}\n{main.text}"):
        return Verdict("login_wall", None, _CONFIDENCE, (FiredRule("words-of-sign-in", "main"),))
    return None


def _detect_failure(main: MainText, names: Sequence[str]) -> Verdict | None:
    shown = _COPYRIGHT.sub("", "\n".join((*main.headings, main.text)))
    words = _content_words(shown)
    if main.links > _MAX_LINKS or len(words) > _MAX_WORDS:
        return None
    others = _others(words)
    if len(others) > max(_MAX_OTHERS, _SHARE_UNDER_HEADING * len(words)):
        return None
    # A heading with other words has a topic.
    stated = "\n".join((*(one for one in main.headings if not _others(_content_words(one))), main.text))
    failures = _failures(_COPYRIGHT.sub("", stated))
    is_whole = any(map(_SUBJECT.fullmatch, words)) or len(failures) > 1
    is_made_of_it = is_whole and _is_few(others, words)
    is_headed = len(others) <= _SHARE_UNDER_HEADING * len(words) and any(map(_heads_failure, names))
    if not failures or not (is_made_of_it or is_headed or _is_of_protocol(words, others)):
        return None
    kind = next(kind for kind, _ in _FAILURES if kind in failures)
    return Verdict(kind, None, _CONFIDENCE, (FiredRule("words-of-failure", "main"),))


def _is_of_protocol(words: list[str], others: list[str]) -> bool:
    """Whether a server speaks of a request: in words of HTTP, one of which stands in no other text."""
    if len(others) > _SHARE_BY_PROTOCOL * len(words):
        return False
    alone = set(filter(_PROTOCOL_ALONE.fullmatch, words))
    return bool(alone) and len(alone | set(filter(_PROTOCOL.fullmatch, words))) >= _LEAST_OF_PROTOCOL


def _failures(text: str) -> list[Kind]:
    """The kinds of the failures that *text* states, one for each word."""
    kinds: list[Kind] = []
    for sentence in _SENTENCE_END.split(text):
        sentence = _CONDITION.sub("", sentence)
        if not (found := _failures_of(sentence)) or _GENERAL.search(sentence):
            continue
        kinds += _failures_of(_NO_FAILURE.sub("", sentence)) if _NO_FAILURE.search(sentence) else found
    return kinds


def _failures_of(sentence: str) -> list[Kind]:
    words = _content_words(sentence)
    of_kinds = _FAILURES
    if _NEGATION.search(sentence):
        is_of_server = any(map(_PROTOCOL_ALONE.fullmatch, words))
        of_kinds = (*_FAILURES, *_DENIABLE, *((_DENIABLE_OF_SERVER,) if is_of_server else ()))
    kinds = [kind for word in words for kind, failure in of_kinds if failure.fullmatch(word)]
    if _EXCESS.search(sentence) or (_DEMAND.search(sentence) and _OF_REQUEST.search(sentence)):
        kinds.append("server_error")
    return kinds


def _heads_failure(part: str) -> bool:
    """Whether a heading speaks of a failure and of hardly anything else; things in the plural are a topic."""
    words = _content_words(part)
    if not words or len(_others(words)) * 3 > len(words):
        return False
    return bool(_failures(part)) and not (_THINGS.fullmatch(words[-1]) and _SUBJECT.fullmatch(words[-1]))


def _others(words: list[str]) -> list[str]:
    return [word for word in words if not any(one.fullmatch(word) for one in (_FAILED, _SUBJECT, _REMEDY))]


def _content_words(text: str) -> list[str]:
    return [word for word in _WORD.findall(text) if word not in _FUNCTION and not _COUNT.fullmatch(word)]


def _is_few(others: list[str], words: list[str]) -> bool:
    return len(others) <= min(_MAX_OTHERS, max(1, _SHARE_OF_OTHERS * len(words)))
