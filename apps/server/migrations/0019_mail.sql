-- Mail: messages to people, written in the transaction that causes them and sent by a worker. Delivery is at
-- least once: after a lost answer of the mail server a message is sent again under the same Message-ID.
create schema mail;

create table mail.message (
  id uuid not null,
  number bigint generated always as identity,
  recipient text not null,
  template text not null,
  facts jsonb,
  sealed_facts text,
  due_at timestamptz,
  attempts smallint not null default 0,
  created_at timestamptz not null,
  sent_at timestamptz,
  failed_at timestamptz,
  detail text,
  constraint message_pkey primary key (id),
  constraint message_recipient_length check (length(recipient) between 3 and 254),
  constraint message_template_form check (template ~ '^[a-z_]+$'),
  constraint message_ends_once check (num_nonnulls(sent_at, failed_at, due_at) = 1),
  constraint message_forgets_facts_at_its_end check (num_nonnulls(facts, sealed_facts) = num_nonnulls(due_at))
) with (fillfactor = 70);
comment on column mail.message.number is 'mails that are due together are sent in this order';
comment on column mail.message.facts is 'what the template of a notice needs; erased once the message is sent or given up';
comment on column mail.message.sealed_facts is 'the same of a message with a code or a link that logs a person in, sealed';
comment on column mail.message.due_at is 'when it is sent next; a claim moves it into the future, which is its lease; null at its end';
comment on column mail.message.detail is 'the last answer of the mail server that was not an acceptance';
create index message_due on mail.message (due_at) where due_at is not null;
