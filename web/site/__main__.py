"""Build the site into build/site: `python -m web.site`. Needs the extra `web`, and no network."""

from __future__ import annotations

import shutil
import sys
from dataclasses import replace
from pathlib import Path

from sphinx.application import Sphinx

from web.host import BUILD, Host, host
from web.site.api import example
from web.site.layout import RELEASED, lay_out
from web.site.links import wrong
from web.site.mending import mend

HERE = Path(__file__).parent
SETTINGS = {
    "project": "Switchboard",
    "author": "The Switchboard authors",
    "copyright": "The Switchboard authors. Text and figures: CC-BY-4.0; code: Apache-2.0",
    "html_title": "Switchboard",
    "extensions": ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"],
    "exclude_patterns": [RELEASED],
    "html_theme": "furo",
    "html_static_path": [str(HERE / "static")],
    "html_css_files": ["site.css"],
    "html_copy_source": False,
    "html_show_sourcelink": False,
    "nb_execution_mode": "off",
    "nb_merge_streams": True,
    "nb_ipywidgets_js": {},  # they would come from another host
    "myst_heading_anchors": 4,
    "default_role": "code",
    "autodoc_member_order": "bysource",
    "autodoc_typehints": "description",
    "napoleon_use_ivar": True,
    "suppress_warnings": ["ref.python"],  # two fields of one name are no error
}


def build(target: Path, where: Host) -> list[str]:
    """Build the site into a folder, anew; returns what is wrong with its links."""
    sources = target.with_name(f"{target.name}-sources")
    for folder in (target, sources):
        shutil.rmtree(folder, ignore_errors=True)
    lay_out(sources, where)
    own = {**SETTINGS, "html_extra_path": [str(sources / RELEASED)]}
    app = Sphinx(sources, None, target, sources / ".trees", "html", own, status=None)
    app.connect("autodoc-process-docstring", example, priority=400)  # before napoleon reads it
    app.build()
    mend(target)
    return wrong(target)


def main() -> int:
    """Build it where host.toml says, and say what is wrong."""
    target = BUILD / "site"
    where = host()
    if "://" not in where.lite and not (target / where.lite).resolve().is_dir():
        where = replace(where, lite="")
    found = build(target, where)
    print("\n".join(found) or f"Open {target / 'index.html'}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
