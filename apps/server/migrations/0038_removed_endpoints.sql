-- An endpoint that its tenant has removed: no event is sent to it, a child's go to its partner's again, and what
-- was sent stays readable. Its row stays for its deliveries, and is used again when an address is set again.
alter table webhooks.endpoint add column removed_at timestamptz,
  add constraint endpoint_removed_is_disabled check (removed_at is null or status = 'disabled');
comment on column webhooks.endpoint.removed_at is 'when its tenant removed it; it gets a new secret when it is set again';
