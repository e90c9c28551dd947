-- An internet provider's support. A fault is what is really wrong; only its remedy ends it.

CREATE TABLE areas (
    name     TEXT PRIMARY KEY,
    outage   TEXT,  -- what is down, or nothing
    restored TEXT CHECK (restored GLOB '[0-2][0-9]:[0-5][0-9]'),
    CHECK ((outage IS NULL) = (restored IS NULL))
);

CREATE TABLE customers (
    id         TEXT PRIMARY KEY CHECK (id GLOB 'C-[0-9]*'),
    first_name TEXT NOT NULL,
    last_name  TEXT NOT NULL,
    area       TEXT NOT NULL REFERENCES areas (name),
    UNIQUE (first_name, last_name)
);

CREATE TABLE lines (
    id          TEXT PRIMARY KEY CHECK (id GLOB 'L-[0-9]*'),
    customer_id TEXT NOT NULL UNIQUE REFERENCES customers (id),
    plan_mbit   INTEGER NOT NULL CHECK (plan_mbit > 0),
    router      TEXT NOT NULL,
    port        INTEGER NOT NULL CHECK (port BETWEEN 1 AND 48),
    fault       TEXT CHECK (fault IN ('router', 'wifi', 'port', 'profile', 'cable'))
);

CREATE TABLE work (  -- what was done on a line, in the order in which it was done
    id      INTEGER PRIMARY KEY,
    line_id TEXT NOT NULL REFERENCES lines (id),
    remedy  TEXT NOT NULL,
    helped  INTEGER NOT NULL CHECK (helped IN (0, 1))
);
