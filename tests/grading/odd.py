"""Right answers in odd notebooks: each way to mangle a solved notebook must keep every point.

A mangling takes the notebook as JSON, changes it in place, and may return the bytes of the file.
"""

from __future__ import annotations

import ast
import copy
import json
import random
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.notebooks import kit

Json = dict[str, Any]
Mangling = Callable[[Json], bytes | str | None]
MANGLED: dict[str, Mangling] = {}


def solved(chapter: str) -> Json:
    """A chapter as a student hands it in who solved everything: the release, with the answers."""
    read = [
        json.loads((kit.ROOT / folder / chapter / f"{chapter}.ipynb").read_text("utf-8"))
        for folder in ("notebooks", "solutions")
    ]
    book: Json = read[0]
    answers: Json = read[1]
    texts = {name(cell): text(cell) for cell in answers["cells"] if is_answer(cell)}
    for cell in book["cells"]:
        if is_answer(cell):
            cell["source"] = texts[name(cell)]
    return book


def as_file(chapter: str, mangling: Mangling, folder: Path) -> Path:
    """The mangled notebook, as a file."""
    book = copy.deepcopy(solved(chapter))
    made = mangling(book)
    folder.mkdir(exist_ok=True)
    path = folder / f"{chapter}.ipynb"
    if made is None:
        made = json.dumps(book)
    path.write_bytes(made if isinstance(made, bytes) else made.encode())
    return path


def text(cell: Json) -> str:
    return "".join(cell["source"])


def name(cell: Json) -> str:
    return str((cell["metadata"].get("nbgrader") or {}).get("grade_id", ""))


def is_answer(cell: Json) -> bool:
    about = cell["metadata"].get("nbgrader") or {}
    return cell["cell_type"] == "code" and bool(about.get("solution"))


def is_side(cell: Json) -> bool:
    return cell["cell_type"] == "code" and not cell["metadata"].get("nbgrader")


def answers(book: Json) -> list[int]:
    """Places of the solution cells, the last one first: what is put in moves none to come."""
    return [n for n, cell in reversed(list(enumerate(book["cells"]))) if is_answer(cell)]


def code(source: str) -> Json:
    return {"cell_type": "code", "metadata": {}, "outputs": [], "source": source}


def stub(cell: Json) -> str:
    """The cell as it was released."""
    for chapter in (kit.ROOT / "notebooks").glob(
        f"{name(cell)[3:].split('_')[0].zfill(2)}_*/*.ipynb"
    ):
        for each in json.loads(chapter.read_text("utf-8"))["cells"]:
            if name(each) == name(cell):
                return text(each)
    raise LookupError(name(cell))


def mangling(make: Mangling) -> Mangling:
    MANGLED[make.__name__.replace("_", " ")] = make
    return make


def edit_sides(change: Callable[[str], str]) -> Mangling:
    def make(book: Json) -> None:
        for cell in filter(is_side, book["cells"]):
            cell["source"] = change(text(cell))

    return make


def edit_answers(change: Callable[[str], str]) -> Mangling:
    def make(book: Json) -> None:
        for cell in filter(is_answer, book["cells"]):
            cell["source"] = change(text(cell))

    return make


def unparsed(source: str) -> str:
    try:
        return ast.unparse(ast.parse(source))
    except SyntaxError:
        return source


