"""The project, judged: worlds of six domains, a competent scripted model, and what must be seen."""
