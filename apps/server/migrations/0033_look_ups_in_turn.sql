-- bears: previous
-- As 0032, for the turns of tenants.
create index concurrently if not exists item_followed_in_turn_by_account on buying.item (market, market_account, tenant_id, due_at) where work = 'follow';
