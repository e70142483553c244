"""Bytes whose charset nothing declares, or declares wrongly: told by shape and letters, or left as Windows-1252."""

from __future__ import annotations

import pytest

from rori_spiders.content.encoding import decode
from tests.support.cases import cases

RUSSIAN = "Срок не может превышать тридцати дней. Банк обязан сообщить заёмщику о размере платежа."
JAPANESE = "貸付人は、返済の金額を書面で通知しなければならない。期間は三十日を超えてはならない。"
CHINESE = "贷款人应当书面通知借款人还款金额。期限不得超过三十日，罚款五百元。"
POLISH = "Bank może żądać zapłaty odsetek za opóźnienie, nie więcej niż 500 złotych."
CZECH = "Věřitel musí dlužníkovi sdělit výši úroku. Lhůta nesmí překročit třicet dnů."


def _page(text: str, head: str = "", lang: str = "en") -> str:
    return f"<!DOCTYPE html><html lang={lang}><head>{head}<title>Rule</title></head><body><p>{text}</p></body></html>"


@pytest.mark.parametrize(
    ("text", "charset"),
    [(RUSSIAN, "koi8-r"), (RUSSIAN, "cp1251"), (RUSSIAN, "iso8859-5"), (JAPANESE, "cp932"), (JAPANESE, "euc_jp"),
     (CHINESE, "gb18030"), (POLISH, "iso8859-2"), (CZECH, "cp1250")],
)  # fmt: skip
@pytest.mark.parametrize("content_type", ["text/html", "text/html; charset=utf-8", "text/html; charset=ISO-8859-1"])
def test_decode_undeclared_or_misdeclared_charset_is_detected(text: str, charset: str, content_type: str) -> None:
    assert decode(_page(text).encode(charset), content_type) == (_page(text), charset)


@cases(
    "text",
    ["Les prêteurs doivent déclarer l’intérêt dès réception : « échéance ».", "Die Gebühr beträgt 5 % gemäß § 12.",
     "Långiver skal underrette låntager på årsbasis.", "¿Cuándo vence el plazo? La comisión máxima es del 5 %.",
     "————————————————————", "§§§§§§ 1024.30 • • • ™ ® © ½ ¾ 5°", "x² + y³ = 5 µm, 3×4 ± 2", "ÀÉÈÊÔÛ ÉTÉ À L’ÉCOLE"],
)  # fmt: skip
def test_decode_western_text_stays_windows_1252(text: str) -> None:
    assert decode(_page(text).encode("cp1252"), "text/html") == (_page(text), "cp1252")


def test_decode_language_tells_charsets_with_letters_of_windows_1252() -> None:
    hungarian = _page("A hitelező köteles az adóst írásban értesíteni a díjról.", lang="hu")
    assert decode(hungarian.encode("cp1250")) == (hungarian, "cp1250")


def test_decode_one_bad_byte_changes_no_declared_charset() -> None:
    body = _page(CHINESE).encode("gb18030").replace(b"<p>", b"\xff<p>")
    text, charset = decode(body, "text/html; charset=gbk")
    assert (CHINESE in text, charset) == (True, "gb18030")


def test_decode_meta_after_long_scripts_is_believed() -> None:
    late = _page(RUSSIAN, head=f"<script>{'var rates = 1;' * 2000}</script><meta charset=windows-1251>")
    assert decode(late.encode("cp1251")) == (late, "cp1251")


def test_decode_header_that_names_a_charset_twice_gives_the_first_that_is_one() -> None:
    page = _page("Gebühr 5 €")
    assert decode(page.encode("iso8859-15"), "text/html; charset=none; charset=iso-8859-15").text == page


def test_decode_utf16_without_mark_in_another_script_is_told_by_its_markup() -> None:
    greek = _page("Η τράπεζα υποχρεούται να ενημερώσει τον οφειλέτη. " * 9)
    assert decode(greek.encode("utf-16-le")) == (greek, "utf-16-le")
    assert decode(greek.encode("utf-16-be"), "text/html; charset=utf-16") == (greek, "utf-16-be")
