"""`make lite`: the course in a browser's tab, as files for any static host."""
