-- What was sold: one row for each product, region and quarter. Revenue is in whole EUR.

CREATE TABLE sales (
    product TEXT NOT NULL, region TEXT NOT NULL,
    year INTEGER NOT NULL, quarter TEXT NOT NULL CHECK (quarter IN ('Q1', 'Q2', 'Q3', 'Q4')),
    units INTEGER NOT NULL, revenue INTEGER NOT NULL,
    PRIMARY KEY (product, region, year, quarter)
);
