"""Numbers as Excel shows them (ECMA-376 part 1, §18.8.31): decimals, thousands, percent, currency, dates.

A format that is not understood whole shows the number as it is stored: no digit is guessed.
"""

import re
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction

from openpyxl.utils.datetime import MAC_EPOCH, WINDOWS_EPOCH, from_excel

_TOKEN = re.compile(
    r'"(?P<quoted>[^"]{0,255})"|\\(?P<escaped>.)|_.|\*.|\[\$(?P<currency>[^\]-]{0,255})(?:-[^\]]{0,255})?\]'
    r"|\[(?P<bracket>[^\]]{0,255})\]"
    r"|(?P<places>[0#?])|(?P<general>General)|(?P<date>[ymdhsYMDHS]+(?:\.0+)?|AM/PM|am/pm|A/P|a/p)|(?P<sign>[.,%/@]|[eE][+-])|(?P<text>.)",
    re.DOTALL,
)
_FRACTION = re.compile(
    r"(?P<before>[^?\d]{0,20})(?:(?P<whole>\?{1,20}) )?\?{1,5}/(?:(?P<fixed>[1-9]\d{0,4})|(?P<places>\?{1,5}))"
    r"(?P<after>[^?\d]{0,20})"
)
_COLORS = re.compile(r"(?:black|blue|cyan|green|magenta|red|white|yellow|color\s?\d+|dbnum\d|hijri)\Z", re.IGNORECASE)
_ELAPSED = re.compile(r"h+\Z|m+\Z|s+\Z", re.IGNORECASE)
_SIGNIFICANT = Context(prec=15, rounding=ROUND_HALF_UP)  # as many digits as Excel itself keeps
_LONGEST = 30  # digits; what is larger or smaller is shown by its exponent
_LONGEST_CODE = 255  # Excel's own limit


class Format:
    """One format code. ``shown`` gives the text of a number."""

    def __init__(self, code: str, *, is_1904: bool = False) -> None:
        code = code if len(code) <= _LONGEST_CODE else "General"
        self._sections = [_tokens(section) for section in _split(code)][:3]
        self._is_1904 = is_1904
        self._seen: dict[str, str] = {}

    def shown(self, number: str) -> str:
        """The text of *number*, a decimal as the file writes it; *number* itself when it is none."""
        if number not in self._seen:
            if len(self._seen) > 10_000:
                self._seen.clear()
            self._seen[number] = self._shown(number)
        return self._seen[number]

    def _shown(self, number: str) -> str:
        try:
            value = _SIGNIFICANT.create_decimal(number)
        except ArithmeticError:  # no number, or one beyond all exponents
            return number
        if not value.is_finite():
            return number
        if abs(value.adjusted()) > _LONGEST:
            return general(value)
        section, has_sign = self._section(value)
        if not section or any(kind in ("condition", "general") for kind, _ in section):
            return general(value)
        if any(kind in ("date", "elapsed") for kind, _ in section):
            return shown(value, section, is_1904=self._is_1904) or general(value)
        write = _fraction if ("sign", "/") in section else _scientific if _exponent(section) else _fixed
        text = write(abs(value), section)
        if not text:  # not understood, or a format that would show nothing
            return general(value)
        return text if has_sign or value >= 0 or not any(sign in text for sign in "123456789") else f"-{text}"

    def _section(self, value: Decimal) -> tuple[list[tuple[str, str]], bool]:
        """The section for a value, and whether that section writes the sign itself."""
        if value < 0 and len(self._sections) > 1:
            return self._sections[1], True
        if value == 0 and len(self._sections) > 2:
            return self._sections[2], True
        return self._sections[0], False


def general(value: Decimal) -> str:
    """The number without a format: its digits, without zeros that say nothing."""
    value = _SIGNIFICANT.plus(value)
    if value == 0:
        return "0"
    if abs(value.adjusted()) > _LONGEST:
        return f"{value.normalize():E}"
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _split(code: str) -> list[str]:
    """Sections, apart by semicolons that are no text."""
    return ["".join(part) for part in _parts(code)] or ["General"]


def _parts(code: str) -> list[list[str]]:
    out: list[list[str]] = [[]]
    for found in _TOKEN.finditer(code):
        if found["text"] == ";":
            out.append([])
        else:
            out[-1].append(found[0])
    return out


def _tokens(section: str) -> list[tuple[str, str]]:
    """Kind and text of each token: literal, place, sign, date, elapsed, general, condition."""
    out = []
    for found in _TOKEN.finditer(section):
        kind, text = found.lastgroup, found[found.lastgroup] if found.lastgroup else ""
        if kind == "bracket":
            if _ELAPSED.match(text):
                out.append(("elapsed", text.lower()))
            elif not _COLORS.match(text):
                out.append(("condition", text))
        elif kind in ("quoted", "escaped", "currency", "text"):
            out.append(("literal", text))
        elif kind == "places":
            out.append(("place", text))
        elif kind is not None:
            out.append((kind, text))
    return out


