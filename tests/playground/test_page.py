"""The page to talk to a system: over HTTP, for this machine alone, and not for ever."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from course import Agent, Trace, connect
from course.models import ChatRequest, Scripted
from course.playground import page
from course.playground.page import LONGEST_TEXT

SECONDS = 30.0
ASKED = "<b>How</b> late is it?"


def clock_of(request: ChatRequest) -> str:
    if request.messages[-1]["content"] == "Break.":
        raise ValueError("broken")
    return "<script>It is</script> noon."


def serving(said: queue.Queue[str], idle: float) -> threading.Thread:
    """The thread of a page's server, which says its address."""
    agent = Agent(name="clock <1>", instructions="Tell the time.")
    client, trace = connect(Scripted(clock_of)), Trace("time", messages=True)

    def serve() -> None:
        page.serve("clock <1>", agent, client=client, trace=trace, idle=idle, say=said.put)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    return thread


@pytest.fixture
def address(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A page's address, until the end of the test."""
    said: queue.Queue[str] = queue.Queue()
    thread = serving(said, 10 * SECONDS)
    yield said.get(timeout=SECONDS).split()[1]
    monkeypatch.setattr(page, "LONGEST_SECONDS", 0.0)
    thread.join(SECONDS)
    assert not thread.is_alive()


def test_it_stops_by_itself_when_nobody_looks() -> None:
    thread = serving(queue.Queue(), 0.1)
    thread.join(SECONDS)
    assert not thread.is_alive()


def call(address: str, path: str = "", *, method: str = "GET", **more: Any) -> httpx2.Response:
    with httpx2.Client(timeout=SECONDS) as client:
        return client.request(method, f"{address}{path}", **more)


def settled(address: str, lines: int) -> Any:
    """The state once there are so many lines and nobody works."""
    for _ in range(300):
        news = call(address, "state?said=0&steps=-1").json()
        if len(news["said"]) >= lines and not news["busy"]:
            return news
        asyncio.run(asyncio.sleep(0.05))
    raise AssertionError(news)


def test_what_is_said_is_answered_and_the_trace_is_beside_it(address: str) -> None:
    shell = call(address)
    assert shell.headers["content-type"].startswith("text/html")
    assert "default-src 'none'" in shell.headers["content-security-policy"]
    assert f'maxlength="{LONGEST_TEXT}"' in shell.text
    assert "fetch(" in call(address, "page.js").text
    settled(address, 0)
    assert call(address, "say", method="POST", json={"text": ASKED}).status_code == 200
    news = settled(address, 2)
    assert [(each["who"], each["words"]) for each in news["said"]] == [
        ("you", ASKED), ("clock <1>", "<script>It is</script> noon."),
    ]  # fmt: skip
    assert (news["name"], "└─ chat" in news["trace"]) == ("clock <1>", True)
    played = call(address, "run")
    assert "sandbox allow-scripts" in played.headers["content-security-policy"]
    assert "<script>It is" not in played.text and "It is" in played.text
    later = call(address, f"state?said=2&steps={news['steps']}").json()
    assert (later["said"], later["trace"]) == ([], None)


def test_what_goes_wrong_is_a_line(address: str) -> None:
    settled(address, 0)
    call(address, "say", method="POST", json={"text": "Break."})
    assert settled(address, 2)["said"][1]["words"].startswith("✗ ")


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"json": {"text": " "}}, 400),
        ({"json": {"text": 7}}, 400),
        ({"json": ["text"]}, 400),
        ({"json": {"text": "a" * (LONGEST_TEXT + 1)}}, 400),
        ({"json": {"text": "a" * 100_000}}, 413),
        ({"content": b"{", "headers": {"content-type": "application/json"}}, 400),
        ({"content": b"text=Hello"}, 415),
        ({"json": {"text": "Hello"}, "headers": {"origin": "http://example.org"}}, 421),
        ({"json": {"text": "Hello"}, "headers": {"host": "example.org"}}, 421),
    ],
)
def test_what_is_not_said_here_or_says_nothing_is_refused(
    address: str, body: dict[str, Any], status: int
) -> None:
    settled(address, 0)
    refused = call(address, "say", method="POST", **body)
    assert refused.status_code == status
    assert "message" in refused.json()["error"]
    assert settled(address, 0)["said"] == []


def test_nobody_gets_in_without_the_address_s_token(address: str) -> None:
    place = address.rsplit("/", 2)[0]
    for path in ("/", "/state?said=0&steps=0", "/x/", "/page.js", "/x/say"):
        assert call(place, path).status_code == 404
    assert call(address, "state?said=x&steps=0").status_code == 400
    assert call(address, "say").status_code == 405
