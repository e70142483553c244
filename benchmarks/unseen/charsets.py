"""Pages whose charset is declared wrongly or not at all: `python -m benchmarks.unseen.charsets`.

Each form of misbehaviour is served in the texts of several languages, whose words are the label. A page counts as read
rightly if each of its lines stands in the converted markdown, character for character, and its title is right. Split
by text: the rules were made on the texts of one half, of the other half (``--sealed``) only totals are printed.

With a folder, such as ``tests`` of the source package of chardet, whose folders are named for the charset of the real
pages in them: each file, without its declaration, is decoded and compared with what Python makes of it by that name.
Every second file of each folder is sealed.
"""

from __future__ import annotations

import argparse
import codecs
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rori_spiders.content.convert import Converted
from rori_spiders.content.encoding import decode
from rori_spiders.content.options import DEFAULTS
from rori_spiders.workers.assessment import assess_response

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Language, its legacy charset, and lines of a page.
DEVELOPMENT = {
    "en": ("cp1252", "Late fees may not exceed 5 % of the payment – see § 1024.37(c).", "The lender’s “final” notice costs £25 or €30."),  # noqa: E501
    "fr": ("cp1252", "Les prêteurs doivent déclarer l’intérêt dès réception.", "Le délai légal est de 30 jours après l’échéance."),  # noqa: E501
    "pl": ("iso8859-2", "Bank może żądać zapłaty odsetek za opóźnienie.", "Wysokość opłaty nie może przekroczyć 500 złotych."),  # noqa: E501
    "ru": ("koi8-r", "Банк обязан сообщить заёмщику о размере платежа.", "Срок не может превышать тридцати дней."),
    "ja": ("shift_jis", "貸付人は、返済の金額を書面で通知しなければならない。", "期間は三十日を超えてはならない。"),
    "zh": ("gbk", "贷款人应当书面通知借款人还款金额。", "期限不得超过三十日，罚款五百元。"),
    "ru, Windows": ("cp1251", "Кредитор вправе взыскать неустойку по статье 12.", "Размер штрафа — не более пятисот рублей."),  # noqa: E501
    "el": ("iso8859-7", "Η τράπεζα υποχρεούται να ενημερώσει τον οφειλέτη.", "Η προθεσμία δεν υπερβαίνει τις τριάντα ημέρες."),  # noqa: E501
    "he": ("cp1255", "הבנק חייב להודיע ללווה על סכום התשלום.", "המועד לא יעלה על שלושים יום."),
    "th": ("cp874", "ธนาคารต้องแจ้งให้ลูกหนี้ทราบถึงจำนวนเงิน", "ระยะเวลาต้องไม่เกินสามสิบวัน"),
    "sk": ("cp1250", "Veriteľ musí dlžníkovi oznámiť výšku úroku a ďalšie náklady.", "Lehota nesmie prekročiť tridsať dní, môže sa predĺžiť."),  # noqa: E501
    "tr": ("cp1254", "Banka, borçluya ödeme tutarını yazılı olarak bildirmek zorundadır.", "Süre otuz günü aşamaz, ceza beş yüz liradır."),  # noqa: E501
    "hu": ("cp1250", "A hitelező köteles az adóst írásban értesíteni a törlesztőrészletről.", "A határidő legfeljebb harminc nap, a díj ötszáz forint."),  # noqa: E501
    "da": ("cp1252", "Långiver skal underrette låntager om gebyret på årsbasis.", "Fristen må ikke overstige tredive dage efter påkrav."),  # noqa: E501
}  # fmt: skip
SEALED = {
    "de": ("cp1252", "Die Gebühr beträgt höchstens 5 % – gemäß § 12 Absatz 3.", "Der Gläubiger muß dem Schuldner die „Mahnung“ übermitteln."),  # noqa: E501
    "es": ("cp1252", "La comisión máxima será del 5 % según el artículo 7.º.", "¿Cuándo vence el plazo de la notificación?"),  # noqa: E501
    "cs": ("iso8859-2", "Věřitel musí dlužníkovi sdělit výši úroku.", "Lhůta nesmí překročit třicet dnů, pokuta činí pět set korun."),  # noqa: E501
    "uk": ("koi8-u", "Банк зобов'язаний повідомити позичальника про розмір платежу.", "Строк не може перевищувати тридцяти днів."),  # noqa: E501
    "bg": ("cp1251", "Банката е длъжна да уведоми длъжника за размера на вноската.", "Срокът не може да бъде по-дълъг от тридесет дни."),  # noqa: E501
    "ja": ("euc_jp", "消費者は契約を解除することができる。手数料は五百円とする。", "違反した者は罰金に処する。"),
    "zh": ("big5", "貸款人應以書面通知借款人還款金額。", "期限不得超過三十日，罰款五百元。"),
    "ko": ("euc_kr", "대부업자는 상환 금액을 서면으로 통지하여야 한다.", "기간은 삼십일을 초과할 수 없다."),
}  # fmt: skip


