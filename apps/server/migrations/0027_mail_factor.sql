-- Codes by mail as a second factor: set up with a code of their own, and mailed again on request.
alter table people.challenge
  add column is_setup boolean not null default false,
  add column codes_mailed smallint not null default 0,
  add constraint challenge_bounds_mails check (codes_mailed between 0 and 3),
  add constraint challenge_setup_of_session check (not is_setup or (session_id is not null and methods = array['email']));
comment on column people.challenge.is_setup is 'asks whether codes reach the mailbox before they become the second factor; solving it proves nothing else';
comment on column people.challenge.codes_mailed is 'each code replaces the one before';
