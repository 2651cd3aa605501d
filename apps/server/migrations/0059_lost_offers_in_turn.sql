-- Offers that were given up as never sent are looked for in turn: the newest of a day alone would keep the others,
-- which may turn up as well, from ever being looked for.
alter table selling.offer add column watched_at timestamptz;
comment on column selling.offer.watched_at is 'when it was last looked for after it was given up as never sent';
