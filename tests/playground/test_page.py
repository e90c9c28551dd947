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


@pytest.fixture
def served() -> Iterator[tuple[str, threading.Thread]]:
    """A page's address, and the thread of its server, which stops by itself."""
    said: queue.Queue[str] = queue.Queue()
    agent = Agent(name="clock <1>", instructions="Tell the time.")
    told = {"client": connect(Scripted(clock_of)), "trace": Trace("time")}
    serving = threading.Thread(
        target=lambda: page.serve("clock <1>", agent, **told, idle=1.5, say=said.put), daemon=True
    )
    serving.start()
    yield said.get(timeout=SECONDS).split()[1], serving
    serving.join(SECONDS)
    assert not serving.is_alive()


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


def test_what_is_said_is_answered_and_the_trace_is_beside_it(
    served: tuple[str, threading.Thread],
) -> None:
    address, _ = served
    shell = call(address)
    assert "clock &lt;1&gt;" in shell.text and "default-src 'none'" in shell.headers[
        "content-security-policy"
    ]  # fmt: skip
    assert "fetch(" in call(address, "page.js").text
    settled(address, 0)
    assert call(address, "say", method="POST", json={"text": ASKED}).status_code == 200
    news = settled(address, 2)
    assert [(each["who"], each["words"]) for each in news["said"]] == [
        ("you", ASKED), ("clock <1>", "<script>It is</script> noon."),
    ]  # fmt: skip
    assert "chat" in news["trace"] and "<script" not in news["trace"]
    later = call(address, f"state?said=2&steps={news['steps']}").json()
    assert (later["said"], later["trace"]) == ([], None)


def test_what_goes_wrong_is_a_line(served: tuple[str, threading.Thread]) -> None:
    address, _ = served
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
    served: tuple[str, threading.Thread], body: dict[str, Any], status: int
) -> None:
    address, _ = served
    settled(address, 0)
    refused = call(address, "say", method="POST", **body)
    assert refused.status_code == status
    assert "message" in refused.json()["error"]
    assert settled(address, 0)["said"] == []


def test_nobody_gets_in_without_the_address_s_token(served: tuple[str, threading.Thread]) -> None:
    place = served[0].rsplit("/", 2)[0]
    for path in ("/", "/state?said=0&steps=0", "/x/", "/page.js", "/x/say"):
        assert call(place, path).status_code == 404
    assert call(served[0], "state?said=x&steps=0").status_code == 400
    assert call(served[0], "say").status_code == 405
