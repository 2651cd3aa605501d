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
