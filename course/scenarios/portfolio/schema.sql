CREATE TABLE clients (id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, cash_euro REAL NOT NULL);
CREATE TABLE securities (
    symbol TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, asset_class TEXT NOT NULL,
    quoted TEXT NOT NULL -- EUR, USD, or GBX: pence, a hundredth of a GBP
);
CREATE TABLE holdings (
    client_id TEXT NOT NULL REFERENCES clients, symbol TEXT NOT NULL REFERENCES securities,
    shares INTEGER NOT NULL, PRIMARY KEY (client_id, symbol)
);
CREATE TABLE targets (
    client_id TEXT NOT NULL REFERENCES clients, asset_class TEXT NOT NULL,
    percent INTEGER NOT NULL, PRIMARY KEY (client_id, asset_class)
);
CREATE TABLE prices (
    symbol TEXT NOT NULL REFERENCES securities, month TEXT NOT NULL, -- its last trading day
    close REAL NOT NULL, -- in what the security is quoted in
    PRIMARY KEY (symbol, month)
);
CREATE TABLE rates (
    currency TEXT NOT NULL, month TEXT NOT NULL, euro REAL NOT NULL, -- for one USD or one GBP
    PRIMARY KEY (currency, month)
);
