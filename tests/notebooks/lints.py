"""Rules for notebooks. Each takes a notebook and returns what is wrong, one sentence a fault."""

from __future__ import annotations

import ast
import builtins
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import cast

import nbformat
from nbformat import NotebookNode

from course.notebook.sources import read_source
from course.observability.diagrams import LOOK
from graders.diagrams import diagrams
from graders.judge.reading import read_code
from tests.notebooks.kit import ROOT, grade_id

LARGEST = 300_000  # bytes
EXERCISE = re.compile(r"ex_(\d+)_(\d+)$")
FENCE = re.compile(r"^(```|~~~)(\w*).*?^\1", re.DOTALL | re.MULTILINE)
PICTURE = re.compile(r"!\[([^\]]*)\]\(\s*<?([^)\s>]+)")
LABEL = re.compile(
    r"Difficulty [1-5] of 5 \([●○]{5}\) · Importance [1-5] of 5 \([●○]{5}\) · "
    r"about \d+ minutes · (\d+) points?"
)
POINTS = re.compile(r"([\d.]+) of [\d.]+ in this chapter")
SLIP = re.compile(
    r"(?:Attribute|Import|Index|Key|ModuleNotFound|Name|Recursion|Type|UnboundLocal|ZeroDivision)Error"
    r"|list index out of range|object has no attribute"
)
"""What a system reports when its own program is wrong, which no chapter means to show."""
SET = re.compile(r"\{(?:'[^'{}]*'|\d+)(?:, (?:'[^'{}]*'|\d+))+\}")
"""A set of several texts or numbers, as Python prints it: in another order in another process."""
FOLD = re.compile(r"# ▸ \S.*?(?: \((\d+) lines\))?$")
"""The first line of a folded cell, which JupyterLab shows in its place: what the cell does."""
Lint = Callable[[NotebookNode], list[str]]
Homes = dict[str, list[ast.stmt]]


def one_title(book: NotebookNode) -> list[str]:
    titles = [text for level, text in _headings(book) if level == 1]
    return [] if len(titles) == 1 else [f"exactly one H1 is wanted, there are {len(titles)}"]


def headings_in_order(book: NotebookNode) -> list[str]:
    found, before = [], 0
    for level, text in _headings(book):
        if level > before + 1:
            found.append(f"heading {text!r} jumps from level {before} to {level}")
        before = level
    return found


def alt_texts(book: NotebookNode) -> list[str]:
    return [*_alt_in_markdown(book), *_alt_in_outputs(book), *_alt_in_diagrams(book)]


def diagrams_for_any_theme(book: NotebookNode) -> list[str]:
    """Diagrams bring colours to be read on white and on black."""
    return [
        f"a diagram has other colours than `course.observability.diagrams.LOOK`: {text[:40]!r}"
        for text in diagrams(book)
        if LOOK not in text
    ]


def no_remote_images(book: NotebookNode) -> list[str]:
    sources = [source for _, source in _pictures(book)]
    return [f"image from elsewhere: {each}" for each in sources if "//" in each[:8]]


def unique_ids(book: NotebookNode) -> list[str]:
    grades = Counter(filter(None, map(grade_id, book.cells)))
    cells = Counter(cell.get("id") for cell in book.cells)
    doubles = [f"grade id {name} is used {n} times" for name, n in grades.items() if n > 1]
    return doubles + [f"cell id {name} is used {n} times" for name, n in cells.items() if n > 1]


def no_faults_stored(book: NotebookNode) -> list[str]:
    found = []
    for cell, output in _outputs(book):
        if output.output_type == "error":
            found.append(f"cell {cell.id} stores the error {output.ename}")
        elif output.get("name") == "stderr":
            found.append(f"cell {cell.id} stores stderr: {output.text[:60]!r}")
        elif slip := SLIP.search(_plain(output)):
            found.append(f"cell {cell.id} tells of a slip in its own code: {slip[0]}")
        elif unordered := SET.search(_plain(output)):
            found.append(f"cell {cell.id} prints a set, print it sorted: {unordered[0][:60]}")
    return found


