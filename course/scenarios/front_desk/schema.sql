-- A clinic's front desk. Dates are 'YYYY-MM-DD', times are 'YYYY-MM-DD HH:MM', amounts are whole cents.

CREATE TABLE clinic (
    name    TEXT NOT NULL,
    address TEXT NOT NULL,
    phone   TEXT NOT NULL
);

CREATE TABLE opening_hours (
    weekday INTEGER PRIMARY KEY CHECK (weekday BETWEEN 0 AND 6),  -- 0 is Monday; a closed day has no row
    opens   TEXT NOT NULL CHECK (opens GLOB '[0-2][0-9]:[0-5][0-9]'),
    closes  TEXT NOT NULL CHECK (closes GLOB '[0-2][0-9]:[0-5][0-9]'),
    CHECK (opens < closes)
);

CREATE TABLE doctors (
    id         TEXT PRIMARY KEY CHECK (id GLOB 'D-[0-9]*'),
    first_name TEXT NOT NULL,
    last_name  TEXT NOT NULL,
    speciality TEXT NOT NULL
);

CREATE TABLE patients (
    id         TEXT PRIMARY KEY CHECK (id GLOB 'P-[0-9]*'),
    first_name TEXT NOT NULL,
    last_name  TEXT NOT NULL,
    born       TEXT NOT NULL CHECK (born IS date(born, '+0 days')),
    phone      TEXT NOT NULL,
    email      TEXT NOT NULL
);
CREATE INDEX patients_by_name ON patients (last_name, first_name);

CREATE TABLE slots (
    id        TEXT PRIMARY KEY CHECK (id GLOB 'S-[0-9]*'),
    doctor_id TEXT NOT NULL REFERENCES doctors (id),
    starts    TEXT NOT NULL CHECK (starts IS strftime('%Y-%m-%d %H:%M', starts, '+0 days')),
    minutes   INTEGER NOT NULL CHECK (minutes > 0),
    UNIQUE (doctor_id, starts)
);
CREATE INDEX slots_by_time ON slots (starts);

CREATE TABLE appointments (
    id         TEXT PRIMARY KEY CHECK (id GLOB 'A-[0-9]*'),
    patient_id TEXT NOT NULL REFERENCES patients (id),
    slot_id    TEXT NOT NULL REFERENCES slots (id),
    reason     TEXT NOT NULL CHECK (reason <> ''),
    status     TEXT NOT NULL CHECK (status IN ('booked', 'attended', 'missed', 'cancelled'))
);
-- Nobody is booked twice into one slot; a cancelled appointment gives its slot back.
CREATE UNIQUE INDEX one_appointment_per_slot ON appointments (slot_id) WHERE status <> 'cancelled';
CREATE INDEX appointments_by_patient ON appointments (patient_id);

CREATE TABLE invoices (
    id             TEXT PRIMARY KEY CHECK (id GLOB 'INV-[0-9]*'),
    patient_id     TEXT NOT NULL REFERENCES patients (id),
    appointment_id TEXT REFERENCES appointments (id),  -- none for visits older than this book
    issued         TEXT NOT NULL CHECK (issued IS date(issued, '+0 days')),
    due            TEXT NOT NULL CHECK (due IS date(due, '+0 days')),
    CHECK (issued <= due)
);
CREATE INDEX invoices_by_patient ON invoices (patient_id);

CREATE TABLE invoice_items (
    invoice_id  TEXT NOT NULL REFERENCES invoices (id),
    position    INTEGER NOT NULL CHECK (position > 0),
    description TEXT NOT NULL,
    cents       INTEGER NOT NULL CHECK (typeof(cents) = 'integer' AND cents > 0),
    PRIMARY KEY (invoice_id, position)
);

CREATE TABLE payments (
    id         INTEGER PRIMARY KEY,
    invoice_id TEXT NOT NULL REFERENCES invoices (id),
    paid_on    TEXT NOT NULL CHECK (paid_on IS date(paid_on, '+0 days')),
    cents      INTEGER NOT NULL CHECK (typeof(cents) = 'integer' AND cents > 0)
);
CREATE INDEX payments_by_invoice ON payments (invoice_id);

CREATE VIEW balances AS
SELECT
    id AS invoice_id,
    (SELECT coalesce(sum(cents), 0) FROM invoice_items WHERE invoice_id = invoices.id) AS total_cents,
    (SELECT coalesce(sum(cents), 0) FROM payments WHERE invoice_id = invoices.id) AS paid_cents
FROM invoices;

CREATE TRIGGER no_overpayment BEFORE INSERT ON payments
WHEN NEW.cents > (SELECT total_cents - paid_cents FROM balances WHERE invoice_id = NEW.invoice_id)
BEGIN
    SELECT RAISE(ABORT, 'a payment is larger than what is open');
END;
