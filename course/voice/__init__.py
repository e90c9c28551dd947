"""Voice: the course's own agents, tasks and teams on a LiveKit session, typed or spoken.

Everything here needs the extra "voice"; the rest of the course does without it. What stands in a
module is imported from there: `course.voice.bridge` for the course's classes on LiveKit,
`course.voice.native` for agents that are written for LiveKit.
"""

from __future__ import annotations

from importlib.util import find_spec

from course.errors import ConfigurationError

if find_spec("livekit") is None or find_spec("livekit.agents") is None:
    raise ConfigurationError(
        "a voice session needs LiveKit Agents: pip install 'switchboard-course[voice]'"
    )
