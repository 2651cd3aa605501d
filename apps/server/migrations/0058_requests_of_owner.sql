-- bears: previous
-- The requests of an owner in their order. None has an owner before this release: each partition is read, and nothing is
-- written. Only what notes requests waits, which no request does.
create index if not exists key_request_of_owner on identity.key_request (owner_id, owner_number) where owner_id is not null;