class Case(NamedTuple):
    """A response: its form, its bytes and type, and what it says."""

    name: str
    body: bytes
    content_type: str
    lines: tuple[str, ...]


def page(lines: tuple[str, ...], *, head: str = "", repeat: int = 4, before: str = "", lang: str = "en") -> str:
    body = "".join(f"<p>{number}. {line}</p>\n" for number in range(repeat) for line in lines)
    return (
        f"{before}<!DOCTYPE html>\n<html lang={lang}><head>{head}<title>{lines[0]}</title></head>\n"
        f"<body><main><h1>{lines[1]}</h1>\n{body}</main></body></html>"
    )


def _meta(charset: str) -> str:
    return f'<meta charset="{charset}">'


def _encoded(text: str, charset: str) -> bytes:
    return text.encode(charset, "xmlcharrefreplace")


def cases(texts: dict[str, tuple[str, str, str]]) -> Iterator[Case]:
    for language, (legacy, *said) in texts.items():
        lines = tuple(said)
        for name, body, kind in _forms(language, legacy, lines):
            yield Case(f"{name} ({language}, {legacy})", body, kind, lines)


def _forms(language: str, legacy: str, lines: tuple[str, ...]) -> Iterator[tuple[str, bytes, str]]:
    html, plain = "text/html", page(lines, lang=language)
    old, new = _encoded(plain, legacy), plain.encode()
    yield "legacy, undeclared", old, html
    yield "legacy, undeclared, no lang", _encoded(page(lines).replace(" lang=en", ""), legacy), html
    yield "legacy, long ASCII before it", _encoded(page(("x" * 9000, *lines)[1:], head=f"<script>{'var a = 1;' * 3000}</script>"), legacy), html  # noqa: E501  # fmt: skip
    yield "legacy, header says UTF-8", old, f"{html}; charset=utf-8"
    yield "legacy, meta says UTF-8", _encoded(page(lines, head=_meta("utf-8")), legacy), html
    yield "legacy, header right and meta UTF-8", _encoded(page(lines, head=_meta("utf-8")), legacy), f"{html}; charset={legacy}"  # noqa: E501  # fmt: skip
    yield "legacy, meta right and header UTF-8", _encoded(page(lines, head=_meta(legacy)), legacy), f"{html}; charset=UTF-8"  # noqa: E501  # fmt: skip
    yield "legacy, meta past 1,024 bytes", _encoded(page(lines, head=f"<!-- {'-' * 3000} -->{_meta(legacy)}"), legacy), html  # noqa: E501  # fmt: skip
    yield "legacy, meta past 16 KB", _encoded(page(lines, head=f"<style>{'p { margin: 0 }' * 1200}</style>{_meta(legacy)}"), legacy), html  # noqa: E501  # fmt: skip
    yield "legacy, meta with http-equiv", _encoded(page(lines, head=f"<meta content='text/html; charset={legacy}' http-equiv=Content-Type>"), legacy), html  # noqa: E501  # fmt: skip
    yield "legacy, XML declaration", _encoded(page(lines, before=f'<?xml version="1.0" encoding="{legacy}"?>\n'), legacy), html  # noqa: E501  # fmt: skip
    yield "legacy, header junk", old, f"{html}; charset="
    yield "legacy, header names nothing, meta right", _encoded(page(lines, head=_meta(legacy)), legacy), f"{html}; charset=binary"  # noqa: E501  # fmt: skip
    yield "legacy, header twice", _encoded(page(lines), legacy), f"{html}; charset=none; charset={legacy}"
    yield "legacy, one bad byte, declared", old.replace(b"</h1>", b"\xff</h1>", 1), f"{html}; charset={legacy}"
    yield "legacy, truncated at the end", old[: old.rindex(b"</p>") - 1], html
    yield "legacy, a script in UTF-8", _encoded(page(lines, head=f"<script>var s = '{'é' * 9}'</script>"), legacy).replace(_encoded("é", legacy) * 9, "é".encode() * 9), html  # noqa: E501  # fmt: skip
    yield "legacy, NUL bytes", old.replace(b"</p>", b"\0</p>"), f"{html}; charset={legacy}"
    yield "UTF-8, undeclared", new, html
    yield "UTF-8, header latin-1", new, f"{html}; charset=ISO-8859-1"
    yield "UTF-8, header legacy", new, f"{html}; charset={legacy}"
    yield "UTF-8, meta legacy", page(lines, head=_meta(legacy)).encode(), html
    yield "UTF-8, XML declaration legacy", page(lines, before=f'<?xml version="1.0" encoding="{legacy}"?>').encode(), html  # noqa: E501  # fmt: skip
    yield "UTF-8, BOM against header and meta", b"\xef\xbb\xbf" + page(lines, head=_meta(legacy)).encode(), f"{html}; charset={legacy}"  # noqa: E501  # fmt: skip
    yield "UTF-8, two BOMs", b"\xef\xbb\xbf\xef\xbb\xbf" + new, html
    yield "UTF-8, blank lines before the BOM", b"\r\n\r\n\xef\xbb\xbf" + new, html
    yield "UTF-8, header UTF-16", new, f"{html}; charset=utf-16"
    yield "UTF-8, header junk", new, f'{html}; charset="utf8'
    yield "UTF-8, header unquoted junk", new, f"{html};charset=utf-8,text/html"
    yield "UTF-8, truncated in a character", new[: new.rindex(b"</p>") - 2], html
    yield "UTF-8, cut characters in 3 places", _cut(new, 3), f"{html}; charset=utf-8"
    yield "UTF-8, one line in Windows-1252", new.replace(b"</main>", b"<p>caf\xe9 \x96 15 Rue</p></main>"), html
    yield "UTF-8, NUL bytes", new.replace(b"</p>", b"\0</p>"), html
    yield "UTF-8, header says UTF-7", new, f"{html}; charset=utf-7"
    yield "UTF-8, header says a Python codec", new, f"{html}; charset=rot13"
    yield "UTF-8, surrogates as CESU-8", new.replace(b"</main>", b"<p>\xed\xa0\xbd\xed\xb8\x80</p></main>"), html
    yield "UTF-16 LE with BOM, header UTF-8", b"\xff\xfe" + plain.encode("utf-16-le"), f"{html}; charset=utf-8"
    yield "UTF-16 BE with BOM", b"\xfe\xff" + plain.encode("utf-16-be"), html
    yield "UTF-16 LE without BOM", plain.encode("utf-16-le"), html
    yield "UTF-16 BE without BOM, header UTF-16", plain.encode("utf-16-be"), f"{html}; charset=utf-16"
    yield "UTF-16 LE without BOM, meta UTF-16", page(lines, head=_meta("utf-16")).encode("utf-16-le"), html
    yield "UTF-16 LE, header legacy", plain.encode("utf-16-le"), f"{html}; charset={legacy}"
    yield "UTF-16 LE with BOM, odd length", b"\xff\xfe" + plain.encode("utf-16-le") + b"\n", html
    yield "UTF-32 LE with BOM", b"\xff\xfe\0\0" + plain.encode("utf-32-le"), html


