CREATE TABLE companies (
    id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, city TEXT NOT NULL,
    currency TEXT NOT NULL, unit TEXT NOT NULL -- of revenue and research in figures
);
CREATE TABLE rates (
    currency TEXT NOT NULL, year INTEGER NOT NULL, euro REAL NOT NULL, -- for one of the currency
    PRIMARY KEY (currency, year)
);
CREATE TABLE figures (
    company_id TEXT NOT NULL REFERENCES companies, year INTEGER NOT NULL,
    metric TEXT NOT NULL CHECK (metric IN ('revenue', 'research', 'employees')),
    amount REAL NOT NULL, -- in the company's own currency and unit; employees are people
    PRIMARY KEY (company_id, year, metric)
);
CREATE TABLE segment_sales (
    company_id TEXT NOT NULL REFERENCES companies, segment TEXT NOT NULL, year INTEGER NOT NULL,
    euro_million REAL NOT NULL, PRIMARY KEY (company_id, segment, year)
);
CREATE TABLE products (
    id TEXT PRIMARY KEY, company_id TEXT NOT NULL REFERENCES companies, name TEXT NOT NULL UNIQUE,
    segment TEXT NOT NULL, launched TEXT NOT NULL, price_euro REAL NOT NULL
);
