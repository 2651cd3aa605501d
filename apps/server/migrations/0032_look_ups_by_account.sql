-- bears: previous
-- Of the items that are followed alone. The old index goes with the functions that read it.
create index concurrently if not exists item_followed_by_account on buying.item (market, market_account, due_at) where work = 'follow';
