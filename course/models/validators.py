"""jsonschema's validator, without the second that importing it takes beside JupyterLab.

JupyterLab installs what jsonschema needs to check the format "iri": `rfc3987_syntax`, which builds
35 parsers when it is imported. Hardly a schema has that format, so it is imported when one does.
Import the names from here instead of from jsonschema.

Source: python-jsonschema issue 1428.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

_SLOW = "rfc3987_syntax"


class _AtFirstUse(ModuleType):
    """Stands in for a module while others import names from it that they call later."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what the import system asks for
            raise AttributeError(name)

        def call(*args: Any, **kwargs: Any) -> Any:
            return getattr(import_module(self.__name__), name)(*args, **kwargs)

        return call


@contextmanager
def _put_off(name: str) -> Iterator[None]:
    """Within the block, functions imported from this module load it when first called."""
    if name in sys.modules or find_spec(name) is None:
        yield
        return
    sys.modules[name] = _AtFirstUse(name)
    try:
        yield
    finally:
        del sys.modules[name]


with _put_off(_SLOW):
    from jsonschema import Draft202012Validator as Draft202012Validator
    from jsonschema.exceptions import SchemaError as SchemaError
    from jsonschema.exceptions import ValidationError as ValidationError
    from jsonschema.exceptions import best_match as best_match