def small(book: NotebookNode) -> list[str]:
    size = len(nbformat.writes(book).encode())
    return [] if size < LARGEST else [f"{size} bytes, {LARGEST} is the limit"]


def runs_on_python3(book: NotebookNode) -> list[str]:
    name = book.metadata.get("kernelspec", {}).get("name")
    return [] if name == "python3" else [f"kernelspec is {name!r}, not 'python3'"]


def ran_in_order(book: NotebookNode) -> list[str]:
    counts = [c.execution_count for c in book.cells if c.cell_type == "code" and c.source.strip()]
    if not any(counts) or counts == list(range(1, len(counts) + 1)):
        return []
    return [f"cells were not run in order on a fresh kernel: {counts}"]


def points_rise(book: NotebookNode) -> list[str]:
    """Each check adds to the points, unless a run before this one had passed it already."""
    told = [float(each) for _, output in _outputs(book) for each in POINTS.findall(_plain(output))]
    if all(a < b for a, b in pairwise(told)):
        return []
    return [f"it shows the points of an earlier run: {told}; set SWITCHBOARD_STATE and execute it"]


def code_parses(book: NotebookNode) -> list[str]:
    return [f"cell {cell.id}: {fault}" for cell in _code(book) if (fault := _syntax(cell.source))]


def hints_closed(book: NotebookNode) -> list[str]:
    opened = [
        cell.id for cell in _markdown(book) if re.search(r"<details[^>]*\bopen\b", cell.source)
    ]
    return [f"cell {name} has a <details> that is open" for name in opened]


def five_cells(book: NotebookNode) -> list[str]:
    """Each exercise: heading, solution, check, closed help, try it."""
    return [
        f"exercise {found[1]}.{found[2]}: {fault}"
        for index, cell in enumerate(book.cells)
        if (found := EXERCISE.match(grade_id(cell)))
        for fault in _shape(book.cells, index, f"{int(found[1])}.{int(found[2])}")
    ]


def folds_titled(book: NotebookNode) -> list[str]:
    """A folded cell begins with what it does and how long it is, and is given."""
    return [f"cell {cell.id}: {fault}" for cell in _code(book) for fault in _fold(cell)]


def _fold(cell: NotebookNode) -> Iterator[str]:
    title, _, rest = cell.source.partition("\n")
    found = FOLD.match(title)
    if not folded(cell):
        if found:
            yield "it has a fold's title, and metadata.jupyter.source_hidden is not true"
        return
    lines = code_lines(rest)
    if found is None or found[1] != str(lines):
        yield f"it is folded, so its first line is '# ▸ what it does ({lines} lines)'"
    if grade_id(cell) or "try" in _tags(cell):
        yield "it is a student's to write, run or change, and folded"


def folded(cell: NotebookNode) -> bool:
    """Whether JupyterLab shows the first line of a cell alone."""
    return bool(cell.metadata.get("jupyter", {}).get("source_hidden"))


def code_lines(source: str) -> int:
    """Lines that are not empty."""
    return sum(bool(line.strip()) for line in source.splitlines())


def answers_stay(book: NotebookNode) -> list[str]:
    """No later cell gives an exercise's name another value: the judge would take that one."""
    answers: dict[str, str] = {}
    faults = []
    for cell in _code(book):
        about = cell.metadata.get("nbgrader", {})
        bound = set(_bound(cell.source))
        if about.get("solution"):
            answers |= dict.fromkeys(definitions(cell.source), about["grade_id"])
        elif "try" not in _tags(cell):
            again = sorted(bound & answers.keys())
            faults += [f"cell {cell.id} binds {name} of {answers[name]} again" for name in again]
    return faults


def stays_open(book: NotebookNode) -> list[str]:
    """No cell closes or removes what another made: after a run of all, one plays with it again.

    Worlds remove their files when the kernel ends; `atexit` is for others.
    """
    faults = []
    for cell in _code(book):
        own = read_code(cell.source).binds
        for call in (each for node in _statements(cell.source) for each in _closing(node)):
            if call.split(".")[0] not in own:
                faults.append(f"cell {cell.id} closes {call} of another cell: leave it open")
    return faults


