-- bears: previous
-- An account has up to ten webhook endpoints, each with a filter of events and a form of signature. A process of the
-- release before knows one for each account: the one that has `tenant_id`. It neither sees nor serves the others.
alter table webhooks.endpoint
  alter column tenant_id drop not null,
  add column account_id uuid,
  add column description text not null default '',
  add column events text[],
  add column signature text not null default 'service',
  add column may_approve boolean not null default true;
update webhooks.endpoint set account_id = tenant_id;
alter table webhooks.endpoint
  add constraint endpoint_of_account check (account_id is not null and coalesce(tenant_id = account_id, true)),
  add constraint endpoint_events_some check (cardinality(events) between 1 and 100),
  add constraint endpoint_signature_known check (signature in ('service', 'standard')),
  add constraint endpoint_standard_is_of_merchants check (signature = 'service' or dialect = 'merchant');
comment on column webhooks.endpoint.account_id is 'whose it is';
comment on column webhooks.endpoint.tenant_id is
  'whose it is, for processes that know one endpoint of an account; null: only account_id says';
comment on column webhooks.endpoint.events is 'the types that it receives, as its dialect names them; null: all';
comment on column webhooks.endpoint.signature is
  'service: our own form; standard: Standard Webhooks 1.0';
comment on column webhooks.endpoint.may_approve is
  'false: a member who may not move money has set the address of an endpoint that was not the oldest';
-- The oldest of an account is the one that approvals go to.
create index endpoint_of_account_by_age on webhooks.endpoint (account_id, created_at, id);

create function webhooks.name_account() returns trigger language plpgsql as $$
begin
  new.account_id := coalesce(new.account_id, new.tenant_id);
  return new;
end $$;
comment on function webhooks.name_account() is 'for processes that write tenant_id alone';
-- Triggers fire in the order of their names.
create trigger account_first_named before insert on webhooks.endpoint
  for each row execute function webhooks.name_account();
drop trigger account_is_open on webhooks.endpoint;
create trigger account_is_open before insert on webhooks.endpoint
  for each row execute function identity.refuse_below_deleted('account_id');

-- As webhooks.claim was, and what one endpoint may hold is divided among those of its account, so that none takes what
-- the others need. For a process that knows one endpoint of an account and one form of signature, of these alone.
create function webhooks.claim_due(
  at_ timestamptz, lease_until_ timestamptz, limit_ integer, per_endpoint_ integer, per_doubtful_ integer,
  slow_room_ integer, unproven_room_ integer, per_owner_ integer, held_ jsonb, slow_ uuid[], busy_ uuid[],
  knows_one_ boolean default false)
  returns setof webhooks.delivery
language plpgsql
set enable_seqscan = off set enable_sort = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  -- A lease that is lost with the database's memory is a delivery that is due again: no reason to wait for
  -- the disk. The setting ends with the transaction.
  perform set_config('synchronous_commit', 'off', true);
  return query
  with enabled as (
    select e.*, count(*) over (partition by e.account_id) siblings from webhooks.endpoint e
    where e.status = 'enabled' and (not knows_one_ or e.tenant_id is not null and e.signature = 'service')),
  party as (
    select e.id, coalesce(e.parent_id, e.account_id) owner_id,
      greatest(per_endpoint_ / e.siblings, least(per_endpoint_, per_doubtful_)) most,
      case when e.id = any (slow_) then slow_room_ when e.proven_at is null then unproven_room_ end room,
      case when e.id = any (slow_) then 'slow' when e.proven_at is null then 'unproven' else 'proven' end class
    from enabled e where e.id <> all (busy_)),
  due as (
    select p.*, one.row_at, one.due_at, coalesce((held_ ->> p.owner_id::text)::integer, 0) held,
      row_number() over (partition by p.id order by one.due_at) nth
    from party p cross join lateral (
      select d.ctid row_at, d.due_at from webhooks.delivery d
      where d.endpoint_id = p.id and d.status in ('pending', 'retrying') and d.due_at <= at_
        and (d.status = 'retrying' or d.event_id = (
          select first.event_id from webhooks.delivery first
          where first.endpoint_id = d.endpoint_id and first.subject_id = d.subject_id and first.status = 'pending'
          order by first.endpoint_id, first.subject_id, first.event_id limit 1))
      order by d.endpoint_id, d.due_at
      limit case when p.room is null then p.most else least(p.room, per_doubtful_) end
      for update skip locked) one),
  turn as (
    select due.*, held + row_number() over (partition by owner_id order by nth, due_at) place from due),
  fair as (
    select turn.*, row_number() over (partition by class order by place, due_at) nth_of_class
    from turn where place <= per_owner_),
  chosen as (
    select row_at from fair where room is null or nth_of_class <= room order by place, due_at limit limit_)
  update webhooks.delivery d set due_at = lease_until_, leased_until = lease_until_
  where d.ctid = any (array(select row_at from chosen))
  returning d.*;
end $$;

create or replace function webhooks.claim(
  at_ timestamptz, lease_until_ timestamptz, limit_ integer, per_endpoint_ integer, per_doubtful_ integer,
  slow_room_ integer, unproven_room_ integer, per_owner_ integer, held_ jsonb, slow_ uuid[], busy_ uuid[])
  returns setof webhooks.delivery
language sql as $$
  select * from webhooks.claim_due(at_, lease_until_, limit_, per_endpoint_, per_doubtful_, slow_room_, unproven_room_,
    per_owner_, held_, slow_, busy_, true)
$$;

-- The page of deliveries shows those of all endpoints.
update people.saved_view set list = 'listEveryDelivery' where list = 'listDeliveries';
update people.saved_view set list = 'listEveryDeliveryOfChild' where list = 'listDeliveriesOfChild';
