-- Deliveries of one trade, deposit or withdrawal.
create index delivery_of_subject on webhooks.delivery (endpoint_id, subject_id, event_id);

-- The first event of an endpoint at or after a time, for lists that begin or end at one: found by halving, because
-- the numbers of events rise with their times. Null for no time, and for an endpoint without deliveries.
create function webhooks.first_event_since(endpoint_id_ uuid, since_ timestamptz) returns bigint
language plpgsql stable
set enable_seqscan = off set enable_sort = off set enable_bitmapscan = off as $$
declare
  low_ bigint;
  high_ bigint;
  middle_ bigint;
  found_ bigint;
  at_ timestamptz;
begin
  if since_ is null then return null; end if;
  select d.event_id into low_ from webhooks.delivery d where d.endpoint_id = endpoint_id_
    order by d.endpoint_id, d.event_id limit 1;
  select d.event_id + 1 into high_ from webhooks.delivery d where d.endpoint_id = endpoint_id_
    order by d.endpoint_id desc, d.event_id desc limit 1;
  -- Every delivery below low_ is earlier, and none from high_ on is.
  while low_ < high_ loop
    middle_ := low_ + (high_ - low_) / 2;
    select d.event_id, d.created_at into found_, at_ from webhooks.delivery d
      where d.endpoint_id = endpoint_id_ and d.event_id >= middle_ order by d.endpoint_id, d.event_id limit 1;
    if at_ < since_ then low_ := found_ + 1; else high_ := middle_; end if;
  end loop;
  return low_;
end $$;
