"""The doors that a static host can serve: the site, and the course in a browser's tab."""
