-- The secret of a payout callback is replaced with an overlap, as that of a webhook endpoint is.
alter table payouts.merchant
  add column callback_previous_secret_sealed text,
  add column callback_previous_secret_until timestamptz,
  add constraint merchant_previous_secret_ends check (
    (callback_previous_secret_sealed is null) = (callback_previous_secret_until is null));
comment on column payouts.merchant.callback_previous_secret_until is 'until then the secret before signs beside the present one';
