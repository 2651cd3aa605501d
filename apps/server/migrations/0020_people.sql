-- People: who logs in to the dashboard, how they prove it, and what they may do for which account.
create schema people;

create table people.person (
  id uuid not null,
  email text not null,
  password_hash text not null,
  password_changed_at timestamptz not null,
  email_verified_at timestamptz,
  two_factor_method text,
  sealed_totp_secret text,
  totp_last_step bigint not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  constraint person_pkey primary key (id),
  constraint person_email_length check (length(email) between 3 and 254),
  constraint person_two_factor_known check (two_factor_method in ('email', 'totp')),
  constraint person_totp_has_secret check (two_factor_method is distinct from 'totp' or sealed_totp_secret is not null)
) with (fillfactor = 80);
comment on column people.person.password_hash is 'argon2id with its parameters and salt (PHC string format)';
comment on column people.person.deleted_at is 'nothing personal is left; the row stays because the audit log names it';
comment on column people.person.two_factor_method is 'null: the password alone logs in';
comment on column people.person.sealed_totp_secret is 'also set while a TOTP setup waits for its first code';
comment on column people.person.totp_last_step is 'RFC 6238 time step of the last code that was accepted; a code works once';
create unique index person_email on people.person (lower(email));

-- What a person may do, and for which account. An account may have several people.
create table people.membership (
  person_id uuid not null,
  account_id uuid not null,
  account_kind text not null,
  role text not null,
  created_at timestamptz not null,
  ended_at timestamptz,
  constraint membership_pkey primary key (person_id, account_id),
  constraint membership_person foreign key (person_id) references people.person (id),
  constraint membership_kind_known check (account_kind in ('merchant', 'partner', 'admin')),
  constraint membership_role_fits_kind check (
    case account_kind when 'admin' then role = 'administrator' else role in ('owner', 'developer', 'finance', 'read_only') end)
);
comment on column people.membership.account_id is 'the id of an account in schema identity';
create index membership_of_account on people.membership (account_id, created_at) where ended_at is null;

-- A link in a mail that makes its reader a member of an account, once.
create table people.invitation (
  id uuid not null,
  token_hash bytea not null,
  account_id uuid not null,
  account_kind text not null,
  email text not null,
  role text not null,
  invited_by text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  accepted_at timestamptz,
  revoked_at timestamptz,
  inviter_id uuid,
  constraint invitation_pkey primary key (id),
  constraint invitation_token_once unique (token_hash),
  constraint invitation_token_is_sha256 check (length(token_hash) = 32),
  constraint invitation_email_length check (length(email) between 3 and 254),
  constraint invitation_kind_known check (account_kind in ('merchant', 'partner', 'admin')),
  constraint invitation_role_fits_kind check (
    case account_kind when 'admin' then role = 'administrator' else role in ('owner', 'developer', 'finance', 'read_only') end),
  constraint invitation_ends_once check (num_nonnulls(accepted_at, revoked_at) <= 1),
  constraint invitation_inviter foreign key (inviter_id) references people.person (id)
);
comment on column people.invitation.invited_by is 'as the mail names them: an e-mail address, or the operator of the service';
comment on column people.invitation.inviter_id is 'the member who sent it; null: the operator of the service';
create unique index invitation_open_once on people.invitation (account_id, lower(email))
  where accepted_at is null and revoked_at is null;
create index invitation_of_account on people.invitation (account_id, created_at);

-- A browser that is logged in. Its token is kept nowhere.
create table people.session (
  id uuid not null,
  person_id uuid not null,
  account_id uuid not null,
  token_hash bytea not null,
  previous_token_hash bytea,
  previous_until timestamptz,
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  idle_until timestamptz not null,
  expires_at timestamptz not null,
  fresh_until timestamptz not null,
  has_second_factor boolean not null,
  address text not null,
  user_agent text not null,
  ended_at timestamptz,
  constraint session_pkey primary key (id),
  constraint session_token_once unique (token_hash),
  constraint session_token_is_sha256 check (length(token_hash) = 32),
  constraint session_membership foreign key (person_id, account_id) references people.membership (person_id, account_id),
  constraint session_previous_ends check ((previous_token_hash is null) = (previous_until is null)),
  constraint session_user_agent_length check (length(user_agent) <= 256)
) with (fillfactor = 70);
comment on column people.session.previous_token_hash is 'the token before the last refresh, which other tabs may still send for some seconds';
comment on column people.session.idle_until is 'moved forward by use; the session ends at the earlier of it and expires_at';
comment on column people.session.fresh_until is 'until then sensitive acts need no second factor again';
create index session_of_person on people.session (person_id, created_at) where ended_at is null;
create unique index session_previous_token on people.session (previous_token_hash) where previous_token_hash is not null;

