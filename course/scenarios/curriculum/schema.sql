-- A college programme with three yearly editions. A lesson is 45 minutes; hours are full hours.

CREATE TABLE rules (
    year                  INTEGER PRIMARY KEY,
    least_hours_a_credit  REAL NOT NULL,
    most_hours_a_credit   REAL NOT NULL,
    most_credits_semester INTEGER NOT NULL
);

CREATE TABLE courses (
    code    TEXT PRIMARY KEY,
    title   TEXT NOT NULL UNIQUE,
    level   INTEGER NOT NULL CHECK (level BETWEEN 1 AND 3),
    credits INTEGER NOT NULL CHECK (credits > 0)
);

CREATE TABLE prerequisites (
    code     TEXT NOT NULL REFERENCES courses (code),
    requires TEXT NOT NULL REFERENCES courses (code),
    year     INTEGER NOT NULL REFERENCES rules (year),  -- the edition in which it holds
    PRIMARY KEY (code, requires, year),
    CHECK (code <> requires)
);

CREATE TABLE teachers (
    id             TEXT PRIMARY KEY CHECK (id GLOB 'T-[0-9]*'),
    name           TEXT NOT NULL UNIQUE,
    contract_hours REAL NOT NULL CHECK (contract_hours > 0)  -- of teaching a year
);

CREATE TABLE editions (
    code             TEXT NOT NULL REFERENCES courses (code),
    year             INTEGER NOT NULL REFERENCES rules (year),
    teacher_id       TEXT NOT NULL REFERENCES teachers (id),
    groups           INTEGER NOT NULL CHECK (groups > 0),  -- each is taught on its own
    contact          REAL NOT NULL,  -- in contact_unit
    contact_unit     TEXT NOT NULL CHECK (contact_unit IN ('hours', 'lessons')),
    self_study_hours REAL NOT NULL,
    PRIMARY KEY (code, year)
);

CREATE TABLE results (  -- of the examinations; a course that reported none has no row
    code     TEXT NOT NULL REFERENCES courses (code),
    year     INTEGER NOT NULL,
    enrolled INTEGER NOT NULL,
    passed   INTEGER NOT NULL,
    PRIMARY KEY (code, year),
    CHECK (passed BETWEEN 0 AND enrolled)
);
