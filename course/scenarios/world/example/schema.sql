-- The stations of a bike rental, and what each reported for a year.

CREATE TABLE stations (
    name  TEXT PRIMARY KEY,
    docks INTEGER NOT NULL CHECK (docks > 0)
);

CREATE TABLE years (
    station TEXT NOT NULL REFERENCES stations (name),
    year    INTEGER NOT NULL,
    rides   INTEGER NOT NULL,
    income  REAL NOT NULL,  -- in EUR
    repairs REAL,  -- in EUR; nothing where nobody reported them
    PRIMARY KEY (station, year)
);
