"""The wheels of the tab, and how Pyodide's list of packages learns of them."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import zipfile
from collections.abc import Iterable, Mapping
from email.parser import Parser
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from web.host import ROOT

HERE = Path(__file__).parent
PLATFORM = "pyemscripten_2026_0_wasm32"
"""Of the Pyodide that the kernel stands on; its Python is `PYTHON`."""
PYTHON = "3.14"
BESIDE = {"switchboard-course": ("nbformat",)}
"""What comes with a package besides what it asks for: elsewhere JupyterLab brings the course it."""
_TAB = {"sys_platform": "emscripten", "platform_system": "Emscripten", "python_version": PYTHON,
        "python_full_version": f"{PYTHON}.2", "platform_machine": "wasm32",
        "extra": "lab"}  # fmt: skip


def gather(folder: Path) -> list[Path]:
    """Bring every wheel that the tab needs into a folder: locked ones, the course's, a stand-in.

    Raises subprocess.CalledProcessError: the package index cannot be reached or lacks one.
    """
    folder.mkdir(parents=True, exist_ok=True)
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    how = ["--no-deps", "--only-binary=:all:", "--require-hashes", "--dest", str(folder)]
    tags = ["--platform", PLATFORM, "--python-version", PYTHON, "--implementation", "cp"]
    abis = ["--abi", "cp314", "--abi", "abi3", "--abi", "none"]
    subprocess.run([*pip, *how, *tags, *abis, "-r", str(HERE / "requirements.txt")], check=True)
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    _stand_in(folder)
    return sorted(folder.glob("*.whl"))


def _stand_in(folder: Path) -> None:
    """The wheel of our rpds."""
    info = "rpds_py-0.0.0.dist-info"
    with zipfile.ZipFile(folder / "rpds_py-0.0.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("rpds.py", (HERE / "rpds.py").read_text(encoding="utf-8"))
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: rpds-py\nVersion: 0.0.0\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")


def entered(lock: Mapping[str, Any], wheels: Iterable[Path], base: str) -> dict[str, Any]:
    """Pyodide's list of packages with these wheels in it, which lie beside it.

    Args:
        lock: pyodide-lock.json as its distribution has it.
        wheels: ours; they take the place of theirs of the same name.
        base: where its own packages are, with a slash at the end; empty if they lie beside it.
    """
    packages = {
        name: {**entry, "file_name": base + entry["file_name"]}
        for name, entry in lock["packages"].items()
    }
    ours = dict(map(_entry, wheels))
    for entry in ours.values():
        entry["depends"] = sorted(set(ours) & set(entry["depends"]))
    packages |= ours
    for name in set(BESIDE) & set(packages):
        packages[name]["depends"] = [*packages[name]["depends"], *BESIDE[name]]
    return {**lock, "packages": packages}


def _entry(wheel: Path) -> tuple[str, dict[str, Any]]:
    """A wheel's name, and its line in the list."""
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
        metadata = next(name for name in names if name.endswith(".dist-info/METADATA"))
        told = Parser().parsestr(packed.read(metadata).decode())
    name = canonicalize_name(told["Name"])
    asked = map(Requirement, told.get_all("Requires-Dist") or [])
    depends = {
        canonicalize_name(each.name)
        for each in asked
        if each.marker is None or each.marker.evaluate(_TAB)
    }
    return name, {
        "name": name,
        "version": told["Version"],
        "file_name": wheel.name,
        "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest(),
        "imports": sorted(_imported(names)),
        "depends": sorted(depends),
        "install_dir": "site",
        "package_type": "package",
        "unvendored_tests": False,
    }


def _imported(names: Iterable[str]) -> set[str]:
    """The modules at the top of a wheel, by the names of its files."""
    tops = {name.partition("/")[0] for name in names if name.endswith((".py", ".so"))}
    return {top.partition(".")[0] for top in tops if not top.endswith((".data", ".dist-info"))}
