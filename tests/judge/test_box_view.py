"""What a box sees: shown, hidden, and spelt out for Landlock."""

import tempfile
from pathlib import Path

from graders.box.view import View, blocked, view


def tree(root: Path, *names: str) -> list[Path]:
    made = [root / name for name in names]
    for path in made:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return made


def test_a_hidden_folder_below_a_shown_one_is_covered() -> None:
    layers = View((Path("/v/lib"),), (Path("/v/lib/graders"), Path("/elsewhere"))).layers()
    assert layers == [(Path("/v/lib"), True), (Path("/v/lib/graders"), False)]


def test_what_is_shown_below_a_hidden_folder_is_shown_again() -> None:
    layers = View((Path("/v"), Path("/v/p/course"), Path("/v/q")), (Path("/v/p"),)).layers()
    assert layers == [(Path("/v"), True), (Path("/v/p"), False), (Path("/v/p/course"), True)]


def test_landlock_gets_the_neighbours_of_what_is_hidden(tmp_path: Path) -> None:
    tree(
        tmp_path,
        "lib/a/x.py",
        "lib/graders/release.py",
        "lib/b.py",
        "lib/deep/in/secret",
        "lib/deep/o",
    )
    lib = tmp_path / "lib"
    allowed = View((lib,), (lib / "graders", lib / "deep/in")).allowed()
    assert allowed == [lib / "a", lib / "b.py", lib / "deep/o"]


def test_the_course_is_shown_and_the_graders_are_not() -> None:
    project = Path(__file__).resolve().parents[2]
    layers = dict(view().layers())

    def visible(path: Path) -> bool:
        return next((layers[each] for each in (path, *path.parents) if each in layers), False)

    assert visible(project / "course" / "clock.py")
    assert visible(Path("/usr/lib/os-release"))
    for name in (
        "graders/release.py",
        "solutions",
        "tests/conftest.py",
        "build/gradebook.db",
        ".git",
    ):
        assert not visible(project / name), name
    assert not visible(Path.home() / "anything")


def test_folders_that_only_their_owner_enters_are_named() -> None:
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        root.chmod(0o755)
        path = tree(root, "open/closed/inner/python")[0]
        (root / "open/closed").chmod(0o700)
        (root / "open/closed/inner").chmod(0o700)
        assert blocked([path]) == [root / "open/closed"]
        (root / "open/closed").chmod(0o755)
        (root / "open/closed/inner").chmod(0o755)
        assert blocked([path]) == []
