-- What the platform lists of a bot is held against what we sent: our side of it is read by bot and time.
create index offer_of_bot on selling.offer (bot_id, sent_at);

comment on column reconciliation.case_file.subject is 'what it is about: item:<id>, order:<market>:<supplier''s id>, offer:<bot>:<platform''s id>, market:<id>';
