-- bears: previous
-- Administrators list the orders of an item, newest first.
create index concurrently if not exists market_order_of_item on bidding.market_order (item_id, id);