def _fixed(value: Decimal, section: list[tuple[str, str]]) -> str | None:
    """A number by its places; None for what is not one run of places with literals around and between."""
    signs = [text for kind, text in section if kind == "sign"]
    if any(text in "/@" or text[0] in "eE" for text in signs) or signs.count(".") > 1:
        return None
    if not any(kind == "place" for kind, _ in section):  # a word in place of the number: "none", "-"
        return "".join("%" if text == "%" else text for kind, text in section if kind == "literal" or text == "%")
    point = next((at for at, token in enumerate(section) if token == ("sign", ".")), len(section))
    whole, part = section[:point], section[point + 1 :]
    last = max((at for at, (kind, _) in enumerate(whole) if kind == "place"), default=-1)
    commas = [at for at, token in enumerate(whole) if token == ("sign", ",")]
    scale = sum(at > last for at in commas) + sum(token == ("sign", ",") for token in part)
    value = value * 100 ** signs.count("%") / Decimal(1000) ** scale
    places = [text for kind, text in part if kind == "place"]
    value = value.quantize(Decimal(1).scaleb(-len(places)), ROUND_HALF_UP, Context(prec=60))
    figures, _, decimals = format(value, "f").partition(".")
    while places and decimals.endswith("0") and places[len(decimals) - 1] == "#":
        decimals = decimals[:-1]
    before = _whole(figures, whole, grouped=any(at < last for at in commas))
    return before + _decimals(decimals, part, has_point=point < len(section))


def _exponent(section: list[tuple[str, str]]) -> int:
    """Where the sign of the exponent stands; 0 without one: a place stands before it."""
    return next((at for at, (kind, text) in enumerate(section) if kind == "sign" and text[0] in "eE"), 0)


def _scientific(value: Decimal, section: list[tuple[str, str]]) -> str | None:
    """A number as `1.50E-03`; with several places before the point its exponent is a multiple of their number."""
    at = _exponent(section)
    before, after = section[:at], section[at + 1 :]
    point = next((place for place, token in enumerate(before) if token == ("sign", ".")), len(before))
    whole, part = before[:point], before[point + 1 :]
    signs = [text for kind, text in [*whole, *part, *after] if kind == "sign"]
    step = sum(kind == "place" for kind, _ in whole)
    digits = [text for kind, text in after if kind == "place"]
    if signs or not step or not digits:
        return None
    places = [text for kind, text in part if kind == "place"]
    exponent = value.adjusted() // step * step if value else 0
    for _ in range(2):  # rounded up, 9.99 has a digit more
        shifted = value.scaleb(-exponent).quantize(Decimal(1).scaleb(-len(places)), ROUND_HALF_UP, Context(prec=60))
        if shifted < Decimal(10) ** step:
            break
        exponent += step
    figures, _, decimals = format(shifted, "f").partition(".")
    while places and decimals.endswith("0") and places[len(decimals) - 1] == "#":
        decimals = decimals[:-1]
    letter, sign = section[at][1][0], section[at][1][1:]
    mark = "-" if exponent < 0 else "+" if sign == "+" else ""
    power = str(abs(exponent)).zfill(sum(text == "0" for text in digits))
    tail = "".join(text for kind, text in after if kind == "literal")
    mantissa = _whole(figures, whole, grouped=False) + _decimals(decimals, part, has_point=point < len(before))
    return f"{mantissa}{letter}{mark}{power}{tail}"


def _fraction(value: Decimal, section: list[tuple[str, str]]) -> str | None:
    """A number as `6 7/8`, by the nearest fraction that its places have room for; None for another form."""
    form = "".join("?" if kind == "place" else text for kind, text in section)
    if (found := _FRACTION.fullmatch(form)) is None or any(kind == "sign" and text != "/" for kind, text in section):
        return None
    of = int(found["fixed"]) if found["fixed"] else 0
    whole = int(value) if found["whole"] else 0
    rest = Fraction(value) - whole
    part = (
        Fraction(int(rest * of + Fraction(1, 2)), of) if of else rest.limit_denominator(10 ** len(found["places"]) - 1)
    )
    if found["whole"] and part >= 1:
        whole, part = whole + 1, Fraction(0)
    above, below = (part * of, of) if of else (part.numerator, part.denominator)
    if found["whole"] and not part:
        return f"{found['before']}{whole}{found['after']}"
    return f"{found['before']}{f'{whole} ' if whole else ''}{above}/{below}{found['after']}"


