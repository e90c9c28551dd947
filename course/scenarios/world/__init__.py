"""What the domains share: documents to search, tables to query, a calculator, a formatter.

A domain makes a `World` from a seed and gives its workers tools from here beside its own. Its
requests are `Request`s, and `rubric(world, request, answer)` says criterion by criterion whether
an answer is right: facts, gaps and sources, whatever its wording.
"""
