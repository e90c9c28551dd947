"""JupyterLab's settings for this course, found when JUPYTER_CONFIG_PATH names this folder."""

load_subconfig("jupyter_nbconvert_config.py")  # type: ignore[name-defined]  # noqa: F821
