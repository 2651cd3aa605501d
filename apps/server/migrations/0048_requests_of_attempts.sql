-- bears: previous
-- What an attempt sent is kept packed: its text was more than a third of what a trade leaves behind. Rows of
-- before, and those that processes of the release before write, keep theirs in the two columns of old. Such a
-- process shows an attempt of this release without what was sent.
alter table webhooks.attempt add column request bytea;
comment on column webhooks.attempt.request is 'headers and body as request.ts packs them; null: they are in request_headers and request_body';
alter table webhooks.attempt alter column request_headers set default '{}';
alter table webhooks.attempt alter column request_body set default '';
