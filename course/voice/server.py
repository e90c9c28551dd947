"""A LiveKit server on this machine: built once, started on loopback with a secret of its own.

LiveKit Cloud runs the same one, so a call here is a real call: WebRTC, rooms, dispatch.

Source: livekit/livekit 1.13.5, whose configuration file these settings are.
"""

from __future__ import annotations

import asyncio
import ctypes
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from course.errors import ConfigurationError
from course.voice.weights import cache

VERSION = "v1.13.5"
MODULE = f"github.com/livekit/livekit-server/cmd/server@{VERSION}"
NO_SERVER = "no LiveKit server here: `make livekit` builds it, where Go 1.26 or newer is"
SETTINGS = ("LIVEKIT_URL", "LIVEKIT_API_KEY", "LIVEKIT_API_SECRET")
_BUILD_SECONDS = 1800
_START_SECONDS = 20.0
_STOP_SECONDS = 5.0
_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG of Linux's prctl


@dataclass(frozen=True)
class Access:
    """Where a LiveKit server is, and what lets one in.

    Attributes:
        url: such as "ws://127.0.0.1:7880"; never shown, for a login may be in it.
        key: the API key's name.
        secret: never shown, and not to be written anywhere.
        process: the server's process id, where it was started here.
    """

    url: str = field(repr=False)
    key: str
    secret: str = field(repr=False)
    process: int | None = None

    @property
    def http(self) -> str:
        """The same address for requests."""
        return "http" + self.url.removeprefix("ws").removeprefix("http")


def access_from_environment() -> Access:
    """Somebody's own server, or LiveKit Cloud.

    Raises ConfigurationError: LIVEKIT_URL, LIVEKIT_API_KEY or LIVEKIT_API_SECRET is not set.
    """
    missing = [name for name in SETTINGS if not os.environ.get(name)]
    if missing:
        raise ConfigurationError(f"{', '.join(missing)} not set: a LiveKit server gives all three")
    url, key, secret = (os.environ[name] for name in SETTINGS)
    return Access(url, key, secret)


def binary() -> Path:
    """The server's program: built by `make livekit`, or `livekit-server` on the PATH.

    Raises ConfigurationError: there is none.
    """
    built = _built()
    if built.is_file():
        return built
    if found := shutil.which("livekit-server"):
        return Path(found)
    raise ConfigurationError(NO_SERVER)


def build() -> Path:
    """Build the server once, keep its program in the cache, and return where it is.

    Raises ConfigurationError: Go is missing, or the build fails.
    """
    with suppress(ConfigurationError):
        return binary()
    go = shutil.which("go", path=f"{os.environ.get('PATH', '')}:/usr/local/go/bin")
    if go is None:
        raise ConfigurationError(
            "no Go here, which builds the LiveKit server: install Go 1.26 (https://go.dev/dl),"
            f" or put livekit-server {VERSION} of LiveKit's releases on the PATH"
        )
    _built().parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=_built().parent) as place:  # a gigabyte, only meanwhile
        folders = {"GOPATH": "path", "GOCACHE": "cache", "GOBIN": "bin", "GOTMPDIR": ""}
        where = {name: str(Path(place) / folder) for name, folder in folders.items()}
        done = subprocess.run(
            [go, "install", "-modcacherw", "-ldflags", "-s -w", MODULE],
            env=os.environ | where, capture_output=True, text=True, timeout=_BUILD_SECONDS,
            check=False,
        )  # fmt: skip
        made = Path(place) / "bin/server"
        if done.returncode or not made.is_file():
            said = done.stderr.strip().splitlines() or ["go says nothing"]
            raise ConfigurationError(f"the LiveKit server does not build: {said[-1]}")
        made.replace(_built())
    return _built()


def _built() -> Path:
    return cache() / "livekit" / VERSION / "livekit-server"


@asynccontextmanager
async def server(*, tcp: bool = False) -> AsyncIterator[Access]:
    """Run a server on free ports of the loopback address; it ends with the block.

    It also ends when this process does, on Linux whatever way that happens. Its log is not kept:
    it has callers' tokens in it.

    Args:
        tcp: sound goes over TCP, as where a firewall lets no UDP through.

    Raises ConfigurationError: there is no server, or it does not start.
    """
    program = binary()
    port, tcp_port, udp_port = _free(socket.SOCK_STREAM, 2) + _free(socket.SOCK_DGRAM, 1)
    access = Access(f"ws://127.0.0.1:{port}", "switchboard", secrets.token_hex(32))
    settings = {
        "port": port,
        "bind_addresses": ["127.0.0.1"],
        "keys": {access.key: access.secret},
        "logging": {"level": "error", "pion_level": "error"},
        "rtc": {
            "tcp_port": tcp_port,
            **({"force_tcp": True} if tcp else {"udp_port": udp_port}),
            "use_external_ip": False,
            "node_ip": "127.0.0.1",
            "enable_loopback_candidate": True,
            "interfaces": {"includes": ["lo"]},
            "ips": {"includes": ["127.0.0.1/32"]},
        },
    }
    process = await asyncio.create_subprocess_exec(
        str(program),
        env=os.environ | {"LIVEKIT_CONFIG": json.dumps(settings)},  # no file, no argument: a secret
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
        preexec_fn=_die_with_parent if sys.platform == "linux" else None,
    )
    try:
        await _answering(process, port)
        yield Access(access.url, access.key, access.secret, process.pid)
    finally:
        await _stop(process)


async def _answering(process: asyncio.subprocess.Process, port: int) -> None:
    """Until the server takes connections."""
    try:
        async with asyncio.timeout(_START_SECONDS):
            while process.returncode is None:
                with suppress(OSError):
                    _, writer = await asyncio.open_connection("127.0.0.1", port)
                    writer.close()
                    return
                await asyncio.sleep(0.05)  # the server tells nobody that it is ready
    except TimeoutError:
        pass
    raise ConfigurationError(
        f"the LiveKit server does not start (exit {process.returncode}): try `make livekit` again"
    )


async def _stop(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        with suppress(ProcessLookupError):
            process.send_signal(signal.SIGTERM)
        try:
            await asyncio.wait_for(process.wait(), _STOP_SECONDS)
        except TimeoutError:
            process.kill()
            await process.wait()


def _free(kind: socket.SocketKind, count: int) -> list[int]:
    """Ports that nobody uses now."""
    held = [socket.socket(socket.AF_INET, kind) for _ in range(count)]
    for each in held:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in held]
    for each in held:
        each.close()
    return ports


def _die_with_parent() -> None:
    ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
