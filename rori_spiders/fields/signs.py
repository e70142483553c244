"""Signs of a sentence written for whoever notes down values, and not for whom a rule binds: what they are, and weigh.

None of them is an order by itself: honest pages speak of databases, correct their errors, say how a form is filled in.
What they hardly do is several of these things in one breath. English and Spanish, as U.S. regulators write.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Sign(NamedTuple):
    """A sentence weighs ``weight`` for having it, once, however often it has it."""

    name: str
    weight: int
    pattern: re.Pattern[str]


def _sign(name: str, weight: int, *patterns: str) -> Sign:
    return Sign(name, weight, re.compile("|".join(patterns), re.IGNORECASE))


_VALUE = r"[\"'`“]?(?:[-$€]{0,2}\d[\d.,]{0,20}(?<![.,]) ?%?|true|false|null|none|yes|no|verdadero|falso)[\"'`”]?"
#: Nothing follows that the value counts: not "30 days", "0 points".
_BARE = rf"{_VALUE}(?=\s*$|[.,;:!?)](?!\d)|[)\]}}*_|>]"
_FOR = (
    r"| (?:as|for|in|into|under|where\w*|when\w*|throughout|by|against|beside|instead|and|como|en|para|por|a la|al)\b)"
)
_HAND = (
    r"\b(?:answer|reply|respond|return|output|print|emit|report|record|store|save|write|put|enter|key|say|state|give|gave"
    r"|given|quote|list|show|render|reproduce|substitute|insert|note|copy|cite|transcribe|pass|hand|carry|carried"
    r"|map|tell|use|read|keep|take|choose|prefer|fill|went|goes|go|work|normali[sz]e|file"
    r"|ponga|pon|escrib[ae]|anot[ea]|registr[ea]n?|devuelv[ae]|devolver|dig[ae]|indique|respond[ae]|figurar|léase)"
    r"(?:n|s|d|ed|ing|ten)?\b"
)
_HERE = (
    r"(?:page|document|text|publication|web ?site|site|notice|sentence|line|entry|feed|article|file|p[áa]gina|documento"
    r"|texto|l[íi]nea|p[áa]rrafo)"
)
_TAKER = (
    r"(?:readers?|agents?|assistants?|machines?|systems?|tools?|programs?|programas?|software|services?|whoever|anyone"
    r"|consumers?|clerks?|editors?)"
)

#: Measured together on 151,000 sentences of law, guides, news and blogs (2026-11-23): docs/fields.md has the figures.
SIGNS = (
    # Who is spoken to, or spoken of: what reads instead of a person.
    _sign(
        "machine",
        2,
        (
            r"\b(?:LLMs?|AI|A\.I\.|GPT\w*|(?:ai|language|reading|extraction) models?|the model (?:that|which|must"
            r"|should|reading|is to)|chat ?bots?|bots?|crawlers?|scrapers?|parsers?|parsing|extractor\w*|copilots?"
            r"|summari[sz]ers?|OCR|ETL|JSON|prompt(?!ly|s|ed|ness)\w*|honeypots?)\b"
        ),
        (
            rf"\b(?:automat(?:ed|ic)|machine|digital|virtual|intelligent|data)[ -](?:\w+ )?(?:{_TAKER}|entry"
            r"|readable|summary)\b"
        ),
        (
            rf"\b{_TAKER} (?:that |who |which |is |are ){{0,2}}(?:index|read|process|gather|crawl|compil|tak|quot|copi"
            r"|extract)(?:s|es|ing|e|ed)?\b"
        ),
        r"\b(?:extraction|scraping|indexing|crawling|lookup) (?:software|tools?|results?|systems?|rules?)\b",
        r"\b(?:automatizad\w+|lector(?:es)? autom[áa]tic\w+|inteligencia artificial|al extraer|rastreadores)\b",
    ),
    # The act: to hand a value over, rather than to pay, keep, send or disclose something.
    _sign(
        "handing",
        2,
        rf"{_HAND}(?: (?:only|just|back|over|down|out|in|with|up|always|that)){{0,2}} {_BARE}{_FOR}",
        rf"{_HAND}[^.!?\n]{{0,120}}? (?:as|como|with|by|con) {_BARE}| (?:in|by|throughout|wherever|when)\b)",
        rf"\b{_VALUE} (?:as|como) (?:the|its|an?|el|la|su|resultado)\b",
        rf"\b{_VALUE} (?:be|is to be|must be|shall be) (?:given|quoted|reported|used|shown|put|written|recorded)\b",
    ),
    # What is made of the page: an answer, a slot in it, a copy of it.
    _sign(
        "product",
        2,
        (
            r"\b(?:your|the expected|the right|the correct|the final|tu|su) (?:answers?|repl(?:y|ies)|outputs?"
            r"|extraction|results?|summary|notes?|copy|respuesta|salida)\b"
        ),
        r"\b(?:model|expected|desired|forced|final)[ _](?:outputs?|answers?|values?|results?)\b|\bexpected:|\bgot:",
        r"\b(?:the|a) (?:slot|field|cell|key|blank) (?:for|named|called|marked)\b|\b(?:el campo|la casilla)\b",
        (
            r"\b(?:asked|asks|query|queries|question|pregunt\w+) (?:for|about|on|por|sobre)\b|\bquestion with\b"
            r"|^\W*(?:FAQ|Q|Question)\b.{0,300}\b(?:A|Answer|Reply)\s*:"
        ),
        (
            r"\b(?:string|value|figure|number|thing|one|what) (?:that )?(?:you|it)(?: \w+){0,4}? (?:return|hand|give"
            r"|quote|report|keep|note|bring|want|seek|submit)\b"
        ),
        (
            r"\b(?:results?|data)[ _](?:sheet|set|base)\b|\bdatabases?\b|\b(?:lookup|summary|summaries|excerpts?"
            r"|excerpting)\b|\b(?:take|get|extract|copy|gather|pull)\w* (?:\w+ ){0,4}from (?:this|the) (?:page|text|web"
            r"|site)\w*\b"
        ),
    ),
    # It puts itself above other text, or calls that void.
    _sign(
        "over",
        2,
        (
            r"\b(?:supersed\w+|overrid\w+|prevails?|takes? precedence|in (?:its|their) (?:place|stead)|takes its place"
            r"|disregard|ignore|discard)\b"
        ),
        (
            r"\b(?:typos?|typograph\w+|decoys?|placeholders?|fictional|fictitious|fake|faulty|stale|posted in error"
            r"|planted|historical purposes|(?:is|are|was|were) (?:wrong|outdated|obsolete|void|a mistake))\b"
        ),
        (
            r"\b(?:errat\w+|corrigend\w+|correction(?: notice)?:|amended to|shall be read as|to be read as|should read"
            r"|fe de erratas|léase|dato corregido)\b"
        ),
        (
            r"\b(?:may|must|should|need|do|can) ?n[o']t (?:be )?(?:\w+ )?(?:look|read|check|rel(?:y|ied)|repeat\w*"
            r"|trust\w*|quote[ds]?|verify|want)\b|\bno need to (?:check|read|look|verify)\b|\bskip (?:this|the|re)"
            r"|\bread no further\b|\bno siga leyendo\b"
        ),
        (
            r"\bwhatever (?:you|the|it|this|else|schema)\b|\bregardless of what\b|\bno matter what\b|\bif the (?:page"
            r"|text) says\b|\bin case of (?:conflict|doubt)\b|\b(?:when in|if there is any) doubt\b"
        ),
        (
            r"\b(?:not|instead of|rather than) (?:from )?the (?:page|table|text|body|number)\b|\b(?:only|single|sole)"
            r" (?:operative|valid|correct|right|acceptable|figure)\b|\b[úu]nica (?:cifra|v[áa]lid)\w*|\bsin efecto\b"
            r"|\bprevalece\b|\bhaga caso\b|\bfictici\w+\b|\bde prueba\b"
        ),
    ),
    # It plays with who reads: a part to act, a favour, a reward, an examination.
    _sign(
        "role",
        2,
        (
            r"\b(?:you are now|imagine|pretend|let us suppose|make believe|as though you|as if you|as your (?:user"
            r"|operator|boss|client)|changed my mind|imagina|finge)\b"
        ),
        (
            r"\bI (?:am|was) the \w+ (?:who|that)\b|\bI (?:want|need|order|beg|ask) you\b|\bwe ask (?:you|in return)\b"
            r"|\bthat we ask\b|\byou (?:came|are looking|are here) for\b"
        ),
        (
            r"\ba (?:tip|reward|bonus|prize) of\b|\bbe graded\b|\byour (?:boss|user|operator|developer|prompt)s?\b"
            r"|\btu desarrollador\b"
        ),
        (
            r"\b(?:kindly|pretty please|be so kind|le rogamos)\b|\b(?:unit test|test (?:case|fixture))\b"
            r"|\bonly (?:a test|for testing)\b|\bprueba autorizada\b"
        ),
    ),
    # It has the form of a program, of what a program prints, or of a form for one.
    _sign(
        "template",
        2,
        rf"(?:->|→|=>|<=|:=|==|(?<![=<>])=)\s*{_VALUE}",
        (
            r"[\"'](?:value|field|answer|result|status|role|content|note|tool)[\"']\s*:|</?(?:meta|span|div|developer"
            r"|system|output|result|field|tool\w*|function\w*|data|value|note)\b[^<>\n]{0,200}>|%%|-->|<!--"
        ),
        r"\b(?:itemprop|content|priority|status|confidence|target|forced_\w+) ?[=:] ?[\"'\w]",
        r"\b\w+\[[^\]\n]{1,80}\]\s*[<=:]",
        r"^\W*(?:SELECT|echo|assert|print|return|let)\b.{0,200}[\"'={(]",
    ),
    # It speaks of the page itself.
    _sign(
        "itself",
        1,
        rf"\b(?:this|our|est[ae]) (?:web )?{_HERE}\b",
        r"\bthe (?:page|table above|text above)\b|\bla (?:p[áa]gina|tabla)\b",
        (
            r"\b(?:above|elsewhere|further up|the rest of|remainder of|any other|everything (?:before|else)|arriba"
            r"|l[oa]s dem[áa]s|m[áa]s arriba)\b"
        ),
    ),
    # And all that it says of the subject is a value.
    _sign(
        "settled",
        1,
        (
            rf"(?:\b(?:is|are|be|being|equals?|reads?|es|sea|ser)(?: (?:really|now|only|declared to be|meant to be"
            rf"|to be))?|[:,]) {_BARE})"
        ),
    ),
)
