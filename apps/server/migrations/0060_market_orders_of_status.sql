-- bears: previous
-- Administrators list the orders of a state, newest first.
create index concurrently if not exists market_order_of_status on bidding.market_order (status, id);
