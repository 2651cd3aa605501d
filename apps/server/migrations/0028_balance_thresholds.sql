-- The balance below which the people of an account get a mail.
create table operations.balance_threshold (
  account_id uuid not null,
  cents bigint not null,
  low_since timestamptz,
  constraint balance_threshold_pkey primary key (account_id),
  constraint balance_threshold_positive check (cents > 0)
);
comment on table operations.balance_threshold is 'of spot wallets, in their currency; set, changed and removed by people of the account';
comment on column operations.balance_threshold.low_since is 'when the mail was queued; the next one only after the balance was a tenth above the threshold';