def _whole(figures: str, tokens: list[tuple[str, str]], *, grouped: bool) -> str:
    """Figures put into their places from the right; those that are left over stand before the first place."""
    left = "" if figures == "0" else figures
    out: list[str] = []
    count = 0
    first = next((at for at, (kind, _) in enumerate(tokens) if kind == "place"), None)
    for at in range(len(tokens) - 1, -1, -1):
        kind, text = tokens[at]
        if kind == "literal" or text == "%":
            out.append(text)
        elif kind == "place":
            take = len(left) if at == first else 1
            for figure in reversed(left[-take:] if left and take else ("0" if text == "0" else "")):
                out.append("," if grouped and count and count % 3 == 0 else "")
                out.append(figure)
                count += 1
            left = left[:-take] if take else left
    return "".join(reversed(out))


def _decimals(decimals: str, tokens: list[tuple[str, str]], *, has_point: bool) -> str:
    left = iter(decimals)
    out = []
    for kind, text in tokens:
        if kind == "place":
            out.append(next(left, ""))
        elif kind == "literal" or text == "%":
            out.append(text)
    return ("." if has_point and decimals else "") + "".join(out)


# Dates and times as their formats show them, in English; Excel counts days from 1900 (or 1904).

_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September", "October"),
    *("November", "December"),
)
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_RUN = re.compile(r"y+|m+|d+|h+|s+(?:\.0+)?")
_LAST_DAY = 2_958_465  # 9999-12-31


def shown(value: Decimal, section: list[tuple[str, str]], *, is_1904: bool) -> str | None:
    """The date or time that *value* stands for, by the tokens of its format; None when it stands for none."""
    if not 0 <= value <= _LAST_DAY:
        return None
    seconds = any(kind == "date" and text.lower().startswith("s") for kind, text in section)
    has_half = any(text.lower() in ("am/pm", "a/p") for _, text in section)
    moment = _moment(value, is_1904, to_seconds=seconds)
    out = []
    tokens = _disambiguated(section)
    for kind, text in tokens:
        if kind == "elapsed":
            out.append(str(int(value * {"h": 24, "m": 1440, "s": 86400}[text[0]])))
        elif kind == "date":
            out.append(_part(moment, text, has_half=has_half))
        elif kind in ("literal", "sign"):
            out.append(text)
        elif kind == "place":
            return None
    return "".join(out)


def _moment(value: Decimal, is_1904: bool, *, to_seconds: bool) -> datetime:
    """The moment, rounded to what is shown: 9:00 is stored as 8:59:59.9999."""
    epoch = MAC_EPOCH if is_1904 else WINDOWS_EPOCH
    day = from_excel(int(value), epoch)
    start = day if isinstance(day, datetime) else datetime.combine(epoch.date(), datetime.min.time())
    seconds = round(float(value % 1) * 86400, 3 if to_seconds else 0)
    return start + timedelta(seconds=seconds)


def _disambiguated(section: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Runs of date letters, one kind of letter each; ``m`` beside hours or seconds is ``n``, minutes."""
    split: list[tuple[str, str]] = []
    for kind, text in section:
        if kind != "date" or "/" in text:
            split.append((kind, text))
            continue
        split += [("date", run) for run in _RUN.findall(text.lower())]
    letters = [
        (at, text[0]) for at, (kind, text) in enumerate(split) if kind in ("date", "elapsed") and "/" not in text
    ]
    for place, (at, letter) in enumerate(letters):
        before = letters[place - 1][1] if place else ""
        after = letters[place + 1][1] if place + 1 < len(letters) else ""
        if letter == "m" and split[at][0] == "date" and len(split[at][1]) < 3 and (before == "h" or after == "s"):
            split[at] = ("date", "n" * len(split[at][1]))
    return split


def _part(moment: datetime, token: str, *, has_half: bool) -> str:
    if "/" in token:
        half = "PM" if moment.hour >= 12 else "AM"
        return half if len(token) > 3 else half[0]
    letter, size = token[0], len(token)
    if letter == "s":
        base = token.partition(".")
        return f"{moment.second:0{len(base[0])}}" + (f".{moment.microsecond:06}"[: 1 + len(base[2])] if base[2] else "")
    if letter == "y":
        return f"{moment.year:04}" if size > 2 else f"{moment.year % 100:02}"
    if letter == "m":
        name = _MONTHS[moment.month - 1]
        return {3: name[:3], 4: name, 5: name[0]}.get(size, f"{moment.month:0{size}}")
    if letter == "d":
        name = _DAYS[moment.weekday()]
        return {3: name[:3], 4: name}.get(size, f"{moment.day:0{min(size, 2)}}")
    hour = (moment.hour - 1) % 12 + 1 if has_half else moment.hour
    return f"{hour if letter == 'h' else moment.minute:0{min(size, 2)}}"
