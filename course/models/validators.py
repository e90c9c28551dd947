"""jsonschema's validator, without the seconds that importing it may take.

For each format that it can check jsonschema imports the package that does: for "iri" one that
builds 35 parsers when it is imported, for "duration" one that brings a calendar, for colours their
names in four standards. Hardly a schema has these formats, so they are imported when one does.
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

_SLOW = ("rfc3987_syntax", "isoduration", "webcolors", "rfc3986_validator")


class _AtFirstUse(ModuleType):
    """Stands in for a module while others import names from it: functions that they call later,
    and exceptions, which are raised in place of the module's own."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what the import system asks for
            raise AttributeError(name)
        if name.endswith(("Error", "Exception")):
            self.__dict__[name] = type(name, (Exception,), {})
            return self.__dict__[name]

        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                return getattr(import_module(self.__name__), name)(*args, **kwargs)
            except Exception as error:
                kinds = [kind.__name__ for kind in type(error).__mro__]
                told = next((self.__dict__[k] for k in kinds if k in self.__dict__), None)
                if told is None:
                    raise
                raise told(*error.args) from error

        return call


@contextmanager
def _put_off(*names: str) -> Iterator[None]:
    """Within the block, what is imported from these modules loads them when first called."""
    away = [n for n in names if n not in sys.modules and find_spec(n) is not None]
    sys.modules |= {name: _AtFirstUse(name) for name in away}
    try:
        yield
    finally:
        for name in away:
            del sys.modules[name]


with _put_off(*_SLOW):
    from jsonschema import Draft202012Validator as Draft202012Validator
    from jsonschema.exceptions import SchemaError as SchemaError
    from jsonschema.exceptions import ValidationError as ValidationError
    from jsonschema.exceptions import best_match as best_match
