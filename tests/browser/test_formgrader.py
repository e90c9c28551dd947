"""An instructor's JupyterLab: nbgrader's formgrader sees the course."""

import json
import urllib.request
from pathlib import Path

import pytest

from tests.browser.lab import serve
from tests.notebooks import kit

pytestmark = pytest.mark.browser


def test_the_formgrader_lists_the_chapters(tmp_path: Path) -> None:
    root = kit.make_course(tmp_path / "course")
    with serve(root, tmp_path, JUPYTER_CONFIG_PATH=str(root / "graders")) as server:
        request = urllib.request.Request(
            f"{server.url}formgrader/api/assignments",
            headers={"Authorization": f"token {server.token}"},
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            [chapter] = json.load(answer)
    assert chapter["name"] == kit.CHAPTER
    assert chapter["source_path"] == f"solutions/{kit.CHAPTER}"
