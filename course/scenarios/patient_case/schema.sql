-- A hospital's case files. Days are 'YYYY-MM-DD'; doses are milligrams; invented, not for treatment.

CREATE TABLE patients (
    id        TEXT PRIMARY KEY CHECK (id GLOB 'P-[0-9]*'),
    name      TEXT NOT NULL,  -- two patients may share one
    sex       TEXT NOT NULL CHECK (sex IN ('female', 'male')),
    born      TEXT NOT NULL CHECK (born IS date(born, '+0 days')),
    weight_kg REAL CHECK (weight_kg > 0)  -- nothing where nobody weighed the patient
);

CREATE TABLE analytes (
    name     TEXT PRIMARY KEY,
    unit     TEXT NOT NULL,  -- reported since 2025-07-01
    old_unit TEXT NOT NULL,  -- reported before; value in unit = (value in old_unit - shift) * factor
    factor   REAL NOT NULL,
    shift    REAL NOT NULL,
    low      REAL NOT NULL,  -- reference range of adults, in unit
    high     REAL NOT NULL
);

CREATE TABLE lab_results (
    id         INTEGER PRIMARY KEY,
    patient_id TEXT NOT NULL REFERENCES patients (id),
    analyte    TEXT NOT NULL REFERENCES analytes (name),
    taken      TEXT NOT NULL CHECK (taken IS date(taken, '+0 days')),
    value      REAL NOT NULL CHECK (value > 0),
    unit       TEXT NOT NULL
);
CREATE INDEX lab_results_by_patient ON lab_results (patient_id, analyte, taken);

CREATE TABLE drugs (
    name             TEXT PRIMARY KEY,
    class            TEXT NOT NULL,
    max_daily_mg     REAL NOT NULL,
    kidney_ml_min    REAL,  -- below this creatinine clearance the next column is the most
    kidney_daily_mg  REAL,
    CHECK ((kidney_ml_min IS NULL) = (kidney_daily_mg IS NULL))
);

CREATE TABLE interactions (
    one      TEXT NOT NULL REFERENCES drugs (name),
    other    TEXT NOT NULL REFERENCES drugs (name),
    severity TEXT NOT NULL CHECK (severity IN ('minor', 'moderate', 'major')),
    effect   TEXT NOT NULL,
    PRIMARY KEY (one, other),
    CHECK (one < other)
);

CREATE TABLE prescriptions (
    id          INTEGER PRIMARY KEY,
    patient_id  TEXT NOT NULL REFERENCES patients (id),
    drug        TEXT NOT NULL REFERENCES drugs (name),
    dose_mg     REAL NOT NULL CHECK (dose_mg > 0),
    times_a_day INTEGER NOT NULL CHECK (times_a_day BETWEEN 1 AND 4),
    started     TEXT NOT NULL,
    stopped     TEXT CHECK (stopped > started)  -- nothing while it is taken
);
CREATE INDEX prescriptions_by_patient ON prescriptions (patient_id);

CREATE TABLE allergies (
    patient_id TEXT NOT NULL REFERENCES patients (id),
    class      TEXT NOT NULL,
    reaction   TEXT NOT NULL,
    PRIMARY KEY (patient_id, class)
);

CREATE TABLE stays (
    id         INTEGER PRIMARY KEY,
    patient_id TEXT NOT NULL REFERENCES patients (id),
    admitted   TEXT NOT NULL,
    discharged TEXT NOT NULL,
    department TEXT NOT NULL,
    reason     TEXT NOT NULL,
    CHECK (admitted < discharged)
);
CREATE INDEX stays_by_patient ON stays (patient_id);

CREATE TABLE examinations (
    id         INTEGER PRIMARY KEY,
    patient_id TEXT NOT NULL REFERENCES patients (id),
    kind       TEXT NOT NULL,
    ordered    TEXT NOT NULL,
    reported   TEXT,  -- nothing while the report is missing
    finding    TEXT,
    CHECK ((reported IS NULL) = (finding IS NULL))
);
CREATE INDEX examinations_by_patient ON examinations (patient_id);
