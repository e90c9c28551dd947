"""JupyterLab on a copy of the course, and a browser that a test can drive."""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

from tests.needs import lacking
from tests.notebooks.kit import ROOT

START = 180  # seconds for the server to come up
RUN = 120_000  # milliseconds for a whole chapter
expect.set_options(timeout=RUN)  # the usual 5 s are too short on a busy machine
FLAGS = [
    "--no-sandbox",  # as root, in a container, Chromium cannot make its own
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
]
SETTINGS = {
    # Cells out of view are not in the page otherwise, and could not be looked at.
    "@jupyterlab/notebook-extension/tracker.jupyterlab-settings": {"windowingMode": "none"},
    "@jupyterlab/apputils-extension/notification.jupyterlab-settings": {
        "fetchNews": "false",
        "checkForUpdates": False,
    },
}


@dataclass(frozen=True)
class Server:
    """A running JupyterLab: its address and its token."""

    url: str
    token: str

    def address(self, notebook: str) -> str:
        """Return where the notebook at this path below the root opens.

        In a workspace of its own: a shared one would open the notebooks of before as well.
        """
        workspace = Path(notebook).stem
        return f"{self.url}lab/workspaces/{workspace}/tree/{notebook}?token={self.token}"


def chromium() -> str:
    """Return the browser; without one the test is not run."""
    return shutil.which("chromium") or lacking("chromium")


@contextmanager
def serve(root: Path, state: Path, **variables: str) -> Iterator[Server]:
    """Serve ``root`` on a free port of 127.0.0.1; what Jupyter writes goes under ``state``.

    ``variables`` are added to the server's environment.
    """
    token = secrets.token_hex(16)
    for name, value in SETTINGS.items():
        path = state / "settings" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value), encoding="utf-8")
    environment = os.environ | {
        "JUPYTER_CONFIG_DIR": str(state / "config"),
        "JUPYTER_DATA_DIR": str(state / "data"),
        "JUPYTER_RUNTIME_DIR": str(state / "runtime"),
        "JUPYTERLAB_SETTINGS_DIR": str(state / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(state / "workspaces"),
        "IPYTHONDIR": str(state / "ipython"),
        "TMPDIR": str(state),  # its kernels are killed, and remove nothing
        "PYTHONPATH": str(ROOT),
        **variables,
    }
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--ip=127.0.0.1", "--port=0"]
    options = [f"--ServerApp.root_dir={root}", f"--IdentityProvider.token={token}", "--allow-root"]
    options += ["--KernelManager.transport=ipc"]  # a port may be taken before its kernel binds it
    with (state / "jupyter.log").open("w") as log:
        process = subprocess.Popen(
            [*command, *options], cwd=root, env=environment, stdout=log, stderr=log,
            start_new_session=True,
        )  # fmt: skip
        try:
            yield Server(_url(process, state), token)
        finally:
            _stop(process)


@contextmanager
def browse() -> Iterator[Browser]:
    """Start headless Chromium."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


@dataclass(frozen=True)
class Chapter:
    """A notebook that is open in the browser."""

    page: Page

    def wait_until_ready(self) -> None:
        """Wait for the kernel: run before it is there, a cell asks which kernel to use.

        The notebook's own indicator says idle from the start; the status bar knows better.
        """
        self.page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=RUN)
        self.page.get_by_text("Python 3 (ipykernel) | Idle").wait_for(timeout=RUN)

    def run_all(self) -> None:
        """Run all cells from the menu and wait until each code cell was run that is not folded."""
        self.page.get_by_role("menuitem", name="Run", exact=True).click()
        self.page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        script = """() => [...document.querySelectorAll('.jp-CodeCell .jp-InputArea-prompt')]
            .every(prompt => /\\d/.test(prompt.textContent))"""
        self.page.wait_for_function(script, timeout=RUN)

    def code(self, beginning: str | re.Pattern[str]) -> Locator:
        """Return the code cell that holds this text."""
        return self.page.locator(".jp-Notebook .jp-CodeCell").filter(has_text=beginning).first

    def told(self, cell: Locator) -> str:
        """Return the one output of a cell that is to be seen; a box hides the error it tells."""
        shown = cell.locator(".jp-OutputArea-output").filter(visible=True)
        expect(shown).to_have_count(1)
        shown.scroll_into_view_if_needed()
        return shown.inner_text().strip()

    def run(self, cell: Locator, source: str = "") -> None:
        """Run one cell with Shift and Enter, after typing ``source`` over it if there is any."""
        prompt = cell.locator(".jp-InputPrompt").element_handle()
        before = prompt.text_content()
        cell.locator(".cm-content").click()
        if source:
            self.page.keyboard.press("ControlOrMeta+a")
            self.page.keyboard.insert_text(source)
        self.page.keyboard.press("Shift+Enter")
        script = """([prompt, before]) =>
            prompt.textContent != before && /\\d/.test(prompt.textContent)"""
        self.page.wait_for_function(script, arg=[prompt, before], timeout=RUN)


def _url(process: subprocess.Popen[bytes], state: Path) -> str:
    """Wait for the file in which the server says where it listens, and until it does."""
    end = time.monotonic() + START
    while time.monotonic() < end and process.poll() is None:
        for path in (state / "runtime").glob("jpserver-*.json"):
            text = path.read_text(encoding="utf-8")
            if text.endswith("}"):
                port = json.loads(text)["port"]
                with suppress(ConnectionRefusedError):  # it says so a moment before
                    socket.create_connection(("127.0.0.1", port)).close()
                    return f"http://127.0.0.1:{port}/"
        time.sleep(0.1)
    raise RuntimeError((state / "jupyter.log").read_text(encoding="utf-8")[-2000:])


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End the server with its kernels: they are one process group."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            continue
        except ProcessLookupError:
            return
