-- bears: previous
-- A whole read of a market in which little changed asks for that little alone.

alter table catalog.listing add column said bigint;
comment on column catalog.listing.said is
  '52 bits of a hash of what its market last said of it; null: something else was written since';

-- The release before knows no `said`, and writes beside this one during an upgrade: what it changed is not what was
-- said. A price that went there and back would be passed over else.
create function catalog.forget_said() returns trigger
language plpgsql as $$
begin
  new.said := null;
  return new;
end $$;
create trigger listing_said before update of item_id, price_mills, delivery, wear_text, paint_seed, details
  on catalog.listing for each row
  when (new.said = old.said
    and (new.item_id, new.price_mills, new.delivery, new.wear_text, new.paint_seed, new.details) is distinct from
      (old.item_id, old.price_mills, old.delivery, old.wear_text, old.paint_seed, old.details))
  execute function catalog.forget_said();

-- What the cheapest listing of the item with this delivery costs on the market; null when there is none. A plan that
-- was made while the table was empty is kept, and read the whole table for each item of a first read.
create function catalog.cheapest_mills(item_id_ text, market_ text, delivery_ text) returns bigint
language plpgsql stable
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
as $$
begin
  return (
    select l.price_mills from catalog.listing l
    where l.item_id = item_id_ and l.live and not l.taken and l.market = market_ and l.delivery = delivery_
    order by l.price_mills, l.id limit 1);
end $$;
