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