def _closing(statement: ast.stmt) -> Iterator[str]:
    """What a statement of a cell itself closes or removes."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
        if call.func.attr == "close":
            yield ast.unparse(call.func.value)
        elif call.func.attr == "rmtree":
            yield ast.unparse(call.args[0])


def solutions_marked(book: NotebookNode) -> list[str]:
    """In a source, every exercise has a solution region and a hidden call into graders/."""
    found = []
    for cell in book.cells:
        name = grade_id(cell)
        if EXERCISE.match(name) and "### BEGIN SOLUTION" not in cell.source:
            found.append(f"{name} has no solution region")
        if name.endswith("_check") and not re.search(_HIDDEN, cell.source, re.DOTALL):
            found.append(f"{name} has no hidden call into graders/")
    return found


_HIDDEN = r"### BEGIN HIDDEN TESTS\nfrom graders\..*### END HIDDEN TESTS"


def saved(book: NotebookNode, homes: Homes, chapter: int) -> list[str]:
    """Definitions in cells tagged `save` are those of the package, which names this chapter."""
    return [
        fault
        for cell in _code(book)
        if "save" in _tags(cell)
        for fault in _saved(cell, homes, chapter)
    ]


def shadowed(book: NotebookNode) -> list[str]:
    """Names that a saved definition has from the package, and that another cell gives a function
    of the chapter's own: the saved one would call that."""
    own = {
        node.name: cell.id
        for cell in _code(book)
        if "save" not in _tags(cell)
        for node in _statements(cell.source)
        if isinstance(node, _WITH_DOCSTRING)
    }
    return [
        f"cell {cell.id} saves {node.name}, which calls the package's {name}: cell {own[name]}"
        f" calls a function of its own {name}"
        for cell in _code(book)
        if "save" in _tags(cell)
        for node in _statements(cell.source)
        if isinstance(node, _WITH_DOCSTRING)
        for name in sorted(_names_in(node) & _around().get(node.name, set()) & own.keys())
    ]


def builtins_kept(book: NotebookNode) -> list[str]:
    """A name of Python's own that a cell binds is gone in each cell below, a student's included."""
    return [
        f"cell {cell.id} gives Python's own name {name} another meaning"
        for cell in _code(book)
        for name in sorted(read_code(cell.source).binds & vars(builtins).keys())
    ]


def _statements(source: str) -> list[ast.stmt]:
    tree = compile(
        source,
        "cell",
        "exec",
        flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | ast.PyCF_ONLY_AST,
        dont_inherit=True,
    )
    return cast("ast.Module", tree).body


