-- A partner lists the withdrawals of all of its children together.
create index withdrawal_of_tenant on payouts.withdrawal (tenant_id, id);
