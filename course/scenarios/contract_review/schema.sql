CREATE TABLE contracts (
    id TEXT PRIMARY KEY, partner TEXT NOT NULL, kind TEXT NOT NULL, signed TEXT NOT NULL,
    ends TEXT NOT NULL, -- renews by a year unless terminated in time
    monthly_fee_euro REAL NOT NULL -- without value added tax
);
CREATE TABLE terms (
    contract_id TEXT NOT NULL REFERENCES contracts, topic TEXT NOT NULL
        CHECK (topic IN ('notice', 'payment', 'liability', 'interest', 'law')),
    version INTEGER NOT NULL, -- 1 is the contract, 2 an amendment; the highest is in force
    value TEXT NOT NULL, -- notice and payment in days, liability in monthly fees, interest
    -- in percent a year, law by its name
    PRIMARY KEY (contract_id, topic, version)
);
CREATE TABLE invoices (
    id TEXT PRIMARY KEY, contract_id TEXT NOT NULL REFERENCES contracts, issued TEXT NOT NULL,
    euro REAL NOT NULL, paid TEXT -- the day, or NULL while it is open
);
CREATE TABLE playbook (
    topic TEXT PRIMARY KEY, rule TEXT NOT NULL, least REAL, most REAL -- same units as terms
);
