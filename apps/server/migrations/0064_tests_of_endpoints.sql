-- A number among those of events, for what a consumer lists with them and is none: the test of an endpoint.
create function outbox.next_number() returns bigint
language sql as $$ select nextval(pg_get_serial_sequence('outbox.event', 'id')) $$;
