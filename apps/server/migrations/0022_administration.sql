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