def _cut(body: bytes, times: int) -> bytes:
    """*body* with paragraphs that end within a character, before the last."""
    for _ in range(times):
        body = body.replace(b"</main>", b"<p>cut \xe2\x80</p></main>", 1)
    return body


def read(case: Case) -> str:
    """What the page is converted to; the reason where it is not."""
    made = assess_response(
        status=200,
        url="https://example.gov/rule",
        headers={"Content-Type": case.content_type},
        body=case.body,
        known=None,
        is_measured=True,
        options=DEFAULTS,
    )
    return (
        made.converted.markdown if isinstance(made.converted, Converted) else f"{made.verdict.kind}: {made.converted}"
    )


def is_right(case: Case, markdown: str) -> bool:
    *whole, last = (f"{number}. {line}" for number in range(3) for line in case.lines)
    unescaped = markdown.replace("\\", "")
    return all(line in unescaped for line in (*whole, last)) and unescaped.startswith(f"# {case.lines[1]}")


#: Folders of charsets that no page is in by the Encoding Standard, or that a browser does not read.
_NO_PAGES = (
    "utf-32",
    "iso-2022-kr",
    "hz",
    "euc-tw",
    "johab",
    "cp037",
    "cp500",
    "ebcdic",
    "ibm855",
    "utf-7",
    "mac",
    "cp4",
    "cp7",
)
_DECLARATION = re.compile(rb"(encoding|charset)\s*=\s*[\"']?[\w-]+", re.IGNORECASE)


