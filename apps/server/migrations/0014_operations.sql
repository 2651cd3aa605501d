-- Operations: what workers report about the markets that they serve.
create schema operations;

-- Which workers serve a market, what each saw last, and whether it leaves the market alone.
create table operations.market_worker (
  market text not null,
  worker_id text not null,
  beat_at timestamptz not null,
  balance_mills bigint,
  breaker text not null,
  constraint market_worker_pkey primary key (market, worker_id),
  constraint market_worker_breaker_known check (breaker in ('closed', 'open', 'half-open'))
);
comment on column operations.market_worker.worker_id is 'the process, as the heartbeats of its jobs name it';
comment on column operations.market_worker.balance_mills is 'our balance at the market as last known, thousandths of a US dollar';

-- What the last audit of each scope found: written by the worker, shown to administrators.
create table operations.books_audit (
  scope text not null,
  finished_at timestamptz not null,
  seconds double precision not null,
  violation_count integer not null,
  violations jsonb not null,
  constraint books_audit_pkey primary key (scope),
  constraint books_audit_scope_known check (scope in ('recent', 'day', 'everything'))
);
comment on table operations.books_audit is 'one row for each scope, replaced by the next audit of it';
comment on column operations.books_audit.violations is 'the first hundred: [{"invariant": ..., "detail": ...}]';

-- Adjustments of wallets that one administrator proposes and another one approves. What was proposed is frozen:
-- another amount is another proposal.
create table operations.adjustment (
  id uuid not null,
  account_id uuid not null,
  wallet text not null,
  side text not null,
  amount bigint not null,
  currency text not null,
  balance_before bigint not null,
  reason text not null,
  reference text not null,
  proposed_by uuid not null,
  proposed_at timestamptz not null,
  state text not null default 'proposed',
  decided_by uuid,
  decided_at timestamptz,
  decision text,
  journal_id uuid,
  constraint adjustment_pkey primary key (id),
  constraint adjustment_wallet_known check (wallet in ('spot', 'earnings')),
  constraint adjustment_side_known check (side in ('credit', 'debit')),
  constraint adjustment_amount_positive check (amount > 0),
  constraint adjustment_state_known check (state in ('proposed', 'approved', 'withdrawn')),
  constraint adjustment_decision_is_signed check ((state = 'proposed') = (decided_by is null) and (decided_by is null) = (decided_at is null)),
  constraint adjustment_by_two check (state <> 'approved' or decided_by <> proposed_by),
  constraint adjustment_posted_when_approved check ((state = 'approved') = (journal_id is not null))
);
comment on column operations.adjustment.id is 'made with the form: a form that is sent twice proposes once';
comment on column operations.adjustment.balance_before is 'what the wallet held when it was proposed, for the second to see';
comment on column operations.adjustment.decision is 'why it was withdrawn';
create index adjustment_open on operations.adjustment (id) where state = 'proposed';

create function operations.keep_adjustment() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and old.state = 'proposed' and
    (new.id, new.account_id, new.wallet, new.side, new.amount, new.currency, new.balance_before, new.reason, new.reference,
      new.proposed_by, new.proposed_at)
    is not distinct from
    (old.id, old.account_id, old.wallet, old.side, old.amount, old.currency, old.balance_before, old.reason, old.reference,
      old.proposed_by, old.proposed_at) then
    return new;
  end if;
  raise exception 'an adjustment that was proposed does not change, and is decided once' using errcode = '42501';
end $$;
create trigger adjustment_kept before update or delete on operations.adjustment
  for each row execute function operations.keep_adjustment();
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
create trigger account_is_open before insert on operations.balance_threshold
  for each row execute function identity.refuse_below_deleted('account_id');
create trigger account_is_open before insert on operations.adjustment
  for each row execute function identity.refuse_below_deleted('account_id');
