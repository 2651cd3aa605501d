-- bears: previous
-- A whole read of a market in which little changed asks for that little alone.

alter table catalog.listing add column said bigint;
comment on column catalog.listing.said is
  '52 bits of a hash of what its market last said of it; null: something else was written since';
