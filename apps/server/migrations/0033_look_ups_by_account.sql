-- bears: previous
-- Both are of the items that are followed alone. The old ones go with the functions that read them.
create index item_followed_by_account on buying.item (market, market_account, due_at) where work = 'follow';
create index item_followed_in_turn_by_account on buying.item (market, market_account, tenant_id, due_at)
  where work = 'follow';
