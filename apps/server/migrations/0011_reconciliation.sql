-- What a person must look at, and what there is to look at it with: cases, the calls to suppliers, the
-- baselines of our accounts at the markets, and which workers live.
create schema reconciliation;

-- A case: a contradiction between us and a supplier. `case` alone is a word of SQL.
create table reconciliation.case_file (
  id uuid not null default uuidv7(),
  kind text not null,
  subject text not null,
  market text,
  item_id uuid,
  source text not null,
  state text not null default 'open',
  facts jsonb not null,
  notes jsonb not null default '{}',
  sightings integer not null default 1,
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  cleared_at timestamptz,
  resolved_at timestamptz,
  resolved_by text,
  resolution text,
  constraint case_file_pkey primary key (id),
  constraint case_file_kind_form check (kind ~ '^[a-z][a-z_]{1,39}$'),
  constraint case_file_state_known check (state in ('open', 'resolved')),
  constraint case_file_resolved_for_a_reason check (
    (state = 'resolved') = (resolved_at is not null)
    and (state = 'resolved') = (resolved_by is not null)
    and (state = 'resolved') = (coalesce(resolution, '') <> ''))
) with (fillfactor = 80);
comment on column reconciliation.case_file.subject is 'what it is about: item:<id>, order:<market>:<supplier''s id>, offer:<bot>:<platform''s id>, market:<id>';
comment on column reconciliation.case_file.source is 'who saw it: follower, statement, balance, guard';
comment on column reconciliation.case_file.facts is 'what was said by whom; a resolved case with the same facts is not opened again';
comment on column reconciliation.case_file.notes is 'what differs from one sighting to the next';
comment on column reconciliation.case_file.cleared_at is 'when it was found to be no longer so; it stays open until a person says why';
create unique index case_file_one_open on reconciliation.case_file (kind, subject) where state = 'open';
create index case_file_of_subject on reconciliation.case_file (kind, subject, id);
create index case_file_of_item on reconciliation.case_file (item_id) where item_id is not null;

-- What happened to a case, and by whom. Only added to.
create table reconciliation.case_entry (
  id bigint generated always as identity,
  case_id uuid not null,
  at timestamptz not null,
  what text not null,
  by_whom text,
  facts jsonb not null default '{}',
  constraint case_entry_pkey primary key (id),
  constraint case_entry_case foreign key (case_id) references reconciliation.case_file (id),
  constraint case_entry_what_known check (what in ('opened', 'changed', 'cleared', 'returned', 'resolved'))
);
create index case_entry_of_case on reconciliation.case_entry (case_id, id);

-- Opens a case, or notes one more sighting of it. One reporter of a subject at a time: the second of two
-- finds the case of the first. A resolved case with the very same facts is not opened again: a person has
-- looked at them.
create function reconciliation.report(
  kind_ text, subject_ text, market_ text, item_id_ uuid, source_ text, facts_ jsonb, notes_ jsonb,
  at_ timestamptz, out case_id uuid, out is_new boolean)
language plpgsql as $$
declare found_ reconciliation.case_file;
begin
  perform pg_advisory_xact_lock(hashtextextended('reconciliation.case:' || kind_ || ':' || subject_, 0));
  is_new := false;
  select c.* into found_ from reconciliation.case_file c
    where c.kind = kind_ and c.subject = subject_ order by (c.state = 'open') desc, c.id desc limit 1;
  case_id := found_.id;
  if found_.state = 'open' or found_.facts = facts_ then
    update reconciliation.case_file c set sightings = c.sightings + 1, last_seen_at = at_, notes = notes_,
        facts = facts_, cleared_at = null
      where c.id = found_.id;
    if found_.state = 'open' and found_.cleared_at is not null then
      insert into reconciliation.case_entry (case_id, at, what, facts) values (found_.id, at_, 'returned', facts_);
    elsif found_.state = 'open' and found_.facts <> facts_ then
      insert into reconciliation.case_entry (case_id, at, what, facts) values (found_.id, at_, 'changed', facts_);
    end if;
    return;
  end if;
  insert into reconciliation.case_file as c
      (kind, subject, market, item_id, source, facts, notes, first_seen_at, last_seen_at)
    values (kind_, subject_, market_, item_id_, source_, facts_, notes_, at_, at_)
    returning c.id into case_id;
  insert into reconciliation.case_entry (case_id, at, what, facts) values (report.case_id, at_, 'opened', facts_);
  is_new := true;
end $$;

-- Each call about an order, as our side of the port saw it. Look-ups that answer what the one before
-- answered are not repeated here. Kept for 30 days.
create table reconciliation.supplier_call (
  id bigint generated always as identity,
  market text not null,
  custom_id text not null,
  operation text not null,
  started_at timestamptz not null,
  duration_ms integer not null,
  outcome text not null,
  answer jsonb not null,
  request_id text,
  constraint supplier_call_pkey primary key (id)
);
comment on column reconciliation.supplier_call.custom_id is 'our own order id';
comment on column reconciliation.supplier_call.answer is 'in the words of our port, without keys and tokens';
create index supplier_call_of_order on reconciliation.supplier_call (custom_id, id);
create index supplier_call_age on reconciliation.supplier_call using brin (started_at);

-- What is on our account and what its orders since a moment have cost, added up: it stays as it is until
-- a person pays in, draws out, or keeps what should have come back.
create table reconciliation.baseline (
  market text not null,
  scope text not null,
  since timestamptz not null,
  baseline_mills bigint not null,
  candidate_mills bigint,
  candidate_since timestamptz,
  balance_mills bigint not null,
  read_at timestamptz not null,
  constraint baseline_pkey primary key (market, scope),
  constraint baseline_candidate_has_begun check ((candidate_mills is null) = (candidate_since is null))
);
comment on column reconciliation.baseline.scope is 'which window of statements it is counted over';
comment on column reconciliation.baseline.baseline_mills is 'balance and cost together, thousandths of a US dollar, as the others';
comment on column reconciliation.baseline.candidate_mills is 'another baseline, seen since candidate_since and not yet believed';

-- Whether purchases may be placed at a market, or sells be offered by the bots. Closed when the database turns out to be older than what was
-- sent: after a restore or an asynchronous failover the newest intents may be lost.
create table reconciliation.placing_gate (
  market text not null,
  history text not null,
  closed_at timestamptz,
  item_ids uuid[] not null default '{}',
  constraint placing_gate_pkey primary key (market),
  constraint placing_gate_items_need_a_closing check (closed_at is not null or item_ids = '{}')
);
comment on column reconciliation.placing_gate.market is 'a market, `bots` or `payments`';
comment on column reconciliation.placing_gate.history is 'cluster and timeline of the database in which placing was last allowed or held back';
comment on column reconciliation.placing_gate.closed_at is 'null: open. Else since when nothing is placed, until the market''s statement, or what the bots list, has been compared';
comment on column reconciliation.placing_gate.item_ids is 'items that were waiting to be placed at that moment, and may have been placed before it';
