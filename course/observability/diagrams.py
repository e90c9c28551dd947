"""How Mermaid diagrams look: to be read on white and on black.

JupyterLab draws a diagram once, in the colours of the theme that it has then, and keeps it when the
theme is changed. So ours bring colours that both themes can have.
"""

LOOK = (
    '%%{init: {"theme": "base", "themeVariables": {'
    '"primaryColor": "#eee", "primaryTextColor": "#222", "primaryBorderColor": "#777", '
    '"lineColor": "#777", "textColor": "#797979", "edgeLabelBackground": "#ddd"}}}%%'
)
"""The first line of each diagram."""
