"""What is remembered of conversations: enough to be quick, never without bound, never wrong."""

import pytest

from course.models import ApiError, messages, tokens
from course.models.messages import Histories
from tests.models.talk import ASKED, FOUND, HELLO


def test_a_known_history_is_counted_as_a_new_one() -> None:
    histories = Histories()
    talk = [HELLO, ASKED, FOUND, {"role": "assistant", "content": "There."}, HELLO]
    for end in (1, 3, 5):
        history = histories.check(talk[:end])
        assert history.tokens == sum(map(tokens.count_message, talk[:end]))
        assert list(history.messages) == talk[:end]


def test_a_history_that_changed_is_checked_anew() -> None:
    histories = Histories()
    histories.check([HELLO, ASKED, FOUND])
    with pytest.raises(ApiError, match="'c2' not found"):
        histories.check([HELLO, ASKED, {**FOUND, "tool_call_id": "c2"}])
    assert len(histories.check([HELLO]).messages) == 1
    assert len(histories.check([HELLO, ASKED, FOUND]).messages) == 3


def test_no_more_is_remembered_than_the_limits_allow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(messages, "MAX_KNOWN", 3)
    monkeypatch.setattr(messages, "MAX_KNOWN_TOKENS", 100)
    histories = Histories()
    for number in range(5):
        histories.check([{"role": "user", "content": f"request {number}"}])
    assert [opening[0] for opening in histories._known] == ["request 2", "request 3", "request 4"]
    histories.check([{"role": "user", "content": "word " * 90}])
    assert len(histories._known) == 1
    assert histories._tokens <= 100
    histories.check([{"role": "user", "content": "word " * 200}])
    assert (len(histories._known), histories._tokens) == (0, 0)
