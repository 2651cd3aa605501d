-- Pricing: the fee where none was agreed, and the SQL twins of modules/money/pricing, for functions that price in
-- the statement that takes a listing. A property test compares each twin with its TypeScript over random input.
create schema pricing;
create table pricing.setting (
  only_row boolean not null default true,
  global_default_bps integer not null,
  withdraw_fee_bps integer not null default 50,
  changed_at timestamptz not null default now(),
  constraint setting_pkey primary key (only_row),
  constraint setting_only_row check (only_row),
  constraint setting_default_in_range check (global_default_bps between 0 and 10000),
  constraint setting_withdraw_fee_in_range check (withdraw_fee_bps between 0 and 10000)
);
comment on column pricing.setting.global_default_bps is 'house fee on a buy, basis points of the sourcing price';
comment on column pricing.setting.withdraw_fee_bps is 'house fee on a withdrawal of a partner or child, basis points of its amount';
insert into pricing.setting (global_default_bps) values (500);

-- What a market asks, in cents of the wallet's currency, rounded up: never below cost.
create function pricing.sourcing_in(currency_ ledger.currency, price_mills_ bigint, usd_per_eur_micros_ bigint) returns bigint
language sql immutable as $$
  select case currency_ when 'USD' then (price_mills_ + 9) / 10
    else (price_mills_ * 1000000 + 10 * usd_per_eur_micros_ - 1) / (10 * usd_per_eur_micros_) end $$;

-- A share in basis points, half up to a cent.
create function pricing.share_half_up(cents_ bigint, bps_ integer) returns bigint
language sql immutable as $$ select (2 * cents_ * bps_ + 10000) / 20000 $$;

-- What a buyer pays for what a market asks: price = sourcing + house_fee + merchant_fee.
create function pricing.price_listing(
  currency_ ledger.currency, price_mills_ bigint, usd_per_eur_micros_ bigint, house_fee_bps_ integer, merchant_fee_bps_ integer)
  returns table (sourcing bigint, house_fee bigint, merchant_fee bigint, price bigint)
language sql immutable as $$
  select s, h, m, s + h + m
  from pricing.sourcing_in(currency_, price_mills_, usd_per_eur_micros_) s
    cross join lateral (select pricing.share_half_up(s, house_fee_bps_) h, pricing.share_half_up(s, merchant_fee_bps_) m) fee $$;

-- Cents of one currency in another at a trade's rate. The rate may be null where the currencies are one.
create function pricing.convert_half_up(
  cents_ bigint, from_ ledger.currency, to_ ledger.currency, usd_per_eur_micros_ bigint) returns bigint
language sql immutable as $$
  select case when from_ = to_ then cents_
    when from_ = 'EUR' then div(2 * cents_::numeric * usd_per_eur_micros_ + 1000000, 2000000)::bigint
    else div(2 * cents_::numeric * 1000000 + usd_per_eur_micros_, 2 * usd_per_eur_micros_)::bigint end $$;

create function pricing.convert_rounded_down(
  cents_ bigint, from_ ledger.currency, to_ ledger.currency, usd_per_eur_micros_ bigint) returns bigint
language sql immutable as $$
  select case when from_ = to_ then cents_
    when from_ = 'EUR' then div(cents_::numeric * usd_per_eur_micros_, 1000000)::bigint
    else div(cents_::numeric * 1000000, usd_per_eur_micros_)::bigint end $$;
