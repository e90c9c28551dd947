"""Any system from a file, to ask once, to talk to, or to watch on a page: `python -m course run`.

- `loading`: the system that stands in a file. `talking`: a conversation with whatever it is.
- `page`: the same conversation on a page of this machine, with the trace beside it.
"""
