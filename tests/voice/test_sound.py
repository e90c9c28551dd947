"""Sound in and out: what a WAV file may be, and what is said of one that is no use."""

import wave
from pathlib import Path

import numpy as np
import pytest

from course.errors import FileFormatError
from course.voice.sound import Sound, Tape, of_frames, silence


def tone(seconds: float, rate: int = 16_000, loud: int = 8000) -> Sound:
    times = np.arange(int(seconds * rate)) / rate
    return Sound((loud * np.sin(2 * np.pi * 440 * times)).astype(np.int16), rate)


@pytest.mark.parametrize("rate", [8_000, 22_050, 44_100, 48_000])
def test_a_wav_of_any_rate_keeps_its_length_and_its_tone(rate: int, tmp_path: Path) -> None:
    heard = Sound.load(tone(0.5, rate).save(tmp_path / "a.wav")).at(16_000)
    assert heard.rate == 16_000
    assert heard.seconds == pytest.approx(0.5, abs=0.02)
    spectrum = np.abs(np.fft.rfft(heard.samples.astype(float)))
    assert np.argmax(spectrum) / heard.seconds == pytest.approx(440, abs=10)


def test_both_sides_of_a_stereo_wav_are_heard(tmp_path: Path) -> None:
    tape = Tape()
    tape.add("caller", 0.0, tone(0.2))
    tape.add("agent", 0.3, tone(0.2))
    path = tape.save(tmp_path / "call.wav")
    with wave.open(str(path)) as file:
        assert (file.getnchannels(), file.getframerate()) == (2, 16_000)
    left, right = tape.samples().T
    assert np.any(left[:3000])
    assert not np.any(right[:3000])
    assert not np.any(left[4800:])
    assert np.any(right[4800:])
    assert Sound.load(path).trimmed(keep=0).seconds == pytest.approx(0.5, abs=0.01)


def test_a_reply_laid_down_in_pieces_has_no_seams() -> None:
    whole, tape = tone(0.4, 24_000), Tape()
    for place in range(20):
        piece = whole.samples[place * 480 : (place + 1) * 480]
        tape.add("agent", place * 0.02 + 0.003 * (place % 2), Sound(piece, 24_000))
    agent = tape.samples()[:, 1].astype(int)
    assert np.max(np.abs(np.diff(agent))) < 2000  # a jump would be a click


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "no WAV file"),
        (b"ID3 an mp3, really", "save the recording as WAV"),
    ],
)
def test_what_is_no_wav_is_said_in_one_line(content: bytes, says: str, tmp_path: Path) -> None:
    path = tmp_path / "a.wav"
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match=says) as raised:
        Sound.load(path)
    assert "\n" not in str(raised.value)


def test_a_wav_of_zero_length_or_of_8_bits_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="0 seconds of sound; record it again"):
        Sound.load(silence(0).save(tmp_path / "empty.wav"))
    with wave.open(str(tmp_path / "eight.wav"), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(1)
        file.setframerate(8000)
        file.writeframes(bytes(800))
    with pytest.raises(FileFormatError, match="save it as 16-bit PCM"):
        Sound.load(tmp_path / "eight.wav")


def test_silence_and_a_click_are_not_audible() -> None:
    click = silence(1.0)
    click.samples[500] = 20_000
    assert not silence(1.0).audible()
    assert not click.audible()
    assert tone(0.2).audible()
    assert silence(1.0).trimmed().seconds == 0


def test_frames_of_two_channels_are_mixed() -> None:
    frame = tone(0.02).frame()
    assert np.array_equal(of_frames([frame, frame]).samples[:320], tone(0.02).samples)