def _names_in(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


@cache
def _around() -> dict[str, set[str]]:
    """For each definition of the package what is bound beside it, by import or definition."""
    beside: dict[str, set[str]] = {}
    for path in (ROOT / "course").rglob("*.py"):
        body = ast.parse(path.read_text(encoding="utf-8")).body
        defined = set(filter(None, map(_defined, body)))
        imported = {
            alias.asname or alias.name
            for node in body
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        for name in defined:
            beside.setdefault(name, set()).update(defined | imported)
    return beside


def unshown(books: Mapping[int, NotebookNode], homes: Homes) -> list[str]:
    """Definitions of the package that say they are built in a chapter which does not show them."""
    shown = {
        (chapter, ast.dump(node))
        for chapter, book in books.items()
        for cell in _code(book)
        if "save" in _tags(cell)
        for node in ast.parse(cell.source).body
    } | {
        (chapter, ast.dump(node))
        for chapter, book in books.items()
        for place in sources_shown(book)
        for node in ast.parse(read_source(place).code).body
    }
    said = (
        (name, node, re.search(r"Built in chapter (\d+)", ast.get_docstring(node) or ""))
        for name, nodes in homes.items()
        for node in nodes
        if isinstance(node, _WITH_DOCSTRING)
    )
    return [
        f"{name} says 'Built in chapter {told[1]}', which does not show it: say 'Used in chapter'"
        for name, node, told in said
        if told and (int(told[1]), ast.dump(node)) not in shown
    ]


def sources_shown(book: NotebookNode) -> list[str]:
    """The places that a chapter's cells give to `show_source`."""
    return [
        each.value
        for cell in _code(book)
        if "show_source" in cell.source
        for statement in _statements(cell.source)
        for node in ast.walk(statement)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "show_source"
        for each in node.args
        if isinstance(each, ast.Constant) and isinstance(each.value, str)
    ]


EVERYWHERE: tuple[Lint, ...] = (
    one_title,
    headings_in_order,
    alt_texts,
    diagrams_for_any_theme,
    no_remote_images,
    unique_ids,
    no_faults_stored,
    small,
    runs_on_python3,
    ran_in_order,
    points_rise,
    code_parses,
    hints_closed,
    five_cells,
    folds_titled,
    stays_open,
    answers_stay,
    builtins_kept,
)


def _shape(cells: list[NotebookNode], index: int, number: str) -> Iterator[str]:
    around = cells[max(index - 1, 0) : index + 4]
    if index == 0 or len(around) < 5:
        yield "its five cells are not all there"
        return
    heading, solution, check, hints, trial = around
    points = check.metadata.get("nbgrader", {}).get("points")
    label = LABEL.search(heading.source)
    if not heading.source.startswith(f"### Exercise {number} · "):
        yield f"the cell before does not begin with '### Exercise {number} · '"
    if label is None:
        yield "the line of difficulty, importance, minutes and points is missing"
    elif float(label[1]) != points:
        yield f"the heading says {label[1]} points, the check cell {points}"
    if not all(word in heading.source.lower() for word in ("gets", "returns", "raises")):
        yield "the contract (gets, returns, raises) is incomplete"
    yield from _marks(solution, check, number)
    if hints.cell_type != "markdown" or hints.source.count("<details") < 2:
        yield "the cell after the check holds no closed help and hints"
    if "What you should see" not in hints.source:
        yield "it does not say what you should see"
    if trial.cell_type != "code" or grade_id(trial):
        yield "the fifth cell is no ungraded code cell to try it in"


def _marks(solution: NotebookNode, check: NotebookNode, number: str) -> Iterator[str]:
    about = check.metadata.get("nbgrader", {})
    if grade_id(check) != f"{grade_id(solution)}_check":
        yield "the cell after the solution is not its check"
    if not (about.get("locked") and about.get("grade") and not about.get("solution")):
        yield "the check cell is not a locked grade cell"
    visible = re.sub(_HIDDEN, "", check.source, flags=re.DOTALL)
    if f'check("{number} ' not in visible and f'play("{number}"' not in visible:
        yield "no check carries the exercise's number"
    tree = ast.parse(check.source) if not _syntax(check.source) else None
    if tree and isinstance(tree.body[-1], ast.Expr) and not _is_call(tree.body[-1]):
        yield "the check cell ends in a value, which nbgrader would take for the score"


def _is_call(statement: ast.Expr) -> bool:
    """A call of a hidden check may end a cell: those return None."""
    return isinstance(statement.value, ast.Call | ast.Await)


def _saved(cell: NotebookNode, homes: Homes, chapter: int) -> Iterator[str]:
    for node in ast.parse(cell.source).body:
        name = _defined(node)
        if name is None:
            continue
        found = homes.get(name, [])
        if ast.dump(node) not in map(ast.dump, found):
            where = "differs from the package's" if found else "is not in the package"
            yield f"cell {cell.id}: the saved {name} {where}"
        elif isinstance(node, _WITH_DOCSTRING):
            told = re.search(r"Built in chapter (\d+)", ast.get_docstring(node) or "")
            if told is None or int(told[1]) != chapter:
                yield f"cell {cell.id}: {name} is not said to be 'Built in chapter {chapter}'"


_WITH_DOCSTRING = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def _bound(source: str) -> Iterator[str]:
    """Names that a cell's own statements import or define."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name for alias in node.names)
        elif name := _defined(node):
            yield name


def _defined(node: ast.stmt) -> str | None:
    """Return the name that a top-level statement defines; imports and calls define none."""
    if isinstance(node, _WITH_DOCSTRING):
        return node.name
    target = node.targets[0] if isinstance(node, ast.Assign) else None
    if isinstance(node, ast.AnnAssign):
        target = node.target
    return target.id if isinstance(target, ast.Name) else None


def definitions(source: str) -> Homes:
    """Return the top-level definitions of a module by name."""
    homes: Homes = {}
    for node in ast.parse(source).body:
        name = _defined(node)
        if name is not None:
            homes.setdefault(name, []).append(node)
    return homes


@cache
def package() -> Homes:
    """Return the top-level definitions of all of course/ by name."""
    homes: Homes = {}
    for path in sorted((ROOT / "course").rglob("*.py")):
        for name, nodes in definitions(path.read_text(encoding="utf-8")).items():
            homes.setdefault(name, []).extend(nodes)
    return homes


def _syntax(source: str) -> str:
    try:
        compile(source, "cell", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    except SyntaxError as fault:
        return f"line {fault.lineno}: {fault.msg}"
    return ""


def _alt_in_markdown(book: NotebookNode) -> Iterator[str]:
    for cell in _markdown(book):
        for alt, source in PICTURE.findall(_prose(cell)):
            if not alt.strip():
                yield f"cell {cell.id}: image {source[:40]} has no alt text"
        yield from (
            f"cell {cell.id}: <img> without alt" for alt, _ in _tags_img(cell.source) if not alt
        )


def _alt_in_outputs(book: NotebookNode) -> Iterator[str]:
    for cell, output in _outputs(book):
        data = output.get("data", {})
        markup = data.get("text/html", "")
        yield from (
            f"cell {cell.id}: output <img> without alt" for alt, _ in _tags_img(markup) if not alt
        )
        for kind in data:
            if kind.startswith("image/") and "<img" not in markup:
                yield f"cell {cell.id}: {kind} output cannot carry alt text; use show_figure"


def _alt_in_diagrams(book: NotebookNode) -> Iterator[str]:
    for cell in _markdown(book):
        for fence in FENCE.finditer(cell.source):
            told = all(
                re.search(rf"^\s*{w}\s*[:{{]", fence[0], re.M) for w in ("accTitle", "accDescr")
            )
            if fence[2] == "mermaid" and not told:
                yield f"cell {cell.id}: the diagram has no accTitle and accDescr"


def _pictures(book: NotebookNode) -> Iterator[tuple[str, str]]:
    for cell in _markdown(book):
        yield from PICTURE.findall(_prose(cell))
        yield from _tags_img(cell.source)
    for _, output in _outputs(book):
        yield from _tags_img(output.get("data", {}).get("text/html", ""))


class _Images(HTMLParser):
    """Collects alt and src of every <img>."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "img":
            named = dict(attrs)
            self.found.append(((named.get("alt") or "").strip(), named.get("src") or ""))


def _tags_img(markup: str) -> list[tuple[str, str]]:
    parser = _Images()
    parser.feed(markup)
    return parser.found


def _headings(book: NotebookNode) -> Iterator[tuple[int, str]]:
    for cell in _markdown(book):
        for line in _prose(cell).splitlines():
            if found := re.match(r"(#{1,6})\s+(.*)", line):
                yield len(found[1]), found[2]


def _prose(cell: NotebookNode) -> str:
    return FENCE.sub("", cell.source)


def _markdown(book: NotebookNode) -> Iterator[NotebookNode]:
    return (cell for cell in book.cells if cell.cell_type == "markdown")


def _code(book: NotebookNode) -> Iterator[NotebookNode]:
    return (cell for cell in book.cells if cell.cell_type == "code")


def _outputs(book: NotebookNode) -> Iterator[tuple[NotebookNode, NotebookNode]]:
    return ((cell, output) for cell in _code(book) for output in cell.get("outputs", []))


def _plain(output: NotebookNode) -> str:
    return str(output.get("text") or output.get("data", {}).get("text/plain", ""))


def _tags(cell: NotebookNode) -> list[str]:
    return cell.metadata.get("tags", [])


def notebooks(folder: str) -> list[Path]:
    """List the chapters' notebooks under a top-level folder of the repository."""
    return sorted((ROOT / folder).glob("*/*.ipynb"))
