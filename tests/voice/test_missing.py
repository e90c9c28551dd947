"""Without the extra the course works, and the voice room says in one line what adds it."""

import subprocess
import sys

PROGRAM = """
import sys
sys.modules["livekit"] = None
import course
from course.errors import ConfigurationError
try:
    import course.voice
except ConfigurationError as error:
    print(error)
"""


def test_the_missing_extra_is_named_with_the_command_that_adds_it() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True, timeout=60
    )
    [line] = ran.stdout.splitlines()
    assert "pip install 'switchboard-course[voice]'" in line
