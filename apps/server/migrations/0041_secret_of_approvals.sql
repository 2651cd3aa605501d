-- Approvals at an address of their own are signed with that address's secret alone, whatever the webhook
-- endpoint's is.
comment on column payouts.merchant.callback_secret_sealed is 'signs approvals at callback_url';

-- An address that a member without the right to move money sets receives events; it approves no withdrawal.
alter table payouts.merchant add column endpoint_confirmed boolean not null default true;
comment on column payouts.merchant.endpoint_confirmed is 'false: the webhook endpoint has its address from a member who may not move money, and approves nothing';
