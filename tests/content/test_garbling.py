"""Words in a wrong charset are told from the same words in the right one."""

from __future__ import annotations

from collections import Counter

import pytest

from rori_spiders.content.charset_detection import garbled_words

CLEAN = "§ 1024.5 “Coverage” – naïve café Ünïon"
RUSSIAN = "Статья о займах"


def words(text: str) -> Counter[str]:
    return Counter(text.split())


@pytest.mark.parametrize("wrong", ["cp1252", "latin-1", "cp1251"])
def test_garbled_words_of_utf8_read_as_single_bytes_are_found(wrong: str) -> None:
    garbled = words(CLEAN.encode().decode(wrong, "replace"))
    assert garbled_words(garbled, words(CLEAN), "utf-8")


def test_garbled_words_of_another_alphabet_are_found() -> None:
    garbled = words(RUSSIAN.encode("koi8-r").decode("cp1252"))
    assert set(garbled_words(garbled, words(RUSSIAN), "koi8-r")) == set(garbled)


def test_garbled_words_replacement_characters_are_garbled() -> None:
    assert garbled_words(words("naïve caf\ufffd"), words("naïve café"), "cp1252") == ["caf\ufffd"]


def test_garbled_words_of_a_page_that_is_better_or_other_are_none() -> None:
    assert garbled_words(words("naïve café"), words("naïve caf\ufffd"), "cp1252") == []
    assert garbled_words(words("naïve café, résumé 5 €"), words("naïve café"), "utf-8") == []
