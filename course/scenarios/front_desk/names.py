"""The word lists that the front desk's generator draws from. Nobody in them is a real person."""

from __future__ import annotations

from typing import Literal, get_args

CLINIC = "Linden Lane Clinic"
ADDRESS = "12 Linden Lane"
# 020 91x xxxx is a range that Ireland keeps free for use in fiction.
PHONE = "020 910 2000"

Speciality = Literal[
    "general practice",
    "dermatology",
    "cardiology",
    "orthopaedics",
    "paediatrics",
    "neurology",
    "ophthalmology",
]
SPECIALITIES: tuple[Speciality, ...] = get_args(Speciality)

# Reasons for a visit, and what such a visit may add to the bill: (description, cents).
REASONS = {
    "general practice": ("check-up", "cough", "blood pressure", "fever", "travel advice"),
    "dermatology": ("rash", "mole check", "eczema"),
    "cardiology": ("heart check", "palpitations", "ECG"),
    "orthopaedics": ("back pain", "knee pain", "shoulder pain"),
    "paediatrics": ("vaccination", "child check-up", "earache"),
    "neurology": ("migraine", "dizziness", "sleep problems"),
    "ophthalmology": ("eye test", "red eye", "new glasses"),
}
CONSULTATION = {
    "general practice": 4500,
    "dermatology": 6500,
    "cardiology": 8500,
    "orthopaedics": 7500,
    "paediatrics": 5000,
    "neurology": 8000,
    "ophthalmology": 6000,
}
EXTRAS = (
    ("blood test", 3250),
    ("vaccination", 2890),
    ("medical certificate", 1500),
    ("X-ray", 6740),
    ("ECG", 4420),
    ("dressing", 1260),
    ("urine test", 1180),
    ("ultrasound", 7380),
)
