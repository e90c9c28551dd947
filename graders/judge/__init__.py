"""The judge: plays a student's definition in a world it owns, and reads the verdict off the log."""

# Before any module here imports nbformat, which would import jsonschema the slow way.
from course.models import validators as validators
