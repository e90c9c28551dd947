"""Build the course in a tab into build/lite: `python -m web.lite`. Needs the extra `web`.

Pyodide's npm package is fetched with npm, and figures load from Pyodide's own host. Where
`--pyodide` names a folder with Pyodide's distribution, the site asks no other host for anything.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import nbformat

from web.host import BUILD, ROOT
from web.lite.wheels import PLATFORM, entered, gather

PYODIDE = "314.0.6"
"""The version that the kernel stands on."""
FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")
LIST = "pyodide-lock.json"
EXTENSIONS = ("@jupyterlite/pyodide-kernel-extension", "@jupyter-widgets/jupyterlab-manager",
              "anywidget", "jupyterlab_pygments")  # fmt: skip
"""What a tab's JupyterLab has besides itself."""
KERNELSPEC = {"name": "python", "display_name": "Python (Pyodide)", "language": "python"}
OVERRIDES = {"@jupyterlab/notebook-extension:tracker": {"windowingMode": "none"}}
"""Settings of its JupyterLab: a chapter is short enough to stand in the page whole."""
SETTINGS = {
    "jupyter-lite-schema-version": 0,
    "jupyter-config-data": {
        "appName": "Switchboard",
        "litePluginSettings": {
            "@jupyterlite/pyodide-kernel-extension:kernel": {
                "pyodideUrl": "./static/pyodide/pyodide.mjs"
            }
        },
    },
}
NO_WEBASSEMBLY = """<noscript>This page runs Python by scripts, and scripts are off here: the
chapters can be read on the site, or run on a computer with <code>make lab</code>.</noscript>
<p id="too-old" role="alert" hidden style="position:fixed;z-index:99999;inset:0 0 auto 0;margin:0;\
padding:1em;background:#fff;color:#000;border-bottom:3px solid #000">This browser has no
WebAssembly, which runs Python here: take a current Firefox, Chrome, Edge or Safari, or run the
chapters on a computer with <code>make lab</code>.</p>
<script>document.getElementById("too-old").hidden = typeof WebAssembly === "object";</script>
"""
"""What a page says where no kernel can start."""


def build(target: Path, pyodide: Path | None = None) -> None:
    """Build it into a folder, anew.

    Args:
        target: the folder.
        pyodide: a folder with Pyodide's files, and whatever packages of its distribution the
            site shall carry; left out, npm's package is fetched and its host asked for the others.

    Raises:
        subprocess.CalledProcessError: a package index cannot be reached; npm is missing.
        FileNotFoundError: the folder lacks a file of Pyodide.
        ValueError: its packages are for another version.
    """
    work = target.with_name(f"{target.name}-sources")
    for folder in (target, work):
        shutil.rmtree(folder, ignore_errors=True)
    _contents(work / "contents")
    (work / "jupyter-lite.json").write_text(json.dumps(SETTINGS), encoding="utf-8")
    (work / "overrides.json").write_text(json.dumps(OVERRIDES), encoding="utf-8")
    said = subprocess.run(
        [sys.executable, "-m", "jupyterlite_core", "build", "--lite-dir", str(work),
         "--contents", str(work / "contents"), "--output-dir", str(target), "--apps", "lab",
         "--no-sourcemaps", "--no-unused-shared-packages"],
        cwd=work, check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert target.is_dir(), said.stderr
    _lean(target)
    _warn(target / "lab" / "index.html")
    python = target / "static" / "pyodide"
    wheels = gather(work / "wheels")
    if pyodide is None:
        with_pyodide(python, _from_npm(work), wheels, _distribution())
    else:
        with_pyodide(python, pyodide, wheels, "")


def _contents(folder: Path) -> None:
    """The released notebooks, for the tab's kernel."""
    for path in sorted((ROOT / "notebooks").rglob("*.ipynb")):
        book = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
        book.metadata.kernelspec = KERNELSPEC
        laid = folder / path.relative_to(ROOT)
        laid.parent.mkdir(parents=True, exist_ok=True)
        laid.write_text(nbformat.writes(book), encoding="utf-8")  # type: ignore[no-untyped-call]


def _lean(target: Path) -> None:
    """Leave out what this machine's JupyterLab has and a tab does not need."""
    settings = target / "jupyter-lite.json"
    told = json.loads(settings.read_text(encoding="utf-8"))
    data = told["jupyter-config-data"]
    data["federated_extensions"] = [
        each for each in data["federated_extensions"] if each["name"] in EXTENSIONS
    ]
    settings.write_text(json.dumps(told), encoding="utf-8")


def _warn(page: Path) -> None:
    """Let a page say where no kernel can start."""
    head, body, rest = re.split(r"(<body[^>]*>)", page.read_text(encoding="utf-8"))
    page.write_text(f"{head}{body}\n{NO_WEBASSEMBLY}{rest}", encoding="utf-8")


def _distribution() -> str:
    """Where a tab finds Pyodide's own packages, if they are not in the site."""
    from jupyterlite_pyodide_kernel.constants import PYODIDE_CDN_URL

    return f"{PYODIDE_CDN_URL}/"


def _from_npm(folder: Path) -> Path:
    """Pyodide's npm package, unpacked."""
    subprocess.run(["npm", "pack", f"pyodide@{PYODIDE}"], cwd=folder, check=True,
                   capture_output=True)  # fmt: skip
    with tarfile.open(folder / f"pyodide-{PYODIDE}.tgz") as packed:
        packed.extractall(folder / "npm", filter="data")
    return folder / "npm" / "package"


def with_pyodide(target: Path, pyodide: Path, wheels: list[Path], base: str) -> None:
    """Lay Pyodide and our wheels into the site, and its own packages if no host has them."""
    target.mkdir(parents=True)
    for name in FILES:
        shutil.copyfile(pyodide / name, target / name)
    lock = json.loads((pyodide / LIST).read_text(encoding="utf-8"))
    made_for = "pyemscripten_{abi_version}_{arch}".format_map(lock["info"])
    if made_for != PLATFORM:
        raise ValueError(f"{pyodide} is {made_for}; wanted is {PLATFORM}, Pyodide {PYODIDE}")
    if not base:
        lock["packages"] = {
            name: entry
            for name, entry in lock["packages"].items()
            if (pyodide / entry["file_name"]).is_file()
        }
        wheels = [*wheels, *(pyodide / each["file_name"] for each in lock["packages"].values())]
    for path in wheels:
        shutil.copyfile(path, target / path.name)
    ours = [path for path in wheels if path.parent != pyodide]
    (target / LIST).write_text(json.dumps(entered(lock, ours, base)), encoding="utf-8")


def main() -> int:
    """Build it, and say how it is opened; 2 if something is missing, with a line about it."""
    parser = argparse.ArgumentParser(prog="python -m web.lite", description=__doc__)
    parser.add_argument(
        "--pyodide", type=Path, metavar="DIR", help="a folder with its distribution"
    )
    pyodide = parser.parse_args().pyodide
    try:
        build(BUILD / "lite", pyodide)
    except FileNotFoundError as missing:
        way = "see that it has Pyodide's files" if pyodide else "install Node, or name a folder"
        print(f"{missing.filename} is missing: {way} (--pyodide DIR)")
        return 2
    except ValueError as trouble:
        print(trouble)
        return 2
    except subprocess.CalledProcessError as trouble:
        print(f"{' '.join(map(str, trouble.cmd[:4]))} failed: can its package index be reached?")
        return 2
    print("Serve build/lite from any static host: python -m http.server -d build/lite")
    return 0


if __name__ == "__main__":
    sys.exit(main())
