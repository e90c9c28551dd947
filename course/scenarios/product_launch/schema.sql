-- Products on their way to the shops. Days are 'YYYY-MM-DD'; durations are working days.

CREATE TABLE products (
    id         TEXT PRIMARY KEY CHECK (id GLOB 'L-[0-9]*'),
    name       TEXT NOT NULL UNIQUE,
    starts     TEXT NOT NULL CHECK (starts IS date(starts, '+0 days')),  -- the plan's first day
    promised   TEXT NOT NULL CHECK (promised IS date(promised, '+0 days')),  -- to the retailers
    price_euro  REAL NOT NULL CHECK (price_euro > 0),
    first_order INTEGER NOT NULL CHECK (first_order > 0)  -- units
);

CREATE TABLE holidays (
    country TEXT NOT NULL,
    day     TEXT NOT NULL CHECK (day IS date(day, '+0 days')),
    PRIMARY KEY (country, day)
);

CREATE TABLE tasks (
    id         TEXT PRIMARY KEY CHECK (id GLOB 'A-[0-9]*'),
    product_id TEXT NOT NULL REFERENCES products (id),
    name       TEXT NOT NULL,
    days       INTEGER NOT NULL CHECK (days > 0),
    UNIQUE (product_id, name)
);

CREATE TABLE dependencies (
    task_id  TEXT NOT NULL REFERENCES tasks (id),
    after_id TEXT NOT NULL REFERENCES tasks (id),
    PRIMARY KEY (task_id, after_id)
);

CREATE TABLE rates (
    currency TEXT NOT NULL,
    year     INTEGER NOT NULL,
    euro     REAL NOT NULL CHECK (euro > 0),  -- for one of the currency
    PRIMARY KEY (currency, year)
);

CREATE TABLE budgets (
    product_id TEXT NOT NULL REFERENCES products (id),
    year       INTEGER NOT NULL,
    category   TEXT NOT NULL,
    euro       REAL NOT NULL CHECK (euro > 0),
    PRIMARY KEY (product_id, year, category)
);

CREATE TABLE spending (
    id         INTEGER PRIMARY KEY,
    product_id TEXT NOT NULL REFERENCES products (id),
    category   TEXT NOT NULL,
    day        TEXT NOT NULL CHECK (day IS date(day, '+0 days')),
    amount     REAL NOT NULL CHECK (amount > 0),  -- in the currency of the bill
    currency   TEXT NOT NULL
);

CREATE TABLE quotes (
    product_id  TEXT NOT NULL REFERENCES products (id),
    supplier    TEXT NOT NULL,
    unit_price  REAL NOT NULL CHECK (unit_price > 0),
    currency    TEXT NOT NULL,
    least_units INTEGER NOT NULL,
    lead_days   INTEGER NOT NULL,
    valid_until TEXT NOT NULL CHECK (valid_until IS date(valid_until, '+0 days')),
    PRIMARY KEY (product_id, supplier)
);

CREATE TABLE risks (
    id          INTEGER PRIMARY KEY,
    product_id  TEXT NOT NULL REFERENCES products (id),
    name        TEXT NOT NULL,
    probability REAL NOT NULL CHECK (probability BETWEEN 0 AND 100),  -- in percent
    cost_euro   REAL CHECK (cost_euro > 0)  -- nothing where nobody has estimated it
);
