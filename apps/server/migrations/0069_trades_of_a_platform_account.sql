-- Each page of a trade shows the platform account of its user: a search by it finds the trades.
create index trade_platform_account on trades.trade (platform_id, tenant_id, id);
