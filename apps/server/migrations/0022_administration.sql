-- What administrators need to find out: whose audit log an act belongs in, and what it changed.
alter table audit.entry add column account_id uuid, add column changes jsonb not null default '{}';
comment on column audit.entry.account_id is 'the account that the act is about or was done for; null for acts about the service';
comment on column audit.entry.changes is 'each field that changed: {"tier": {"from": "standard", "to": "premium"}}; without secrets';
create index entry_of_account on audit.entry (account_id, id) where account_id is not null;
create index entry_of_act on audit.entry (act, id);

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

-- Ids that a person has in hand lead to a trade by an index. A request's id needs none: it is a UUIDv7, so its
-- trade has an id of the same moment.
create index item_by_external_id on trades.item (external_id) where external_id is not null;
create index supplier_order_by_order_id on buying.supplier_order (order_id) where order_id is not null;
-- Deliveries that need a look, of all merchants.
create index delivery_not_delivered on webhooks.delivery (status, id) where status in ('retrying', 'exhausted', 'skipped', 'parked');

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

-- An administrator who looks at an account with its own pages: reads only, for an hour, with a cookie of its own
-- beside the session's, and ended with it.
create table people.impersonation (
  id uuid not null,
  session_id uuid not null,
  account_id uuid not null,
  account_kind text not null,
  token_hash bytea not null,
  reason text not null,
  began_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  constraint impersonation_pkey primary key (id),
  constraint impersonation_session foreign key (session_id) references people.session (id),
  constraint impersonation_token_once unique (token_hash),
  constraint impersonation_token_is_sha256 check (length(token_hash) = 32),
  constraint impersonation_kind_known check (account_kind in ('merchant', 'partner')),
  constraint impersonation_has_a_reason check (reason <> ''),
  constraint impersonation_within_an_hour check (expires_at between began_at and began_at + interval '60 minutes')
);
create index impersonation_of_session on people.impersonation (session_id) where ended_at is null;
