-- bears: previous
-- Whether every process that sends has found in this history of the database what it had sent: see infra.sender.
create function infra.is_history_confirmed() returns boolean
language sql stable as $$
  select not exists (
    select from infra.sender where history <> (
      select system_identifier || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8) from pg_control_system())) $$;

-- As before. Raises PT503 while it is not known what the database has lost: a second order could be bought under
-- the external id of a lost one.
create or replace function buying.is_lost(tenant_id_ uuid, account_id_ uuid, external_id_ text) returns boolean
language plpgsql stable as $$
begin
  if not infra.is_history_confirmed() then
    raise exception 'it is not known yet what the database has lost' using errcode = 'PT503';
  end if;
  return exists (
    select from buying.lost_order l
    where l.tenant_id = tenant_id_ and l.external_id = external_id_ and l.trade_id is null
      and (l.account_id = account_id_ or l.user_external_id = identity.external_id_of(account_id_)));
end $$;