MANGLED |= {
    "a comment in every cell": edit_sides(lambda s: s + "\n# my note"),
    "a comment on top of every cell": edit_sides(lambda s: "# read this\n" + s),
    "every cell formatted": edit_sides(unparsed),
    "every answer formatted": edit_answers(unparsed),
    "windows line ends": lambda b: (
        [c.update(source=text(c).replace("\n", "\r\n")) for c in b["cells"]] and None
    ),
    "old mac line ends": lambda b: (
        [c.update(source=text(c).replace("\n", "\r")) for c in b["cells"]] and None
    ),
    "blanks at every line's end": edit_sides(lambda s: s.replace("\n", "  \n") + "   "),
    "blank lines around every cell": edit_sides(lambda s: "\n\n" + s + "\n\n\n"),
    "a print in every cell": edit_sides(lambda s: s + "\nprint('here')"),
    "an error in every cell": edit_sides(lambda s: s + "\n1 / 0"),
    "an error on top of every cell": edit_sides(lambda s: "1 / 0\n" + s),
    "an unknown name in every cell": edit_sides(lambda s: s + "\nprint(no_such_name)"),
    "an unused endless loop in every cell": edit_sides(lambda s: s + "\nwhile True: pass"),
    "a question in every cell": edit_sides(lambda s: s + "\nprint?"),
    "timed cells": edit_sides(lambda s: "%%time\n" + s),
    "timed answers": edit_answers(lambda s: "%%time\n" + s),
    "captured answers": edit_answers(lambda s: "%%capture out\n" + s),
    "magics in answers": edit_answers(lambda s: "%matplotlib inline\n!pip list\nfiles = !ls\n" + s),
    "answers in an if": edit_answers(lambda s: "if True:\n" + textwrap.indent(s, "    ")),
    "answers in a try": edit_answers(
        lambda s: "try:\n" + textwrap.indent(s, "    ") + "\nexcept ImportError:\n    raise"
    ),
    "answers by exec": edit_answers(lambda s: f"exec({s!r})"),
    "answers by exec in globals": edit_answers(lambda s: f"exec({s!r}, globals())"),
    "an error below the answer": edit_answers(lambda s: s + "\nprint(no_such_name)\n1 / 0"),
    "a raise below the answer": edit_answers(lambda s: s + "\nraise RuntimeError('stop here')"),
}


@mangling
def answers_below_their_stubs(book: Json) -> None:
    for n in answers(book):
        cell = book["cells"][n]
        book["cells"].insert(n + 1, code(text(cell)))
        cell["source"] = stub(cell)


@mangling
def answers_above_their_stubs(book: Json) -> None:
    for n in answers(book):
        cell = book["cells"][n]
        book["cells"].insert(n, code(text(cell)))
        cell["source"] = stub(cell)


@mangling
def answers_below_emptied_cells(book: Json) -> None:
    for n in answers(book):
        cell = book["cells"][n]
        book["cells"].insert(n + 1, code(text(cell)))
        cell["source"] = ""


@mangling
def answers_below_commented_stubs(book: Json) -> None:
    for n in answers(book):
        cell = book["cells"][n]
        book["cells"].insert(n + 1, code(text(cell)))
        cell["source"] = "\n".join("# " + line for line in stub(cell).splitlines())


@mangling
def answers_in_the_place_of_deleted_cells(book: Json) -> None:
    for n in answers(book):
        book["cells"][n] = code(text(book["cells"][n]))


@mangling
def answers_in_two_cells(book: Json) -> None:
    for n in answers(book):
        cell = book["cells"][n]
        *first, last = ast.parse(text(cell)).body
        cell["source"] = "\n".join(ast.unparse(each) for each in first)
        book["cells"].insert(n + 1, code(ast.unparse(last)))


@mangling
def answers_below_wrong_ones(book: Json) -> None:
    for n in answers(book):
        cell = book["cells"][n]
        book["cells"].insert(n + 1, code(text(cell)))
        cell["source"] = stub(cell).replace("raise NotImplementedError(", "return str(")


@mangling
def answers_at_the_end(book: Json) -> None:
    for n in reversed(answers(book)):
        cell = book["cells"][n]
        book["cells"].append(code(text(cell)))
        cell["source"] = stub(cell)


@mangling
def answers_in_things_to_try(book: Json) -> None:
    for n in answers(book):
        cell = book["cells"][n]
        tried = next(c for c in book["cells"][n:] if "try" in c["metadata"].get("tags", ()))
        tried["source"] = text(tried) + "\n\n" + text(cell)
        cell["source"] = stub(cell)


