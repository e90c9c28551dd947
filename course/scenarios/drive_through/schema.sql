-- A drive-through: its menu, the orders of the day and the till. Amounts are whole cents.

CREATE TABLE items (
    name     TEXT PRIMARY KEY,
    course   TEXT NOT NULL CHECK (course IN ('main', 'side', 'drink', 'dessert')),
    sold_out INTEGER NOT NULL DEFAULT 0 CHECK (sold_out IN (0, 1))
);

CREATE TABLE prices (
    item  TEXT NOT NULL REFERENCES items (name),
    size  TEXT NOT NULL CHECK (size IN ('', 'small', 'medium', 'large')),  -- '' where there is one size
    cents INTEGER NOT NULL CHECK (typeof(cents) = 'integer' AND cents > 0),
    PRIMARY KEY (item, size)
);

CREATE TABLE extras (
    item  TEXT NOT NULL REFERENCES items (name),
    extra TEXT NOT NULL,
    cents INTEGER NOT NULL CHECK (typeof(cents) = 'integer' AND cents > 0),
    PRIMARY KEY (item, extra)
);

-- A main, a side and a drink make a meal, and each meal is this much cheaper.
CREATE TABLE meal (
    discount_cents INTEGER NOT NULL CHECK (typeof(discount_cents) = 'integer' AND discount_cents > 0)
);

CREATE TABLE orders (
    number INTEGER PRIMARY KEY,
    meals  INTEGER NOT NULL CHECK (meals >= 0)
);

CREATE TABLE order_lines (
    order_number INTEGER NOT NULL REFERENCES orders (number),
    position     INTEGER NOT NULL CHECK (position > 0),
    item         TEXT NOT NULL REFERENCES items (name),
    size         TEXT NOT NULL,
    quantity     INTEGER NOT NULL CHECK (quantity > 0),
    cents        INTEGER NOT NULL CHECK (typeof(cents) = 'integer' AND cents > 0),  -- of one, extras included
    PRIMARY KEY (order_number, position),
    FOREIGN KEY (item, size) REFERENCES prices (item, size)
);

CREATE TABLE line_extras (
    order_number INTEGER NOT NULL,
    position     INTEGER NOT NULL,
    item         TEXT NOT NULL,
    extra        TEXT NOT NULL,
    PRIMARY KEY (order_number, position, extra),
    FOREIGN KEY (order_number, position) REFERENCES order_lines (order_number, position),
    FOREIGN KEY (item, extra) REFERENCES extras (item, extra)
);

CREATE VIEW totals AS
SELECT
    number AS order_number,
    (SELECT coalesce(sum(quantity * cents), 0) FROM order_lines WHERE order_number = number)
        - meals * (SELECT discount_cents FROM meal) AS cents
FROM orders;

CREATE TABLE payments (
    receipt      TEXT PRIMARY KEY CHECK (receipt GLOB 'R-[0-9]*'),
    order_number INTEGER NOT NULL UNIQUE REFERENCES orders (number),
    paying       TEXT NOT NULL CHECK (paying IN ('card', 'cash')),
    cents        INTEGER NOT NULL CHECK (typeof(cents) = 'integer' AND cents > 0)
);

CREATE TRIGGER paid_in_full BEFORE INSERT ON payments
WHEN NEW.cents <> (SELECT cents FROM totals WHERE order_number = NEW.order_number)
BEGIN
    SELECT RAISE(ABORT, 'a payment is not the total of its order');
END;