-- Links in mails: SHA-256 of the token in the link, which works once.
create table people.mail_token (
  token_hash bytea not null,
  person_id uuid not null,
  purpose text not null,
  new_email text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  constraint mail_token_pkey primary key (token_hash),
  constraint mail_token_person foreign key (person_id) references people.person (id),
  constraint mail_token_purpose_known
  check (purpose in ('verify_email', 'reset_password', 'change_email', 'keep_factor')),
  constraint mail_token_new_email_of_change check ((new_email is null) = (purpose <> 'change_email'))
);
create index mail_token_of_person on people.mail_token (person_id, purpose) where used_at is null;

-- A second factor that was asked for: at a login (no session yet) or before a sensitive act of a session.
create table people.challenge (
  id uuid not null,
  person_id uuid not null,
  session_id uuid,
  methods text[] not null,
  code_signature text,
  tries smallint not null default 0,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  solved_at timestamptz,
  is_setup boolean not null default false,
  codes_mailed smallint not null default 0,
  constraint challenge_pkey primary key (id),
  constraint challenge_person foreign key (person_id) references people.person (id),
  constraint challenge_session foreign key (session_id) references people.session (id),
  constraint challenge_methods_known check (methods <@ array['email', 'totp', 'recovery', 'passkey'] and cardinality(methods) > 0),
  constraint challenge_bounds_tries check (tries between 0 and 5),
  constraint challenge_bounds_mails check (codes_mailed between 0 and 3),
  constraint challenge_setup_of_session check (not is_setup or (session_id is not null and methods = array['email']))
) with (fillfactor = 70);
comment on column people.challenge.code_signature is 'of the code that was sent by mail: an HMAC, because six digits could be searched for in a plain hash';
comment on column people.challenge.is_setup is 'asks whether codes reach the mailbox before they become the second factor; solving it proves nothing else';
comment on column people.challenge.codes_mailed is 'each code replaces the one before';
create index challenge_of_person on people.challenge (person_id, created_at) where solved_at is null;

-- Passkeys (WebAuthn): each logs in alone, and is a second factor beside a password.
create table people.passkey (
  id uuid not null,
  person_id uuid not null,
  credential_id text not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  is_synced boolean not null,
  name text not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  constraint passkey_pkey primary key (id),
  constraint passkey_person foreign key (person_id) references people.person (id),
  constraint passkey_credential_once unique (credential_id),
  constraint passkey_credential_length check (length(credential_id) between 1 and 1400),
  constraint passkey_counter_not_negative check (counter >= 0),
  constraint passkey_name_length check (length(name) between 1 and 64)
) with (fillfactor = 80);
comment on column people.passkey.credential_id is 'base64url, as the authenticator chose it';
comment on column people.passkey.public_key is 'COSE key (RFC 9052)';
comment on column people.passkey.counter is 'signature counter of the last use; 0 where the authenticator keeps none';
comment on column people.passkey.is_synced is 'kept on several devices by its provider: its counter may fall';
create index passkey_of_person on people.passkey (person_id, created_at);

-- One question to an authenticator: answered once, within five minutes.
create table people.passkey_ceremony (
  id uuid not null,
  nonce bytea not null,
  person_id uuid,
  challenge_id uuid,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  constraint passkey_ceremony_pkey primary key (id),
  constraint passkey_ceremony_person foreign key (person_id) references people.person (id),
  constraint passkey_ceremony_challenge foreign key (challenge_id) references people.challenge (id) on delete cascade,
  constraint passkey_ceremony_nonce_is_random check (length(nonce) = 32),
  constraint passkey_ceremony_has_one_purpose check (num_nonnulls(person_id, challenge_id) <= 1)
) with (fillfactor = 80);
comment on column people.passkey_ceremony.person_id is 'who adds a passkey; null at a login';
comment on column people.passkey_ceremony.challenge_id is 'the second factor that is answered; null where the passkey logs in alone';
create index passkey_ceremony_age on people.passkey_ceremony (expires_at);
create index passkey_ceremony_of_challenge on people.passkey_ceremony (challenge_id) where challenge_id is not null;

create table people.recovery_code (
  person_id uuid not null,
  code_signature text not null,
  used_at timestamptz,
  constraint recovery_code_pkey primary key (person_id, code_signature),
  constraint recovery_code_person foreign key (person_id) references people.person (id)
);

-- Failures that slow down the next try: of one login from one network, so that no stranger can lock a person out.
create table people.throttle (
  key bytea not null,
  failures integer not null,
  last_failure_at timestamptz not null,
  constraint throttle_pkey primary key (key)
) with (fillfactor = 70);
comment on column people.throttle.key is 'SHA-256 of the e-mail address in lower case and the network';
create index throttle_age on people.throttle (last_failure_at);