def parts(source: str) -> tuple[str, str, str]:
    """What an answer needs, its last definition under another name, and its own name."""
    *first, last = ast.parse(source).body
    assert isinstance(last, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    own, last.name = last.name, "my_" + last.name
    return "\n".join(ast.unparse(each) for each in first), ast.unparse(last), own


def through(below: str, *, answer: str, order: str = "above") -> Mangling:
    """The work is done by a helper in a cell of its own; the answer takes it from somewhere.

    Args:
        below: the helper's cell: `{impl}` is its text, `{my}` its name, `{own}` the answer's.
        answer: what the solution cell holds after the imports.
        order: whether the helper's cell stands above the answer or in the next thing to try.
    """

    def make(book: Json) -> None:
        for n in answers(book):
            cell = book["cells"][n]
            first, impl, own = parts(text(cell))
            fields = {"impl": impl, "my": "my_" + own, "own": own}
            helper = below.format(**fields)
            cell["source"] = first + "\n" + answer.format(**fields)
            if order == "above":
                book["cells"].insert(n, code(first + "\n" + helper))
            elif order == "below":
                book["cells"].insert(n + 1, code(helper))
            else:
                tried = next(c for c in book["cells"][n:] if "try" in c["metadata"].get("tags", ()))
                tried["source"] = helper + "\n" + text(tried)

    return make


CALL = "def {own}(*args, **kwargs):\n    return {what}(*args, **kwargs)"
REGISTRY = """REGISTRY_{own} = {{}}
def register_{own}(key):
    def keep(f):
        REGISTRY_{own}[key] = f
        return f
    return keep"""


def calls(what: str) -> str:
    return CALL.replace("{what}", what)


MANGLED |= {
    "a helper above": through("{impl}", answer=calls("{my}")),
    "a helper below": through("{impl}", answer=calls("{my}"), order="below"),
    "a helper in a thing to try": through("{impl}", answer=calls("{my}"), order="try"),
    "a helper under a condition": through(
        "import sys\nif sys.version_info > (3, 8):\n    for _ in range(1):\n"
        "        with open('/dev/null'):\n            pass\n{impl}",
        answer=calls("{my}"),
    ),
    "a helper by an alias": through("{impl}\nhelp_{own} = {my}", answer=calls("help_{own}")),
    "a helper by partial": through(
        "import functools\n{impl}\nhelp_{own} = functools.partial({my})", answer=calls("help_{own}")
    ),
    "a helper by lambda": through(
        "{impl}\nhelp_{own} = lambda *a, **k: {my}(*a, **k)", answer=calls("help_{own}")
    ),
    "a helper in a list": through(
        "{impl}\nSTEPS_{own}.append({my})",
        answer="STEPS_{own} = []\n" + calls("STEPS_{own}[0]"),
        order="below",
    ),
    "a helper set on a class": through(
        "class Help_{own}:\n    pass\n\n{impl}\nsetattr(Help_{own}, 'do', staticmethod({my}))",
        answer=calls("Help_{own}.do"),
    ),
    "a helper as an attribute": through(
        "{impl}\n{own}.helper = {my}", answer=calls("{own}.helper"), order="below"
    ),
    "a helper in globals": through(
        "{impl}\nglobals()['help_' + '{own}'] = {my}", answer=calls("help_{own}")
    ),
    "a helper by globals update": through(
        "{impl}\nglobals().update(help_{own}={my})", answer=calls("help_{own}")
    ),
    "a helper of the main module": through(
        "import sys\n{impl}\nsetattr(sys.modules['__main__'], 'help_{own}', {my})",
        answer=calls("help_{own}"),
    ),
    "a helper by a function's global": through(
        "{impl}\ndef set_{own}():\n    global help_{own}\n    help_{own} = {my}\n\nset_{own}()",
        answer=calls("help_{own}"),
    ),
    "a helper awaited": through(
        "{impl}\nasync def make_{own}():\n    return {my}\n\nhelp_{own} = await make_{own}()",
        answer=calls("help_{own}"),
    ),
    "a helper in a registry": through(
        "@register_{own}('x')\n{impl}",
        answer=REGISTRY + "\n" + calls("REGISTRY_{own}['x']"),
        order="below",
    ),
    "a helper in a registry in a thing to try": through(
        "@register_{own}('x')\n{impl}",
        answer=REGISTRY + "\n" + calls("REGISTRY_{own}['x']"),
        order="try",
    ),
    "a helper registered by a call": through(
        "{impl}\nregister_{own}('x')({my})",
        answer=REGISTRY + "\n" + calls("REGISTRY_{own}['x']"),
        order="below",
    ),
    "a plugin by its base class": through(
        "{impl}\nclass Plugin_{own}(Base_{own}):\n    do = staticmethod({my})",
        answer="class Base_{own}:\n    kinds = []\n    def __init_subclass__(cls):\n"
        "        Base_{own}.kinds.append(cls)\n\n" + calls("Base_{own}.kinds[0].do"),
        order="below",
    ),
    "a plugin by subclasses": through(
        "{impl}\nclass Plugin_{own}(Base_{own}):\n    do = staticmethod({my})",
        answer="class Base_{own}:\n    pass\n\n" + calls("Base_{own}.__subclasses__()[0].do"),
        order="below",
    ),
    "a plugin by a metaclass": through(
        "{impl}\nclass Plugin_{own}(metaclass=Meta_{own}):\n    do = staticmethod({my})",
        answer="class Meta_{own}(type):\n    made = []\n    def __init__(cls, *rest):\n"
        "        Meta_{own}.made.append(cls)\n\n" + calls("Meta_{own}.made[0].do"),
        order="below",
    ),
    "a single dispatch": through(
        "{impl}\n@choose_{own}.register\ndef _(way: str):\n    return {my}",
        answer="import functools\n@functools.singledispatch\ndef choose_{own}(way):\n"
        "    raise TypeError(way)\n\n" + calls("choose_{own}('x')"),
        order="below",
    ),
    "a helper by exec in a loop": through(
        "code_{own} = {impl!r}\nfor each in [code_{own}]:\n    exec(each)", answer=calls("{my}")
    ),
    "a decorator below the answer": through(
        "def honest_{own}(f):\n    return f",
        answer="@honest_{own}\n{impl}\n{own} = {my}",
        order="below",
    ),
    "an answer by a class's call": through(
        "{impl}\nclass Do_{own}:\n    def __call__(self, *a, **k):\n        return {my}(*a, **k)",
        answer="{own} = Do_{own}()",
    ),
    "an answer by exec of a text above": through(
        "TEXT_{own} = {impl!r}", answer="exec(TEXT_{own})\n{own} = {my}"
    ),
    "an answer by eval": through("{impl}", answer="{own} = eval('my_' + '{own}')"),
    "an answer by a name made up": through("{impl}", answer="{own} = globals()['my_' + '{own}']"),
}


BUS = """class Bus_{own}:
    def __init__(self):
        self.kept = {{}}

    def on(self, key):
        def keep(f):
            self.kept[key] = f
            return f
        return keep

bus_{own} = Bus_{own}()
"""
IN_DICT = "T_{own} = {{}}\n" + calls("T_{own}['x']")
IN_LIST = "T_{own} = []\n" + calls("T_{own}[0]")

MANGLED |= {
    "a helper by a method of a type": through(
        "{impl}\ndict.update(T_{own}, x={my})", answer=IN_DICT, order="below"
    ),
    "a helper by an operator": through(
        "{impl}\nT_{own} |= {{'x': {my}}}", answer=IN_DICT, order="below"
    ),
    "a helper by a library's function": through(
        "{impl}\nimport operator\noperator.setitem(T_{own}, 'x', {my})",
        answer=IN_DICT,
        order="below",
    ),
    "a helper by map": through(
        "{impl}\nlist(map(T_{own}.append, [{my}]))", answer=IN_LIST, order="below"
    ),
    "a helper by a bound method": through(
        "{impl}\nadd = T_{own}.append\nadd({my})", answer=IN_LIST, order="below"
    ),
    "a helper by an event": through(
        "@bus_{own}.on('x')\n{impl}", answer=BUS + calls("bus_{own}.kept['x']"), order="below"
    ),
    "a helper by a part's name": through(
        "{impl}\nclass Whole_{own}:\n    part = Part_{own}({my})",
        answer="class Part_{own}:\n    made = []\n    def __init__(self, f):\n        self.f = f\n"
        "    def __set_name__(self, *rest):\n        Part_{own}.made.append(self.f)\n\n"
        + calls("Part_{own}.made[0]"),
        order="below",
    ),
    "a helper by a match": through(
        "{impl}\nmatch 1:\n    case 1:\n        help_{own} = {my}", answer=calls("help_{own}")
    ),
    "a helper by a walrus": through(
        "{impl}\nprint(help_{own} := {my})", answer=calls("help_{own}")
    ),
    "a helper before an error": through(
        "{impl}\ntry:\n    help_{own}\nexcept NameError:\n    help_{own} = {my}\n1 / 0",
        answer=calls("help_{own}"),
    ),
    "a helper of two on a line": through(
        "{impl}\na_{own} = 1; help_{own} = {my}", answer=calls("help_{own}")
    ),
    "an answer decorated below": through(
        "import functools\n{own} = functools.wraps({own})({own})",
        answer="{impl}\n{own} = {my}",
        order="below",
    ),
    "an answer by the main module": through(
        "{impl}", answer="import __main__\n{own} = __main__.{my}"
    ),
}


@mangling
def helpers_in_reverse(book: Json) -> None:
    for n in answers(book):
        cell = book["cells"][n]
        first, impl, own = parts(text(cell))
        last = f"class C_{own}(B_{own}):\n    pass\n\n" + calls("C_{own}.do").format(own=own)
        cell["source"] = f"{first}\n{last}"
        base = f"class A_{own}:\n    do = staticmethod(my_{own})"
        book["cells"].insert(n + 1, code(f"{first}\n{impl}\n{base}"))
        book["cells"].insert(n + 1, code(f"class B_{own}(A_{own}):\n    pass"))


@mangling
def helpers_in_a_file(book: Json) -> None:
    for n in answers(book):
        cell = book["cells"][n]
        own = parts(text(cell))[2]
        cell["source"] = f"import help_{own}\n{text(cell)}\nassert help_{own}.HERE"
        book["cells"].insert(n, code(f"%%writefile help_{own}.py\nHERE = True"))


@mangling
def every_id_the_same(book: Json) -> None:
    for cell in book["cells"]:
        cell["id"] = "same"


@mangling
def marked_copies_above(book: Json) -> None:
    for n in answers(book):
        again = copy.deepcopy(book["cells"][n])
        again.update(id=f"again-{n}", source=stub(again))
        book["cells"].insert(n, again)


@mangling
def many_scratch_cells(book: Json) -> None:
    place = len(book["cells"]) // 2
    book["cells"][place:place] = [code(f"x{n} = {n}\nprint(x{n})") for n in range(300)]


@mangling
def every_cell_twice(book: Json) -> None:
    book["cells"] = [copy.deepcopy(cell) for cell in book["cells"] for _ in range(2)]


@mangling
def the_notebook_twice(book: Json) -> None:
    book["cells"] += copy.deepcopy(book["cells"])


@mangling
def cells_reversed(book: Json) -> None:
    book["cells"].reverse()


HELPERS = [way for way in MANGLED if way.startswith("a helper")]
BY_NAME = (
    "above", "below", "in a thing to try", "under a condition", "by an alias", "by partial",
    "by lambda", "set on a class", "in globals", "by globals update", "of the main module",
    "by a function's global", "awaited", "by exec in a loop", "by a match", "by a walrus",
    "before an error", "of two on a line",
)  # fmt: skip
"""Helpers that an answer finds by their names, wherever they stand; the others are put somewhere
that the answer's cell makes."""


def jumbled(seed: int) -> Mangling:
    """Helpers of some kind, cells that are there twice, in any order, and no marks at times.

    Run from top to bottom it has to be right still. So a copy of an answer stands above it, since
    below it would empty what a helper was put in; and only what is found by its name is shuffled.
    """

    def make(book: Json) -> None:
        draw = random.Random(seed)
        shuffled = seed % 2 == 1
        MANGLED[f"a helper {draw.choice(BY_NAME)}" if shuffled else draw.choice(HELPERS)](book)
        for n in range(20):
            place = draw.randrange(len(book["cells"]))
            again = copy.deepcopy(book["cells"][place])
            again["id"] = f"again-{n}"
            below = shuffled or not is_answer(again)
            book["cells"].insert(draw.randrange(len(book["cells"]) if below else place + 1), again)
        if shuffled:
            draw.shuffle(book["cells"])
        if seed % 4 > 1:
            forget(book, ids=True, marks=True)

    return make


MANGLED |= {f"jumbled, {seed}": jumbled(seed) for seed in range(8)}


@mangling
def cells_shuffled(book: Json) -> None:
    random.Random(7).shuffle(book["cells"])


@mangling
def only_the_answers(book: Json) -> None:
    book["cells"] = [cell for cell in book["cells"] if is_answer(cell)]


@mangling
def stubs_pasted_below(book: Json) -> None:
    for n in answers(book):
        book["cells"].insert(n + 1, code(stub(book["cells"][n])))


@mangling
def prose_turned_to_code(book: Json) -> None:
    for cell in book["cells"]:
        if cell["cell_type"] == "markdown" and not name(cell):
            cell.update(cell_type="code", outputs=[], execution_count=None)


@mangling
def helper_in_prose_turned_to_code(book: Json) -> None:
    through("{impl}", answer=calls("{my}"))(book)
    for n, cell in enumerate(book["cells"]):
        if "def my_" in text(cell):
            before = next(c for c in book["cells"][n::-1] if c["cell_type"] == "markdown")
            before.update(cell_type="code", source=text(cell), outputs=[])
            cell["source"] = "pass"


@mangling
def all_demonstrations_endless(book: Json) -> None:
    for cell in filter(is_side, book["cells"]):
        tags = cell["metadata"].get("tags", ())
        if "save" not in tags and not text(cell).lstrip().startswith(("from ", "import ")):
            cell["source"] = "while True: pass"


@mangling
def all_things_to_try_endless(book: Json) -> None:
    for cell in book["cells"]:
        if "try" in cell["metadata"].get("tags", ()):
            cell["source"] = "while True:\n    pass"


@mangling
def scratch_cells_that_call_the_answer(book: Json) -> None:
    for n in answers(book):
        own = parts(text(book["cells"][n]))[2]
        for scratch in (f"{own}()", f"print({own}(1))", f"x = {own}(None)\nx", f"await {own}()"):
            book["cells"].insert(n + 1, code(scratch))


@mangling
def scratch_cells_that_leave(book: Json) -> None:
    for n in answers(book):
        own = parts(text(book["cells"][n]))[2]
        for scratch in (f"exit({own})", "quit()", f"{own}.note = input()", "raise SystemExit"):
            book["cells"].insert(n + 1, code(scratch))


def beside(scratch: str) -> Mangling:
    """A scratch cell below each answer that seems to change it, so that it has to be run."""

    def make(book: Json) -> None:
        for n in answers(book):
            own = parts(text(book["cells"][n]))[2]
            book["cells"].insert(n + 1, code(scratch.format(own=own)))

    return make


MANGLED |= {
    "an endless loop beside the answer": beside("while True:\n    {own}.note = 1"),
    "a loop that cannot be stopped": beside(
        "while True:\n    try:\n        while True:\n            {own}.note = 1\n"
        "    except BaseException:\n        pass"
    ),
    "a program that ends": beside("import os\n{own}.note = os._exit(0)"),
    "a program that is killed": beside("import os\n{own}.note = os.kill(os.getpid(), 9)"),
    "a wait in real time": beside(
        "import select as waits\n{own}.note = waits.select([], [], [], 60)"
    ),
    "prints without end": beside("while True:\n    {own}.note = print('x' * 1000)"),
    "a recursion": beside("def deep(): return deep()\n{own}.note = deep()"),
    "a task that waits for ever": beside(
        "import asyncio\n{own}.note = await asyncio.Event().wait()"
    ),
    "released cells that raise": edit_sides(lambda s: "raise RuntimeError('gone')\n" + s),
    "released cells that are gone": edit_sides(lambda s: "pass"),
    "released cells that do not parse": edit_sides(lambda s: s + "\ndef broken(:"),
}


@mangling
def released_functions_that_raise(book: Json) -> None:
    for cell in filter(is_side, book["cells"]):
        try:
            tree = ast.parse(text(cell))
        except SyntaxError:
            continue
        for node in tree.body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                node.body = ast.parse("raise RuntimeError('changed')").body
        cell["source"] = ast.unparse(tree)


@mangling
def released_names_that_are_nothing(book: Json) -> None:
    for cell in filter(is_side, book["cells"]):
        names = [n.name for n in ast.walk(ast.parse(text(cell))) if isinstance(n, ast.ClassDef)]
        cell["source"] = text(cell) + "".join(f"\n{each} = None" for each in names)


# Files, as tools write them.


def forget(book: Json, *, ids: bool, marks: bool) -> None:
    for cell in book["cells"]:
        if ids:
            cell.pop("id", None)
        if marks:
            cell["metadata"] = {}


@mangling
def no_metadata(book: Json) -> None:
    forget(book, ids=False, marks=True)


@mangling
def no_ids(book: Json) -> None:
    forget(book, ids=True, marks=False)


@mangling
def no_ids_and_no_metadata(book: Json) -> None:
    forget(book, ids=True, marks=True)


@mangling
def nothing_but_text_with_notes(book: Json) -> None:
    MANGLED["a comment in every cell"](book)
    forget(book, ids=True, marks=True)


@mangling
def nothing_but_formatted_text(book: Json) -> None:
    edit_sides(unparsed)(book)
    edit_answers(unparsed)(book)
    forget(book, ids=True, marks=True)


@mangling
def metadata_renamed(book: Json) -> None:
    for cell in book["cells"]:
        cell["metadata"] = {f"x-{key}": value for key, value in cell["metadata"].items()}
        cell.pop("id", None)


@mangling
def as_colab(book: Json) -> None:
    book["nbformat_minor"] = 0
    for number, cell in enumerate(book["cells"]):
        cell.pop("id", None)
        cell["metadata"] = {"id": f"Xy{number}", "colab": {"base_uri": "https://localhost/"}}
        cell["source"] = text(cell).splitlines(keepends=True)


@mangling
def as_vs_code(book: Json) -> None:
    for number, cell in enumerate(book["cells"]):
        cell["id"] = f"{number:08x}"
        cell["metadata"] = {"vscode": {"languageId": "python"}}
        cell["source"] = text(cell)


@mangling
def as_format_3(book: Json) -> None:
    cells = book.pop("cells")
    for cell in cells:
        cell.pop("id", None)
        if cell["cell_type"] == "code":
            cell["input"] = cell.pop("source")
            cell["language"] = "python"
    book.update(nbformat=3, nbformat_minor=0, worksheets=[{"cells": cells, "metadata": {}}])


def through_jupytext(form: str, *, marks: bool) -> Mangling:
    def make(book: Json) -> str:
        import jupytext
        import nbformat

        forget(book, ids=True, marks=not marks)
        for cell in book["cells"]:
            cell["source"] = text(cell)
        there = jupytext.writes(nbformat.from_dict(book), form)
        return str(nbformat.writes(jupytext.reads(there, form)))

    return make


def encoded(encoding: str, before: bytes = b"", after: bytes = b"") -> Mangling:
    return lambda book: before + json.dumps(book, ensure_ascii=False).encode(encoding) + after


MANGLED |= {
    "by jupytext as percent": through_jupytext("py:percent", marks=True),
    "by jupytext as percent, bare": through_jupytext("py:percent", marks=False),
    "by jupytext as light, bare": through_jupytext("py:light", marks=False),
    "by jupytext as markdown": through_jupytext("md", marks=True),
    "by jupytext as markdown, bare": through_jupytext("md", marks=False),
    "with a BOM": encoded("utf-8", b"\xef\xbb\xbf"),
    "in UTF-16": encoded("utf-16"),
    "in UTF-16 without a mark": encoded("utf-16-le"),
    "in UTF-32": encoded("utf-32"),
    "with zeros at the end": encoded("utf-8", after=b"\0" * 64),
    "with windows line ends in the file": lambda book: json.dumps(book, indent=1).replace(
        "\n", "\r\n"
    ),
}
