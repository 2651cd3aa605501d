-- bears: previous
-- Pictures of items, as a worker has fetched them and written them anew. A process that answers requests notes
-- which one a page has asked for. It is a cache: unlogged, so that neither replicas nor copies of the database
-- carry it, and a crash empties it.
create unlogged table catalog.picture (
  name text not null,
  source text not null,
  asked_at timestamptz not null,
  due_at timestamptz,
  attempts integer not null default 0,
  small bytea,
  large bytea,
  fetched_at timestamptz,
  constraint picture_pkey primary key (name),
  constraint picture_name_form check (name ~ '^[0-9a-f]{16}$'),
  constraint picture_attempts_not_negative check (attempts >= 0),
  constraint picture_whole_or_not_there check (
    (small is null) = (large is null) and (small is null) = (fetched_at is null)
  ),
  constraint picture_bounded check (octet_length(small) <= 16384 and octet_length(large) <= 131072)
);
-- They are compressed already.
alter table catalog.picture alter column small set storage external, alter column large set storage external;
comment on column catalog.picture.source is 'an address, or a hash of the platform';
comment on column catalog.picture.due_at is 'when a worker fetches it next, or may take it over from another one; null: it is there, or was given up';
comment on column catalog.picture.attempts is 'since it was asked for';
comment on column catalog.picture.small is 'WebP, 64 by 64 pixels';
comment on column catalog.picture.large is 'WebP, 256 by 256 pixels';

create index picture_due on catalog.picture (due_at) where due_at is not null;
create index picture_fetched on catalog.picture (fetched_at) where fetched_at is not null;
