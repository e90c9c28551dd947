"""Token counts: real ones where the tokenizer is there, a stated approximation where it is not."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course.models import tokens
from tests.models.talk import ASKED, FIND, HELLO


@pytest.fixture
def no_tokenizer(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    tokens._remembered.cache_clear()
    monkeypatch.setattr(tokens, "_tokenizer", lambda: None)
    yield
    tokens._remembered.cache_clear()


def test_it_is_the_real_tokenizer() -> None:
    assert tokens.tokenizer_name() == "o200k_base"
    # Known splits of o200k_base.
    assert tokens.count_text("hello world") == 2
    assert tokens.count_text("antidisestablishmentarianism") == 6
    assert tokens.count_text("") == 0
    assert tokens.count_text("<|endoftext|>") > 1


def test_the_chat_format_costs_what_is_documented() -> None:
    assert tokens.count_message(HELLO) == 3 + 1 + 1
    assert tokens.count_message({**HELLO, "name": "ann"}) == 3 + 1 + 1 + 1 + 1
    assert tokens.count_message(ASKED) == 3 + 1 + tokens.count_call("find", "{}")
    assert tokens.count_prompt([HELLO]) == 3 + 5
    assert tokens.count_prompt([HELLO], [FIND]) == 3 + 5 + tokens.count_json(FIND)


def test_a_long_text_counts_like_a_short_one() -> None:
    text = "word" + " word" * 999
    assert len(text) > tokens.LONGEST_REMEMBERED
    assert tokens.count_text(text) == 1000


def test_parts_count_by_their_text() -> None:
    parts = [{"type": "text", "text": "hello"}, {"type": "text", "text": " world"}]
    assert tokens.count_message({"role": "user", "content": parts}) == 3 + 1 + 2


def test_it_agrees_with_the_packages_own_encoding() -> None:
    import bpe_openai  # reads three tables at once, which who only collects tests need not wait for

    encoding = bpe_openai.get_encoding("o200k_base")
    for text in (
        "Ein Termin am 3. Mai um 9:30 Uhr, bitte.",
        "naïve 😀 café\n\n\tend",
        '{"a": [1]}',
    ):
        assert tokens.count_text(text) == len(encoding.encode(text))


@given(text=st.text(max_size=60), limit=st.integers(-1, 30))
def test_a_cut_is_a_beginning_within_the_limit(text: str, limit: int) -> None:
    cut = tokens.cut(text, limit)
    clean = text.encode("utf-8", "replace").decode()
    assert clean.startswith(cut)
    assert tokens.count_text(cut) <= max(limit, 0)
    if tokens.count_text(text) <= limit:
        assert cut == clean


@pytest.mark.usefixtures("no_tokenizer")
def test_without_the_tokenizer_the_approximation_says_so() -> None:
    assert "approximation" in tokens.tokenizer_name()
    assert "bpe-openai is not installed" in tokens.tokenizer_name()
    assert tokens.count_text("twelve bytes") == 3
    assert tokens.count_text("thirteen byte") == 4
    assert tokens.cut("twelve bytes", 2) == "twelve b"
    assert tokens.cut("äöü", 1) == "äö"
    assert tokens.count_text("\ud83d") == 1
