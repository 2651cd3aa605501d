-- bears: previous
-- What a restore has cost: orders that their markets have and that no merchant has asked for again, paid by us.
select ledger.add_account_kind('lost_orders', false, false);
select ledger.add_journal_kind('lost_orders');

create table operations.restore_loss (
  restore_id uuid not null,
  order_count integer not null,
  amount bigint not null,
  reason text not null,
  proposed_by text not null,
  proposed_at timestamptz not null,
  approved_by text,
  approved_at timestamptz,
  journal_id uuid,
  constraint restore_loss_pkey primary key (restore_id),
  constraint restore_loss_by_two check (approved_by <> proposed_by),
  constraint restore_loss_is_signed check ((approved_by is null) = (approved_at is null)),
  constraint restore_loss_amount check (amount >= 0 and order_count >= 0),
  constraint restore_loss_posted check (journal_id is null or approved_at is not null)
);
comment on column operations.restore_loss.restore_id is 'in schema buying';
comment on column operations.restore_loss.amount is 'US cents, what the markets charged';
comment on column operations.restore_loss.journal_id is 'null when nothing was charged';
