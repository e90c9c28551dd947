"""A clinic's front desk: patients, doctors, appointments and invoices in SQLite."""
