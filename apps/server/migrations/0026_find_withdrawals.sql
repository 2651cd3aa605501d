-- Search finds a withdrawal by its external id alone over all owners.
create index withdrawal_named on payouts.withdrawal (external_id);
