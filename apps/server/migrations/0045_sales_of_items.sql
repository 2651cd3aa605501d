-- bears: previous
-- An item's sales, which merchants see beside its prices. Kept with the item, so that a change of them is a change
-- of the item and reaches who reads prices since a version.
alter table catalog.item
  add column sales_7d integer not null default 0,
  add column last_sale_cents bigint,
  add column last_sale_at timestamptz,
  add constraint item_last_sale_has_its_time check ((last_sale_cents is null) = (last_sale_at is null)) not valid;
comment on column catalog.item.sales_7d is 'items that the service itself sold on this UTC day and the six before';
comment on column catalog.item.last_sale_cents is
  'sourcing price of the service''s latest sale, US cents before fees; null: none is known';
