-- bears: previous
-- Figures of hours and days, for the overviews of administrators and partners. Each is the sum of what happened in its
-- hour or day of UTC, whenever the trade or deposit began. Rows are only added to, by the job `keep-overviews`.
create table operations.service_figure (
  unit text not null,
  at timestamptz not null,
  figure text not null,
  label text not null,
  count bigint not null,
  usd_cents bigint not null,
  constraint service_figure_pkey primary key (unit, at, figure, label),
  constraint service_figure_unit_known check (unit in ('hour', 'day')),
  constraint service_figure_starts_its_unit check (at = date_trunc(unit, at, 'UTC'))
);
comment on table operations.service_figure is 'of all accounts together';
comment on column operations.service_figure.at is 'the start of the hour or day';
comment on column operations.service_figure.label is
  'what the figure is divided by, such as a state, a market and a state, a cause, or the number of a bucket of a histogram; empty: nothing';

create table operations.partner_figure (
  tenant_id uuid not null,
  unit text not null,
  at timestamptz not null,
  figure text not null,
  label text not null,
  count bigint not null,
  usd_cents bigint not null,
  constraint partner_figure_pkey primary key (tenant_id, unit, at, figure, label),
  constraint partner_figure_unit_known check (unit in ('hour', 'day')),
  constraint partner_figure_starts_its_unit check (at = date_trunc(unit, at, 'UTC'))
);
comment on table operations.partner_figure is 'as service_figure, of a partner with its children';

-- How far the figures go. Its row lock lets one fold after the other.
create table operations.figures_mark (
  is_only boolean not null default true,
  position bigint not null default 0,
  hours_until timestamptz,
  folded_at timestamptz,
  constraint figures_mark_pkey primary key (is_only),
  constraint figures_mark_one_row check (is_only)
);
comment on column operations.figures_mark.position is 'events up to this position are in the figures';
comment on column operations.figures_mark.hours_until is 'what is counted by finished hours is counted up to here; null: nothing is';
comment on column operations.figures_mark.folded_at is 'when no event and no finished hour was left to add; null: never';
insert into operations.figures_mark (is_only) values (true);
