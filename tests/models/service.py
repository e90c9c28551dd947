"""An endpoint on this machine that answers as a test wants it to."""

import json
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

Answering = Callable[[BaseHTTPRequestHandler], None]


class Service:
    """An endpoint that answers as a test wants it to, and remembers what reached it."""

    def __init__(self) -> None:
        self.answer: Answering = lambda request: send(request, 200, answer("hello"))
        self.heard: list[tuple[str, dict[str, str], str]] = []
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:  # the library's name
                length = int(self.headers.get("content-length") or 0)
                said = self.rfile.read(length).decode()
                service.heard.append(
                    (self.path, {k.lower(): v for k, v in self.headers.items()}, said)
                )
                service.answer(self)

            def log_message(self, *_: Any) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.place = f"127.0.0.1:{self.server.server_address[1]}"
        Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()


def send(
    request: BaseHTTPRequestHandler, status: int, content: Any, kind: str = "application/json",
    **headers: str,
) -> None:  # fmt: skip
    text = content if isinstance(content, str) else json.dumps(content)
    request.send_response(status)
    for name, value in {"content-type": kind, **headers}.items():
        request.send_header(name, value)
    request.send_header("content-length", str(len(text.encode())))
    request.end_headers()
    request.wfile.write(text.encode())


def answer(text: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return {"id": "1", "object": "chat.completion", "created": 0, "model": "m",
            "choices": [choice]}  # fmt: skip
