-- An event has one id: a delivery carries it in its body and as webhook-id. Deliveries from before keep the id
-- that their endpoint knows them by.
alter table webhooks.delivery add column webhook_id uuid;
comment on column webhooks.delivery.webhook_id is 'the id of the event, as its tenant knows it; null: the delivery''s own';
comment on column webhooks.delivery.id is 'names the delivery in the dashboard';
