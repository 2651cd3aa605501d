-- A transaction of ours that has become final is looked at once more after that commit, because its block may have
-- been replaced just before; one that left its chain is sent again until it is final there. A row goes when the
-- transaction was seen in a final block.
create table outbound.final_watch (
  transaction_id uuid not null,
  missing_at timestamptz,
  constraint final_watch_pkey primary key (transaction_id),
  constraint final_watch_transaction foreign key (transaction_id) references outbound.transaction (id)
);
comment on table outbound.final_watch is 'final transactions that have to be seen in a final block once more';
comment on column outbound.final_watch.missing_at is 'when it was last in no block; null: not yet looked at again';
