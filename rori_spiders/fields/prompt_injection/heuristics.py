"""Find the stretches of a page that address a language model: by patterns, and by several weighted signs together.

Input: markdown. Output: stretches of it, up to the end of their paragraph, row or item; they ground nothing and are
not shown to the model. No sign is conclusive alone: honest pages speak of databases, correct their errors, explain
forms. English and Spanish, as U.S. regulators write. Time grows linearly with the text. What has neither pattern
nor signs is not found (docs/explanation/fields.md).
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from rori_spiders.fields.prompt_injection.patterns import ADDRESSED


class Sign(NamedTuple):
    """A sentence weighs ``weight`` for having it, once, however often it has it."""

    name: str
    weight: int
    pattern: re.Pattern[str]


def _make_sign(name: str, weight: int, *patterns: str) -> Sign:
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

#: Measured together on 151,000 sentences of law, guides, news and blogs (2026-11-23): see docs/explanation/fields.md.
SIGNS = (
    # Who is spoken to, or spoken of: what reads instead of a person.
    _make_sign(
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
    _make_sign(
        "handing",
        2,
        rf"{_HAND}(?: (?:only|just|back|over|down|out|in|with|up|always|that)){{0,2}} {_BARE}{_FOR}",
        rf"{_HAND}[^.!?\n]{{0,120}}? (?:as|como|with|by|con) {_BARE}| (?:in|by|throughout|wherever|when)\b)",
        rf"\b{_VALUE} (?:as|como) (?:the|its|an?|el|la|su|resultado)\b",
        rf"\b{_VALUE} (?:be|is to be|must be|shall be) (?:given|quoted|reported|used|shown|put|written|recorded)\b",
    ),
    # What is made of the page: an answer, a slot in it, a copy of it.
    _make_sign(
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
    _make_sign(
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
    _make_sign(
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
    _make_sign(
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
    # The sentence is about the page itself.
    _make_sign(
        "itself",
        1,
        rf"\b(?:this|our|est[ae]) (?:web )?{_HERE}\b",
        r"\bthe (?:page|table above|text above)\b|\bla (?:p[áa]gina|tabla)\b",
        (
            r"\b(?:above|elsewhere|further up|the rest of|remainder of|any other|everything (?:before|else)|arriba"
            r"|l[oa]s dem[áa]s|m[áa]s arriba)\b"
        ),
    ),
    # And its only statement about the subject is a value.
    _make_sign(
        "settled",
        1,
        (
            rf"(?:\b(?:is|are|be|being|equals?|reads?|es|sea|ser)(?: (?:really|now|only|declared to be|meant to be"
            rf"|to be))?|[:,]) {_BARE})"
        ),
    ),
)


# Stretches that steer whoever notes down values, by their signs together: one or two sentences of one paragraph, item
# or row, none longer than two pieces of ``_LONGEST`` characters.

#: What weighs as much is not shown to a model: of 12.5 million characters of honest pages nothing does (2026-11-23).
WITHHELD_WEIGHT = 6
#: What weighs as much proves nothing: 173 stretches of those pages' 151,000 sentences do, a value in them or not.
DOUBTED_WEIGHT = 3
#: The least that a sign weighs which is more than a circumstance.
_TELLING = 2
_TOTAL_WEIGHT = sum(sign.weight for sign in SIGNS)
_BLOCK = r"[ \t]{0,40}(?:\n|[-*+|#>]|\d{1,9}[.)]\s)"
_ENDS = re.compile(
    rf"(?P<block>\n(?={_BLOCK}))|[.!?][\"')*_]{{0,3}}(?:[^\S\n]+|\n(?!{_BLOCK}))(?=\W{{0,3}}[A-Z0-9¿¡]|<)"
)
#: Of a longer sentence, each so many characters are one.
_MAX_PIECE_CHARS = 300
#: Of 600 characters at most: 5 MB.
_REMEMBERED_STRETCHES = 4_096
#: Where a link leads is not said to anybody.
_TARGET = re.compile(r"\]\([^()\s]{0,2000}\)")


class SteeringStretch(NamedTuple):
    """``body[start:end]`` weighs ``weight``."""

    start: int
    end: int
    weight: int


class _Piece(NamedTuple):
    start: int
    end: int
    ends_block: bool


def find_steering(markdown: str, least: int, start: int = 0, end: int | None = None) -> Iterator[SteeringStretch]:
    """What between *start* and *end* weighs *least* or more, in order; stretches may overlap.

    A sentence counts with the one before it, which is of the stretch only if it has a sign of weight itself: an honest
    sentence is not lost for what stands behind it.
    """
    last: _Piece | None = None
    for piece in _sentence_pieces(markdown, start, len(markdown) if end is None else end):
        both = last.start if last is not None and not last.ends_block else piece.start
        weight = _weigh_stretch(markdown, both, piece.end, least)
        if weight >= least:
            alone = _weigh_stretch(markdown, piece.start, piece.end, least) >= least
            begins_before = not alone and _weigh_stretch(markdown, both, piece.start, _TELLING) >= _TELLING
            end_of_text = piece.start + len(markdown[piece.start : piece.end].rstrip())
            yield SteeringStretch(both if begins_before else piece.start, end_of_text, weight)
        last = piece


def _sentence_pieces(markdown: str, start: int, end: int) -> Iterator[_Piece]:
    begin = start
    stops = ((found.end(), found["block"] is not None) for found in _ENDS.finditer(markdown, start, end))
    for stop, ends_block in (*stops, (end, True)):
        while stop - begin > _MAX_PIECE_CHARS:
            cut = markdown.rfind(" ", begin + 1, begin + _MAX_PIECE_CHARS) + 1 or begin + _MAX_PIECE_CHARS
            yield _Piece(begin, cut, ends_block=False)
            begin = cut
        if begin < stop:
            yield _Piece(begin, stop, ends_block)
        begin = stop


def _weigh_stretch(markdown: str, start: int, end: int, least: int) -> int:
    """What it weighs from *start* to *end*; something less than *least* where it cannot weigh as much any more."""
    return _weigh_text(_TARGET.sub("]", markdown[start:end]), least)


# The same paragraph is weighed for each value that is quoted from it, and stands on many pages of a site.
@lru_cache(_REMEMBERED_STRETCHES)
def _weigh_text(text: str, least: int) -> int:
    weight, still = 0, _TOTAL_WEIGHT
    for sign in SIGNS:
        still -= sign.weight
        if sign.pattern.search(text):
            weight += sign.weight
        elif weight + still < least:
            break
    return weight


# Both: by their words (``patterns``), or by several signs. Narrow on purpose: law tells people to disregard and to
# answer as well.

#: Stands for a line that is not shown for them.
WITHHELD = "[...]"
_SENTENCE = re.compile(r"[.!?:][\"'”)*_]*\s+|\n")
#: "Important:" or "STOP." at the beginning of a line belongs to the sentence that follows.
_LEAD = re.compile(
    r"[ \t>|*+#_-]{0,200}(?:\d{1,9}[.)] )?(?:(?:\w+ ){0,2}\w+[:!]|(?i:stop|warning|attention)\.)[*_]*\s+"
)
_PARAGRAPH_ENDS = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*+|#>]|\d{1,9}[.)]\s))")


def shown_line(text: str | None, most: int) -> str:
    """The beginning of *text* as one line of at most *most* characters; ``WITHHELD`` for one that talks to a model."""
    line = " ".join((text or "").split())[:most]
    return WITHHELD if find_instructions(line) else line


def find_instructions(markdown: str) -> list[tuple[int, int]]:
    """Stretches (start, end) that address a model, in order; none overlaps another."""
    worded = ((_sentence_start(markdown, one.start()), one.end()) for one in ADDRESSED.finditer(markdown))
    weighed = ((one.start, one.end) for one in find_steering(markdown, WITHHELD_WEIGHT))
    found: list[tuple[int, int]] = []
    for start, end in sorted((*worded, *weighed)):
        if found and end <= found[-1][1]:
            continue
        ended = _PARAGRAPH_ENDS.search(markdown, end)
        begins = max(start, found[-1][1]) if found else start
        found.append((begins, ended.start() if ended else len(markdown.rstrip())))
    return found


def _sentence_start(markdown: str, at: int) -> int:
    begin = max(0, at - 400)
    ends = [found.end() for found in _SENTENCE.finditer(markdown, begin, at)]
    start = ends[-1] if ends else begin
    line = markdown.rfind("\n", 0, start) + 1
    return line if _LEAD.fullmatch(markdown, line, start) else start
