-- The reference rates of the days, as their source named them.
create schema fx;
create table fx.rate (
  as_of date not null,
  usd_per_eur_micros bigint not null,
  fetched_at timestamptz not null,
  constraint rate_pkey primary key (as_of),
  constraint rate_plausible check (usd_per_eur_micros between 500000 and 2000000)
);
comment on column fx.rate.usd_per_eur_micros is 'US dollars for one euro, in millionths';

-- What the conversions of each tenant have brought to the exchange account, so that none uses up the limit of all.
create table fx.position (
  tenant_id uuid not null,
  euros bigint not null,
  constraint position_pkey primary key (tenant_id)
);
comment on column fx.position.euros is 'cents of euros by funds and defunds; negative: what they took';

-- US dollars for one euro in millionths at a moment; null when the latest rate is older than seven days.
create function fx.usd_per_eur_at(at_ timestamptz) returns bigint
language sql stable as $$
  select r.usd_per_eur_micros from fx.rate r
  where r.as_of >= (at_ at time zone 'UTC')::date - 7 order by r.as_of desc limit 1 $$;
