-- A medical office: patients, and the data of each of its agents. Days are ISO dates.

CREATE TABLE patients (id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, born TEXT NOT NULL);

CREATE TABLE visits (
    id TEXT PRIMARY KEY, day TEXT NOT NULL, time TEXT NOT NULL, doctor TEXT NOT NULL,
    patient_id TEXT REFERENCES patients (id)  -- nobody's while it is free
);

CREATE TABLE prescriptions (
    id TEXT PRIMARY KEY, patient_id TEXT NOT NULL REFERENCES patients (id),
    drug TEXT NOT NULL, dose TEXT NOT NULL, refills_left INTEGER NOT NULL,
    next_refill TEXT NOT NULL, expires TEXT NOT NULL,  -- none before, and none after this day
    controlled INTEGER NOT NULL CHECK (controlled IN (0, 1))  -- refilled by a doctor only
);

CREATE TABLE policies (
    patient_id TEXT PRIMARY KEY REFERENCES patients (id), insurer TEXT NOT NULL,
    plan TEXT NOT NULL, member_number TEXT NOT NULL, diagnosis TEXT NOT NULL, claims TEXT NOT NULL
);
CREATE TABLE covers (
    plan TEXT NOT NULL, service TEXT NOT NULL, percent INTEGER NOT NULL, UNIQUE (plan, service)
);

CREATE TABLE protocol (symptom TEXT PRIMARY KEY, advice TEXT NOT NULL);  -- word for word

CREATE TABLE audit (
    id INTEGER PRIMARY KEY, patient_id TEXT, rule TEXT NOT NULL, what TEXT NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('done', 'refused', 'handed to a person')),
    reason TEXT NOT NULL
);
