CREATE TABLE providers (
    rank INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
    now REAL NOT NULL, before REAL NOT NULL -- market capitalisation in USD billion
);
