-- A payer who has paid in part is shown how much has come, before any of it is credited.
alter table deposits.deposit add column seen_amount numeric(57,18) not null default 0,
  add constraint deposit_seen_not_negative check (seen_amount >= 0);
comment on column deposits.deposit.seen_amount is 'tokens that its provider reports as settled while the order still runs; nothing is credited by it';
