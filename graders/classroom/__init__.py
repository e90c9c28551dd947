"""The class: from a folder of submissions to grades that can be handed in.

`collect` lays out what was downloaded, `grade` judges it, `publish` writes what goes back. Each
stands alone, can be repeated, and writes into one folder (`build/`) and nowhere else.
"""
