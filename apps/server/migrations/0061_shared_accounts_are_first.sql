-- bears: previous
-- Reads the accounts while they are read and written.
alter table ledger.account validate constraint account_shared_first;