-- An administrator who looks at an account with its own pages: reads only, for an hour, with a cookie of its own
-- beside the session's, and ended with it.
create table people.impersonation (
  id uuid not null,
  session_id uuid not null,
  account_id uuid not null,
  account_kind text not null,
  token_hash bytea not null,
  reason text not null,
  began_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  constraint impersonation_pkey primary key (id),
  constraint impersonation_session foreign key (session_id) references people.session (id),
  constraint impersonation_token_once unique (token_hash),
  constraint impersonation_token_is_sha256 check (length(token_hash) = 32),
  constraint impersonation_kind_known check (account_kind in ('merchant', 'partner')),
  constraint impersonation_has_a_reason check (reason <> ''),
  constraint impersonation_within_an_hour check (expires_at between began_at and began_at + interval '60 minutes')
);
create index impersonation_of_session on people.impersonation (session_id) where ended_at is null;
-- Accounts at a chat platform that people have linked to their login, by OAuth 2.0.
create table people.chat_link (
  person_id uuid not null,
  chat_user_id text not null,
  username text not null,
  discriminator text not null,
  avatar text,
  linked_at timestamptz not null,
  constraint chat_link_pkey primary key (person_id),
  constraint chat_link_person foreign key (person_id) references people.person (id),
  constraint chat_link_account_once unique (chat_user_id),
  constraint chat_link_texts_short check (
    length(chat_user_id) between 1 and 64 and length(username) between 1 and 128
    and length(discriminator) <= 16 and length(avatar) <= 256)
);
comment on column people.chat_link.chat_user_id is 'as the platform names it; an account there belongs to one person';

-- A browser that was sent to the chat platform and has not come back: good once, within ten minutes, and only
-- for the session that began it (RFC 6749, section 10.12).
create table people.chat_request (
  state_hash bytea not null,
  session_id uuid not null,
  sealed_verifier text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  constraint chat_request_pkey primary key (state_hash),
  constraint chat_request_state_is_sha256 check (length(state_hash) = 32),
  constraint chat_request_session foreign key (session_id) references people.session (id)
);
comment on column people.chat_request.sealed_verifier is 'the verifier of PKCE (RFC 7636)';
create index chat_request_of_session on people.chat_request (session_id);
create index chat_request_age on people.chat_request (expires_at);
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
-- Saved views: a person's name for the filters of a list, within one account.
create table people.saved_view (
  id uuid not null,
  person_id uuid not null,
  account_id uuid not null,
  list text not null,
  name text not null,
  query text not null,
  created_at timestamptz not null,
  constraint saved_view_pkey primary key (id),
  constraint saved_view_membership foreign key (person_id, account_id) references people.membership (person_id, account_id),
  constraint saved_view_name_once unique (person_id, account_id, list, name),
  constraint saved_view_name_length check (length(name) between 1 and 60),
  constraint saved_view_query_length check (length(query) between 1 and 1000)
);
comment on table people.saved_view is 'renamed and deleted by its person; deleted when the membership ends';
comment on column people.saved_view.query is 'search parameters of the page that shows the list, as its address has them';
-- What a visitor asks for by an e-mail address. The request is written alike for every address and a worker
-- looks later whether the address has an account: neither the answer nor its duration shows it.
create table people.visitor_request (
  id uuid not null,
  number bigint generated always as identity,
  kind text not null,
  email text not null,
  facts jsonb not null,
  due_at timestamptz not null,
  created_at timestamptz not null,
  constraint visitor_request_pkey primary key (id),
  constraint visitor_request_kind_known check (kind in ('register', 'resend_verification', 'reset_password', 'failed_log_in'))
) with (fillfactor = 70);
comment on table people.visitor_request is 'a row is deleted in the commit that answers it';
comment on column people.visitor_request.number is 'requests that are due together are answered in this order';
comment on column people.visitor_request.due_at is 'a claim moves it into the future, which is its lease';
create index visitor_request_due on people.visitor_request (due_at);
create index visitor_request_age on people.visitor_request (created_at);

-- The newest registration of an address, whether or not it has an account: a log-in with its password is
-- answered that the address is not confirmed, for both alike.
create table people.registration (
  email_key text not null,
  password_hash text not null,
  created_at timestamptz not null,
  constraint registration_pkey primary key (email_key)
);
comment on table people.registration is 'deleted when the address is confirmed, and after 30 days';
comment on column people.registration.email_key is 'the address in lower case';
create index registration_age on people.registration (created_at);
create trigger account_is_open before insert on people.membership
  for each row execute function identity.refuse_below_deleted('account_id');
create trigger account_is_open before insert on people.invitation
  for each row execute function identity.refuse_below_deleted('account_id');
