"""Hostile code that goes for the network, and for the Python that it runs in."""

import os
import socket
import sys
import time
import urllib.request


def send_it_out(victim: str) -> list[str]:
    """Tell the world, by every door."""
    del victim
    ways = (
        lambda: urllib.request.urlopen("http://127.0.0.1:80/", timeout=1),
        lambda: socket.getaddrinfo("example.com", 80),
        lambda: socket.create_connection(("127.0.0.1", 22), timeout=1),
        lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW),
        lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW),
        lambda: socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM),
    )
    got = []
    for number, way in enumerate(ways):
        try:
            way()
            got.append(f"way {number} was open")
        except OSError:
            pass
    return got


def poison_modules(victim: str) -> list[str]:
    """Change what later code imports: clocks, the client, the course, equality."""
    del victim
    import openai

    import course.clock

    time.monotonic = lambda: 0.0
    openai.AsyncOpenAI = object
    course.clock.simulate = print
    sys.modules["json.decoder"] = sys
    os.environ["POISON"] = "1"
    return []


def poisoned(victim: str) -> list[str]:
    """What `poison_modules` left for a later box."""
    del victim
    import openai

    import course.clock

    marks = {
        "the clock": time.monotonic() == 0.0,
        "the client": openai.AsyncOpenAI is object,
        "the course": course.clock.simulate is print,
        "the environment": "POISON" in os.environ,
    }
    return [name for name, found in marks.items() if found]
