-- Who did what: one row for each act of a person, written in the transaction of the act.
create schema audit;

create table audit.entry (
  id bigint generated always as identity,
  at timestamptz not null,
  actor_kind text not null,
  actor_id text not null,
  act text not null,
  subject_type text not null,
  subject_id text,
  facts jsonb not null,
  request jsonb not null,
  account_id uuid,
  changes jsonb not null default '{}',
  constraint entry_pkey primary key (id),
  constraint entry_actor_kind_known check (actor_kind in ('operator', 'administrator', 'member')),
  constraint entry_actor_named check (actor_id <> ''),
  constraint entry_act_form check (act ~ '^[a-z_]+[.][a-z_]+$'),
  constraint entry_subject_form check (subject_type ~ '^[a-z_]+$' and subject_id <> '')
);
comment on column audit.entry.actor_kind is 'operator: a user of the operating system, on the command line; administrator: a person of the service; member: a person of a merchant or partner';
comment on column audit.entry.subject_id is 'null where there is one subject of the type only, such as trading';
comment on column audit.entry.facts is 'what was asked for and why, without secrets';
comment on column audit.entry.request is 'where the request came from: the host of a command, or the address and id of an HTTP request';
comment on column audit.entry.account_id is 'the account that the act is about or was done for; null for acts about the service';
comment on column audit.entry.changes is 'each field that changed: {"tier": {"from": "standard", "to": "premium"}}; without secrets';
create index entry_of_subject on audit.entry (subject_type, subject_id, id);
create index entry_of_actor on audit.entry (actor_kind, actor_id, id);
create index entry_of_account on audit.entry (account_id, id) where account_id is not null;
create index entry_of_act on audit.entry (act, id);

create function audit.deny() returns trigger language plpgsql as $$
begin
  raise exception '% on audit.entry is forbidden: the audit log is append-only', tg_op using errcode = '42501';
end $$;
create trigger entry_append_only before update or delete or truncate on audit.entry
  for each statement execute function audit.deny();
