-- A second factor that its person has lost: removed 72 hours after it was asked for with the password, unless
-- the factor is used or the person stops it meanwhile.
create table people.factor_removal (
  id uuid not null,
  person_id uuid not null,
  address text not null,
  asked_at timestamptz not null,
  announced_at timestamptz,
  removes_at timestamptz not null,
  next_at timestamptz,
  outcome text,
  ended_at timestamptz,
  constraint factor_removal_pkey primary key (id),
  constraint factor_removal_person foreign key (person_id) references people.person (id),
  constraint factor_removal_outcome_known check (outcome in ('removed', 'stopped', 'factor_used', 'not_possible')),
  constraint factor_removal_ends_once check (num_nulls(outcome, ended_at) in (0, 2)),
  constraint factor_removal_waits_or_ended check ((next_at is null) = (outcome is not null)),
  -- Whatever a process decides: nothing is removed early, or without the second announcement.
  constraint factor_removal_waits_72_hours check (removes_at >= asked_at + interval '72 hours'),
  constraint factor_removal_is_announced check (
    outcome is distinct from 'removed' or (announced_at is not null and ended_at >= removes_at
      and ended_at >= announced_at + interval '48 hours'))
) with (fillfactor = 80);
comment on column people.factor_removal.address is 'where it was asked from, for the mails and the audit log';
comment on column people.factor_removal.next_at is 'when the worker looks at it again: to announce it a second time, then to remove the factor';
create unique index factor_removal_open_once on people.factor_removal (person_id) where outcome is null;
create index factor_removal_of_person on people.factor_removal (person_id, asked_at);
create index factor_removal_due on people.factor_removal (next_at) where next_at is not null;

alter table people.mail_token drop constraint mail_token_purpose_known;
alter table people.mail_token add constraint mail_token_purpose_known
  check (purpose in ('verify_email', 'reset_password', 'change_email', 'keep_factor'));
