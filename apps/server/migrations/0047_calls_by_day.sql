-- bears: previous
-- Calls to suppliers are partitioned by the day on which they started, as attempts of webhooks are.
alter table reconciliation.supplier_call rename to supplier_call_first;
alter table reconciliation.supplier_call_first rename constraint supplier_call_pkey to supplier_call_first_pkey;
alter index reconciliation.supplier_call_of_order rename to supplier_call_first_of_order;
alter index reconciliation.supplier_call_age rename to supplier_call_first_age;
alter sequence reconciliation.supplier_call_id_seq rename to supplier_call_first_id_seq;

create table reconciliation.supplier_call
  (like reconciliation.supplier_call_first including all excluding identity excluding indexes)
  partition by range (started_at);
comment on table reconciliation.supplier_call is 'removed by the day, a partition at a time';
alter table reconciliation.supplier_call alter column id add generated always as identity;
create index supplier_call_of_order on reconciliation.supplier_call (custom_id, id);
create index supplier_call_age on reconciliation.supplier_call using brin (started_at);
select setval('reconciliation.supplier_call_id_seq', last_value, is_called)
  from reconciliation.supplier_call_first_id_seq;

alter table reconciliation.supplier_call_first alter column id drop identity;
alter table reconciliation.supplier_call attach partition reconciliation.supplier_call_first
  for values from (minvalue) to (maxvalue);
