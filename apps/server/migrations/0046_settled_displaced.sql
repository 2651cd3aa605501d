-- What counts as paid and will never be mined again is settled by hand. Until an operator says that it is, it is listed
-- and an alert fires.
alter table outbound.final_watch add column settled_at timestamptz,
  add constraint final_watch_settled_when_displaced check (settled_at is null or displaced_at is not null);
comment on column outbound.final_watch.settled_at is 'when an operator recorded what was done about a displaced payment; the audit log has the reason';
