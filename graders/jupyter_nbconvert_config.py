"""How `jupyter nbconvert --to html` makes a page of a chapter: what is folded there is folded here,
and diagrams are drawn without a network.

Found when JUPYTER_CONFIG_PATH names this folder, by JupyterLab's export too (`make lab`).
"""

from pathlib import Path

c = get_config()  # type: ignore[name-defined]  # noqa: F821 - traitlets puts it in

c.HTMLExporter.template_name = "switchboard"
c.HTMLExporter.extra_template_basedirs = [str(Path(__file__).parent / "nbconvert")]
c.HTMLExporter.preprocessors = ["graders.diagrams.Drawn"]
