-- bears: previous
-- What waits at a market is no more than it takes in ten minutes. Workers write down how fast each market takes orders;
-- a buy that would wait longer is refused before anything is escrowed.
create table buying.market_queue (
  market text not null,
  placed_per_minute double precision not null,
  placeable integer,
  waiting integer not null,
  measured_at timestamptz not null,
  constraint market_queue_pkey primary key (market),
  constraint market_queue_not_negative check (placed_per_minute >= 0 and placeable >= 0 and waiting >= 0)
) with (fillfactor = 50);
comment on column buying.market_queue.placed_per_minute is
  'what its accounts take together: measured while some items have waited for long, else by their paces';
comment on column buying.market_queue.placeable is 'how many items may wait: those of ten minutes; null: no bound is known';
comment on column buying.market_queue.waiting is 'items that waited at measured_at, of all tenants';

-- At which of these markets more items would wait than may, if `more_` were added for each time that a market is named,
-- and in how many seconds to ask again. A tenant below its equal share of what may wait is not refused for what others
-- have waiting. Items are counted only where many waited a moment ago.
create function buying.crowded_markets(tenant_id_ uuid, markets_ text[], more_ integer)
  returns table (market text, retry_after_seconds integer)
language sql stable as $$
  select m.market,
    least(900, greatest(1, ceil(60 * greatest(q.waiting, w.of_all) / greatest(q.placed_per_minute, 0.1)) - 600))::integer
  from (select market, count(*) * more_ more from unnest(markets_) market group by market) m
    join buying.market_queue q on q.market = m.market and 2 * (q.waiting + m.more) >= q.placeable
    cross join lateral (
      select count(*) of_all from (
        select from buying.item i where i.market = m.market and i.work = 'place' limit q.placeable + 1) waiting) w
  where w.of_all + m.more > q.placeable and (
    select (count(*) filter (where i.tenant_id = tenant_id_) + m.more)
        * (count(distinct i.tenant_id) filter (where i.tenant_id <> tenant_id_) + 1) > q.placeable
    from buying.item i where i.market = m.market and i.work = 'place')
  order by m.market $$;

-- As before, and refuses as well (PT429, with HINT: the seconds after which to ask again) what more waits for than can
-- be placed in ten minutes.
create or replace function buying.check_waiting(tenant_id_ uuid, account_id_ uuid, markets_ text[]) returns void
language plpgsql as $$
declare
  market_ text;
  seconds_ integer;
begin
  if (select s.waiting_limit is not null from buying.setting s) then
    for market_ in select distinct market from unnest(markets_) market order by market loop
      perform pg_advisory_xact_lock(hashtextextended('buying.waiting:' || tenant_id_ || ':' || market_, 0));
    end loop;
    for market_ in select f.market from buying.full_markets(tenant_id_, account_id_, markets_, 0) f loop
      raise exception 'too many items wait for %', market_ using errcode = 'PT429', detail = market_;
    end loop;
  end if;
  for market_, seconds_ in
    select c.market, c.retry_after_seconds from buying.crowded_markets(tenant_id_, markets_, 0) c
  loop
    raise exception 'more items wait for % than it takes', market_
      using errcode = 'PT429', detail = market_, hint = seconds_::text;
  end loop;
end $$;