def _labelled(folder: Path, *, sealed: bool) -> Iterator[tuple[str, bytes]]:
    """Charset and bytes of every second file of each folder that is named for a charset that Python knows."""
    for of_charset in sorted(path for path in folder.iterdir() if path.is_dir()):
        label = re.sub(r"-(?!\d|r$|u$|jp|kr|cyr|cn|tw|le|be)[a-z]+$", "", of_charset.name.lower())
        try:
            codecs.lookup(label)
        except LookupError:
            continue
        if label.startswith(_NO_PAGES):
            continue
        for path in sorted(of_charset.iterdir())[sealed::2]:
            if not (body := path.read_bytes()).isascii():
                yield label, _DECLARATION.sub(rb"\1=none", body)


def score_corpus(folder: Path, *, sealed: bool) -> None:
    right, total = Counter[str](), Counter[str]()
    for label, body in _labelled(folder, sealed=sealed):
        # The Encoding Standard's names mean the larger charset of each family.
        wider = {"gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932", "euc-kr": "cp949", "iso-8859-1": "cp1252"}
        said = body.decode(wider.get(label, label), "replace").removeprefix("\ufeff")
        total[label] += 1
        made = decode(body)
        right[label] += made.text == said
        if not sealed and made.text != said:
            print(f"wrong: {label} as {made.encoding}: {[one for one in made.text if not one.isascii()][:12]}")
    print(", ".join(f"{label} {right[label]}/{total[label]}" for label in total))
    print(f"{right.total()} of {total.total()} read rightly")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--sealed", action="store_true")
    sealed, folder = (options := parser.parse_args()).sealed, options.folder
    if folder is not None:
        return score_corpus(folder, sealed=sealed)
    right = total = 0
    for case in cases(SEALED if sealed else DEVELOPMENT):
        markdown = read(case)
        total += 1
        right += is_right(case, markdown)
        if not sealed and not is_right(case, markdown):
            print(f"wrong: {case.name}: {markdown[:90]!r}")
    print(f"{right} of {total} read rightly")
    return None


if __name__ == "__main__":
    main()
