"""HTML has one home: words of others become part of a page through it, and are escaped there."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from course.markup import Markup, fill, joined, shown, text
from tests.hostile import NAME, tags

HOME = "course/markup.py"
SHOW = "course/notebook/show.py"
# Who else names what a browser reads as HTML, and why that is no way around.
APART = {
    "graders/harmless.py": "reads the outputs of others, and cleans them by an allow list",
    "course/observability/plan_diagram.py": "Mermaid has signs of its own to escape",
}
HANDS_ON = {"course/voice/sound.py": "IPython's own player of samples, which are numbers"}
STYLE = {"graders/feedback/result.py": "a style sheet that lies beside it"}
NAMES = (
    "a abbr b body br button code dd details div dl dt em figcaption figure footer form h[1-6] "
    "head header html i iframe img input li main ol p path pre q script section small span "
    "strong style summary svg table tbody td text th thead title tr ul"
).replace(" ", "|")
TAGGED = re.compile(rf"(?<![?(\w])<(?:(?:{NAMES})(?:\s[^<>]*=|\s*/?>|\s*$)|/(?:{NAMES})>|!doctype)")
SCRIPTED = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\(|srcdoc|new Function"
)


Nodes = tuple[ast.AST, ...]
"""All that stands in a module; finding them takes longer than looking at each."""


def modules(root: Path) -> dict[str, Nodes]:
    paths = [path for name in ("course", "graders") for path in (root / name).rglob("*.py")]
    assert len(paths) > 200
    return {
        path.relative_to(root).as_posix(): tuple(ast.walk(ast.parse(path.read_text())))
        for path in paths
    }


def calls(nodes: Nodes, *names: str) -> Iterator[ast.Call]:
    for node in nodes:
        if isinstance(node, ast.Call):
            made = node.func
            name = made.attr if isinstance(made, ast.Attribute) else getattr(made, "id", "")
            if name in names:
                yield node


def users(read: dict[str, Nodes]) -> dict[str, Nodes]:
    """The modules that fill templates."""
    return {
        name: nodes
        for name, nodes in read.items()
        if any(getattr(node, "module", "") == "course.markup" for node in nodes)
    }


def docstrings(nodes: Nodes) -> set[int]:
    """Constants that are nobody's value."""
    return {id(node.value) for node in nodes if isinstance(node, ast.Expr)}


@pytest.fixture(scope="module")
def read(root: Path) -> dict[str, Nodes]:
    return modules(root)


def test_what_shows_html_has_one_home(read: dict[str, Nodes]) -> None:
    wrong = set()
    for name, nodes in read.items():
        if name in (SHOW, *APART):
            continue
        spared = docstrings(nodes)
        for node in nodes:
            told = isinstance(node, ast.Constant) and node.value in ("text/html", "image/svg+xml")
            if told and id(node) not in spared:
                wrong.add(f"{name}:{node.lineno} names a type that is live in a page")
            if isinstance(node, ast.FunctionDef) and re.match(
                "_repr_(html|svg|java|mime)", node.name
            ):
                wrong |= {f"{name} is shown by {node.name}"} if name not in HANDS_ON else set()
        found = calls(nodes, "HTML", "Javascript", "SVG", "HTMLMath", "display_html", "Markdown")
        wrong |= {f"{name}:{call.lineno} shows HTML past {SHOW}" for call in found}
    assert wrong == set()


def test_markup_is_made_of_templates_that_are_literals(read: dict[str, Nodes]) -> None:
    wrong = set()
    assert len(users(read)) > 8
    for name, nodes in users(read).items():
        for call in calls(nodes, "fill"):
            first = call.args[0]
            if not isinstance(first, ast.Constant):
                wrong.add(f"{name}:{call.lineno} fills what is no literal")
        for call in calls(nodes, "joined"):
            if len(call.args) > 1 and not isinstance(call.args[1], ast.Constant):
                wrong.add(f"{name}:{call.lineno} joins with what is no literal")
        if name != HOME and name not in STYLE:
            wrong |= {f"{name}:{c.lineno} says so itself" for c in calls(nodes, "Markup") if c.args}
    assert wrong == set()


def test_no_text_with_tags_is_put_together_in_another_way(read: dict[str, Nodes]) -> None:
    wrong, fill = set(), users(read)
    for name, nodes in read.items():
        if name in (HOME, *APART):
            continue
        spared = docstrings(nodes)
        if name in fill:
            literals = (each for call in calls(nodes, "fill", "joined") for each in call.args)
            spared |= {id(each) for each in literals}
        for node in nodes:
            told = isinstance(node, ast.Constant) and id(node) not in spared
            if told and TAGGED.search(str(node.value)):
                wrong.add(f"{name}:{node.lineno} {node.value}")
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = [alias.name for alias in node.names]
                if getattr(node, "module", None) == "html" or "html" in names:
                    wrong.add(f"{name}:{node.lineno} escapes by itself")
    assert wrong == set()


def test_templates_escape_and_scripts_of_ours_write_text(
    read: dict[str, Nodes], root: Path
) -> None:
    for name, nodes in read.items():
        for call in calls(nodes, "Environment"):
            given = {each.arg: getattr(each.value, "value", None) for each in call.keywords}
            assert given.get("autoescape") is True, f"{name}:{call.lineno}"
    files = [path for name in ("course", "graders") for path in (root / name).rglob("*")]
    pages = [path for path in files if path.suffix in (".html", ".jinja", ".js")]
    assert len(pages) >= 4
    for path in pages:
        assert not SCRIPTED.search(path.read_text()), path.name
        assert not re.search(r"\|\s*safe\b|autoescape false", path.read_text()), path.name


def test_values_are_escaped_once_and_markup_never() -> None:
    made = fill('<b title="{}">{}</b>{name:.2f}{}', NAME, NAME, fill("<i>{}</i>", "&"), name=1)
    assert [tag for tag, _ in tags(made)] == ["b", "i"]
    assert tags(made)[0][1] == {"title": NAME}
    assert made.endswith("1.00<i>&amp;</i>")
    assert joined([NAME, made]).endswith(made)
    assert tags(joined([NAME, NAME])) == []
    assert text('{"a": "<b>"}') == '{"a": "&lt;b&gt;"}'
    assert text(made) is made


def test_what_is_no_markup_is_shown_as_it_was_written() -> None:
    assert tags(shown(NAME)) == []
    made = fill("<b>{}</b>", NAME)
    assert shown(made) is made
    assert tags(shown(made + NAME)) == []  # put together, it is nobody's markup any more
    assert isinstance(Markup().__html__(), str)
