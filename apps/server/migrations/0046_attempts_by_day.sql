-- bears: previous
-- Attempts are partitioned by the day on which they started, so that those of an old day go with their partition. The
-- table as it was becomes the first partition, of all times: no row is read or moved. The job `keep-partitions` closes
-- it and makes one for each day from then on.
alter table webhooks.attempt rename to attempt_first;
alter table webhooks.attempt_first rename constraint attempt_pkey to attempt_first_pkey;
alter index webhooks.attempt_of_delivery rename to attempt_first_of_delivery;
alter index webhooks.attempt_age rename to attempt_first_age;
alter sequence webhooks.attempt_id_seq rename to attempt_first_id_seq;

-- Its ids come from one sequence, which goes on where it was; each partition has a primary key on them.
create table webhooks.attempt (like webhooks.attempt_first including all excluding identity excluding indexes)
  partition by range (started_at);
comment on table webhooks.attempt is 'removed by the day, a partition at a time';
alter table webhooks.attempt alter column id add generated always as identity;
create index attempt_of_delivery on webhooks.attempt (delivery_id, id);
create index attempt_age on webhooks.attempt (started_at);
select setval('webhooks.attempt_id_seq', last_value, is_called) from webhooks.attempt_first_id_seq;

alter table webhooks.attempt_first alter column id drop identity;
alter table webhooks.attempt attach partition webhooks.attempt_first for values from (minvalue) to (maxvalue);
