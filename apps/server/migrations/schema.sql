-- The schema of the database, all migrations applied. Made by tools/schema.ts; a picture, not a script:
-- functions are named without their bodies, which stand in the migrations.

create schema audit;

create table audit.entry (
  id bigint generated always as identity,
  at timestamp with time zone not null,
  actor_kind text not null,  -- operator: a user of the operating system, on the command line; administrator: a person of the service; member: a person of a merchant or partner
  actor_id text not null,
  act text not null,
  subject_type text not null,
  subject_id text,  -- null where there is one subject of the type only, such as trading
  facts jsonb not null,  -- what was asked for and why, without secrets
  request jsonb not null,  -- where the request came from: the host of a command, or the address and id of an HTTP request
  account_id uuid,  -- the account that the act is about or was done for; null for acts about the service
  changes jsonb default '{}'::jsonb not null,  -- each field that changed: {"tier": {"from": "standard", "to": "premium"}}; without secrets
  constraint entry_pkey primary key (id),
  constraint entry_act_form check (act ~ '^[a-z_]+[.][a-z_]+$'),
  constraint entry_actor_kind_known check (actor_kind = any (array['operator', 'administrator', 'member'])),
  constraint entry_actor_named check (actor_id <> ''),
  constraint entry_subject_form check (subject_type ~ '^[a-z_]+$' and subject_id <> '')
);
create index entry_of_account on audit.entry (account_id, id) where (account_id is not null);
create index entry_of_act on audit.entry (act, id);
create index entry_of_actor on audit.entry (actor_kind, actor_id, id);
create index entry_of_subject on audit.entry (subject_type, subject_id, id);
create trigger entry_append_only before delete or update or truncate on audit.entry for each statement execute function audit.deny();

create function audit.deny() returns trigger;

create schema buying;

-- id = the id of the item in schema trades
create table buying.item (
  id uuid not null,
  trade_id uuid not null,
  tenant_id uuid not null,
  account_id uuid not null,
  listing_id bigint not null,
  market text not null,
  raw_listing_id text not null,
  sourcing_mills bigint not null,  -- what the supplier asked when the buy was accepted, 1/1000 USD; the ceiling of the order
  is_live boolean default true not null,  -- the listing is being bought or was bought; false once the item has failed, was canceled, declined or reverted
  work text default 'place' not null,  -- the queue it waits in: place (no order yet), follow (an order may exist), none (terminal)
  due_at timestamp with time zone not null,  -- when a worker looks at it next; a claim moves it into the future, which is its lease
  attempt smallint default 1 not null,  -- which listing this is: 1 for the one that was bought, one more for each that took its place
  held_by text,  -- the account of the platform that has it, while the delivery can be taken back
  created_at timestamp with time zone not null,
  constraint item_pkey primary key (id),
  constraint item_given_back_has_no_work check (is_live or work = 'none'),
  constraint item_sourcing_positive check (sourcing_mills > 0),
  constraint item_work_known check (work = any (array['place', 'follow', 'none']))
) with (fillfactor=70);
create index item_followed on buying.item (market, due_at) where (work = 'follow');
create index item_followed_in_turn on buying.item (market, tenant_id, due_at) where (work = 'follow');
create index item_held on buying.item (held_by) where (held_by is not null);
create index item_of_trade on buying.item (trade_id);
create index item_waiting on buying.item (market, tenant_id, account_id, created_at) where (work = 'place');
create unique index item_one_live_purchase on buying.item (listing_id) where is_live;

create table buying.quick_buy (
  trade_id uuid not null,
  catalog_item_id text not null,
  ceiling_mills bigint not null,  -- the most that a market may ask, thousandths of a US dollar: what max_price leaves of it
  max_price bigint not null,  -- cents of the wallet's currency, fees included, for one unit
  delivery text not null,
  requested_count smallint not null,
  house_fee_bps integer not null,
  merchant_fee_bps integer not null,
  constraint quick_buy_pkey primary key (trade_id),
  constraint quick_buy_bounds check (ceiling_mills > 0 and max_price > 0 and requested_count >= 1 and requested_count <= 200),
  constraint quick_buy_delivery_known check (delivery = any (array['standard', 'instant']))
);

create table buying.refused_order (
  item_id uuid not null,
  attempt smallint not null,
  market text not null,
  custom_id text not null,
  listing_id bigint not null,
  raw_listing_id text not null,
  sourcing_mills bigint not null,  -- what that supplier had asked, 1/1000 USD
  price bigint not null,  -- what the buyer had in escrow for it, cents
  sent_at timestamp with time zone not null,
  refused_at timestamp with time zone not null,
  failure_code text not null,
  detail text,
  constraint refused_order_pkey primary key (item_id, attempt),
  constraint refused_order_custom_id unique (custom_id),
  constraint refused_order_item foreign key (item_id) references buying.item(id)
);

create table buying.setting (
  only_row boolean default true not null,
  waiting_limit integer default 300,  -- items of one tenant at one market that are not placed yet, which its children share as buying.full_markets says; null: no limit
  changed_at timestamp with time zone default now() not null,
  constraint setting_pkey primary key (only_row),
  constraint setting_only_row check (only_row),
  constraint setting_waiting_limit_fits_a_quick_buy check (waiting_limit >= 200)
);

create table buying.supplier_order (
  item_id uuid not null,
  market text not null,
  custom_id text not null,
  state text not null,  -- placing: the call may be under way; unknown: its answer was lost; absent: look-ups proved that no order exists; orphan: it turned up after all
  sent_at timestamp with time zone not null,
  order_id text,
  paid_mills bigint,
  misses smallint default 0 not null,  -- look-ups in a row that did not find it, the first at missed_since
  missed_since timestamp with time zone,
  offer_seen boolean default false not null,
  acceptance_seen boolean default false not null,
  review boolean default false not null,
  detail text,
  cancel_requested_at timestamp with time zone,  -- when the supplier was first asked to cancel; committed before the call
  cancel_due_at timestamp with time zone,  -- when a worker tries the cancel that a request could not bring to the supplier; null when there is none
  undone_at timestamp with time zone,  -- when its item ended without a delivery, by the word of the supplier that had taken it
  watched_at timestamp with time zone,  -- when it was last looked for after its item had ended without it
  constraint supplier_order_pkey primary key (item_id),
  constraint supplier_order_custom_id unique (custom_id),
  constraint supplier_order_item foreign key (item_id) references buying.item(id),
  constraint supplier_order_state_known check (state = any (array['placing', 'not_sent', 'unknown', 'placed', 'refused', 'absent', 'orphan']))
) with (fillfactor=70);
create index supplier_order_by_order_id on buying.supplier_order (order_id) where (order_id is not null);
create index supplier_order_cancel on buying.supplier_order (market, cancel_due_at) where (cancel_due_at is not null);
create index supplier_order_sent on buying.supplier_order (market, sent_at);
create index supplier_order_undone on buying.supplier_order (market, undone_at) where (undone_at is not null);
create index supplier_order_unknown on buying.supplier_order (market) where (state = any (array['placing', 'unknown']));
create index supplier_order_watch on buying.supplier_order (market, sent_at) where (state <> all (array['placed', 'orphan']));

create table buying.turn (
  market text not null,
  party_id uuid not null,  -- a tenant or one of its accounts; the nil id: the market itself
  passed double precision not null,  -- virtual time: of the market, that of the last turn given; of a tenant, the end of its last turn; of an account, the market's when it was last served
  constraint turn_pkey primary key (market, party_id)
) with (fillfactor=50);

create function buying.add_items(trade_id_ uuid, tenant_id_ uuid, account_id_ uuid, currency_ ledger.currency, request_hash_ bytea, external_id_ text, at_ timestamp with time zone, total_ bigint, external_ids_ text[], listing_ids_ bigint[], markets_ text[], raw_listing_ids_ text[], catalog_item_ids_ text[], descriptions_ jsonb[], sourcing_mills_ bigint[], prices_ bigint[], house_fees_ bigint[], merchant_fees_ bigint[]) returns void;
create function buying.audit(after_ uuid, up_to_ uuid) returns table(invariant text, detail text);
create function buying.begin_order(item_id_ uuid, claimed_until_ timestamp with time zone, at_ timestamp with time zone, lease_until_ timestamp with time zone) returns text;
create function buying.capture(item_id_ uuid, at_ timestamp with time zone) returns void;
create function buying.check_waiting(tenant_id_ uuid, account_id_ uuid, markets_ text[]) returns void;
create function buying.claim_followed(market_ text, limit_ integer, at_ timestamp with time zone, along_until_ timestamp with time zone, lease_until_ timestamp with time zone) returns setof uuid;
create function buying.claim_placements(market_ text, limit_ integer, at_ timestamp with time zone, lease_until_ timestamp with time zone, placeable_since_ timestamp with time zone) returns setof buying.item;
create function buying.end_unplaced(item_ids_ uuid[], to_ trades.status, at_ timestamp with time zone, failure_code_ text, failure_detail_ text) returns uuid[];
create function buying.followed_in_turn(market_ text, room_ integer, at_ timestamp with time zone, along_until_ timestamp with time zone, except_ uuid[]) returns setof uuid;
create function buying.full_markets(tenant_id_ uuid, account_id_ uuid, markets_ text[], more_ integer) returns table(market text);
create function buying.move_item(item_id_ uuid, from_ trades.status, to_ trades.status, at_ timestamp with time zone, next_due_at_ timestamp with time zone, offer_id_ text, hold_ends_at_ timestamp with time zone, failure_code_ text, failure_detail_ text, reverted_by_ text, penalty_ bigint) returns boolean;
create function buying.place_buy(tenant_id_ uuid, account_id_ uuid, platform_id_ text, trade_url_ text, external_id_ text, request_hash_ bytea, game_ text, currency_ ledger.currency, usd_per_eur_micros_ bigint, request_id_ uuid, at_ timestamp with time zone, external_ids_ text[], listing_ids_ bigint[], markets_ text[], raw_listing_ids_ text[], catalog_item_ids_ text[], descriptions_ jsonb[], sourcing_mills_ bigint[], prices_ bigint[], house_fees_ bigint[], merchant_fees_ bigint[], out trade_id uuid, out replayed boolean, out item_count smallint, out total bigint, out created_at timestamp with time zone) returns record;
create function buying.place_quick_buy(tenant_id_ uuid, account_id_ uuid, platform_id_ text, trade_url_ text, external_id_ text, request_hash_ bytea, game_ text, currency_ ledger.currency, usd_per_eur_micros_ bigint, request_id_ uuid, at_ timestamp with time zone, catalog_item_id_ text, ceiling_mills_ bigint, max_price_ bigint, delivery_ text, amount_ smallint, external_ids_ text[], house_fee_bps_ integer, merchant_fee_bps_ integer, is_last_try_ boolean, out trade_id uuid, out replayed boolean, out item_count smallint, out total bigint, out created_at timestamp with time zone) returns record;
create function buying.replace_listing(item_id_ uuid, failure_code_ text, detail_ text, at_ timestamp with time zone, is_last_try_ boolean) returns text;
create function buying.request_cancel(item_ids_ uuid[], at_ timestamp with time zone) returns void;

create schema catalog;

create sequence catalog.change_seq as bigint;

create table catalog.item (
  id text not null,  -- first 8 bytes of the SHA-256 of game:market_hash_name[:phase], hex
  game text not null,
  market_hash_name text not null,
  phase text,
  name text not null,
  type text not null,
  item_type text not null,
  weapon text,
  rarity text not null,
  rarity_color text not null,
  category text not null,
  collection text,
  exterior text,
  float_min double precision,
  float_max double precision,
  icon_url text not null,
  def_index integer not null,
  paint_index integer,
  reference_price_mills bigint not null,  -- thousandths of a US dollar
  volume integer not null,  -- sales a day on the markets, as the item source reports them
  own_sales integer default 0 not null,  -- items that the service itself sold in the last 30 days
  listed boolean default true not null,  -- false when the item source no longer names it; old trades still may
  changed_seq bigint not null,
  constraint item_pkey primary key (id),
  constraint item_named_once unique nulls not distinct (game, market_hash_name, phase),
  constraint item_float_range check ((float_min is null) = (float_max is null) and float_min <= float_max),
  constraint item_id_form check (id ~ '^[0-9a-f]{16}$'),
  constraint item_reference_price_not_negative check (reference_price_mills >= 0)
);
create index item_changed on catalog.item (changed_seq);

create table catalog.item_day (
  item_id text not null,
  day date not null,
  volume integer default 0 not null,  -- items that the service itself sold
  lowest_cents bigint not null,  -- US cents before fees; so are the others
  median_cents bigint not null,
  highest_cents bigint not null,
  seen_cents bigint[] default '{}'::bigint[] not null,  -- the prices of a day that is not over, for its median
  constraint item_day_pkey primary key (item_id, day),
  constraint item_day_in_order check (lowest_cents <= median_cents and median_cents <= highest_cents)
);
create index item_day_of_day on catalog.item_day (day);

create table catalog.listing (
  id bigint generated always as identity,
  market text not null,
  raw_id text not null,
  item_id text not null,
  price_mills bigint not null,  -- what the market asks, thousandths of a US dollar
  delivery text not null,
  wear_text text,
  wear double precision,
  paint_seed integer,
  sticker_count smallint not null,
  details jsonb not null,  -- what is only shown: ids of the asset, stickers, charm, inspect token
  live boolean not null,  -- the market offers it
  taken boolean default false not null,  -- an account of ours has bought it
  changed_at timestamp with time zone not null,  -- when its market last said something new of it
  changed_seq bigint not null,
  constraint listing_pkey primary key (id),
  constraint listing_of_market unique (market, raw_id),
  constraint listing_market foreign key (market) references catalog.market(id),
  constraint listing_delivery_known check (delivery = any (array['standard', 'instant'])),
  constraint listing_price_positive check (price_mills > 0)
) with (fillfactor=80, autovacuum_vacuum_scale_factor=0.05);
create index listing_of_item on catalog.listing (item_id, price_mills, id) where live;

create table catalog.listing_change (
  seq bigint not null,
  at timestamp with time zone not null,  -- rises with seq, whichever process wrote the row
  appeared bigint[] not null,  -- listings that were not for sale before: new, back, or given back
  changed bigint[] not null,  -- listings that have another price or other fields, or are gone
  market text,  -- set when a whole market went or came back
  constraint listing_change_pkey primary key (seq)
);

create table catalog.market (
  id text not null,
  enabled boolean default true not null,  -- the operator's switch
  online boolean default false not null,  -- what the health checks say
  detail text default '' not null,  -- what the last health check answered, for operators
  balance_mills bigint,  -- our own balance at the market, thousandths of a US dollar
  checked_at timestamp with time zone,
  snapshot_at timestamp with time zone,  -- when all its listings were last read
  changed_seq bigint default 0 not null,
  constraint market_pkey primary key (id),
  constraint market_id_form check (id ~ '^[a-z][a-z0-9_]{1,31}$')
);

create table catalog.observation (
  only_row boolean default true not null,
  observed_at timestamp with time zone,
  constraint observation_pkey primary key (only_row),
  constraint observation_only_row check (only_row)
);

create table catalog.sale_news (
  item_id text not null,
  price_cents bigint not null,  -- sourcing price in US cents, before fees
  sold_at timestamp with time zone not null,
  constraint sale_news_price_positive check (price_cents > 0)
);

create table catalog.stock (
  item_id text not null,
  market text not null,
  standard_mills bigint,  -- cheapest live listing with standard delivery, thousandths of a US dollar
  instant_mills bigint,  -- cheapest live listing with automatic delivery, thousandths of a US dollar
  standard_count integer not null,
  instant_count integer not null,
  changed_seq bigint not null,
  constraint stock_pkey primary key (item_id, market),
  constraint stock_counts_match_floors check ((standard_count > 0) = (standard_mills is not null) and (instant_count > 0) = (instant_mills is not null))
) with (fillfactor=80);
create index stock_changed on catalog.stock (changed_seq);

create table catalog.taken_news (
  listing_id bigint not null
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=2000);

create function catalog.begin_change() returns bigint;
create function catalog.description_of(item_ catalog.item, listing_ catalog.listing) returns jsonb;
create function catalog.median(prices bigint[]) returns bigint;
create function catalog.note_listing_change(seq_ bigint, at_ timestamp with time zone, appeared_ bigint[], changed_ bigint[], market_ text) returns void;
create function catalog.record_sale(item_id text, price_cents bigint, at timestamp with time zone) returns void;
create function catalog.release_listing(listing_id bigint) returns void;
create function catalog.take_cheapest(item_id_ text, ceiling_mills_ bigint, delivery_ text, amount_ integer, except_ bigint[], is_last_try_ boolean) returns table(id bigint, market text, raw_id text, price_mills bigint, description jsonb);
create function catalog.take_listing(listing_id bigint, expected_price_mills bigint) returns boolean;

create schema chains;

create sequence chains.address_index as integer;

create table chains.address (
  id uuid default uuidv7() not null,
  owner_id uuid not null,  -- an account; for a wallet of the service its own id
  purpose text not null,
  hd_index integer,  -- i of m/44'/60'/0'/0/i; null for a wallet of the service
  address text not null,  -- with the case of its checksum (EIP-55)
  lookup text generated always as (lower(address)) not null,
  created_at timestamp with time zone not null,
  constraint address_pkey primary key (id),
  constraint address_index_once unique (hd_index),
  constraint address_once unique (lookup),
  constraint address_one_for_a_purpose unique (owner_id, purpose),
  constraint address_form check (address ~ '^0x[0-9a-fA-F]{40}$'),
  constraint address_index_in_bounds check (hd_index >= 0),
  constraint address_of_owner_is_derived check ((hd_index is not null) = (purpose = any (array['deposit', 'payout_custody']))),
  constraint address_purpose_known check (purpose = any (array['deposit', 'payout_custody', 'hot_wallet', 'gas_station'])),
  constraint address_wallet_owns_itself check ((owner_id = id) = (purpose = any (array['hot_wallet', 'gas_station'])))
);
create trigger account_is_open before insert on chains.address for each row execute function identity.refuse_below_deleted('owner_id');
create trigger address_kept before delete or update or truncate on chains.address for each statement execute function chains.deny();

create table chains.block (
  chain text not null,
  number bigint not null,
  hash text not null,
  parent_hash text not null,
  scanned_at timestamp with time zone not null,
  constraint block_pkey primary key (chain, number),
  constraint block_chain foreign key (chain) references chains.chain(id)
);

create table chains.chain (
  id text not null,
  chain_id bigint not null,  -- EIP-155
  halted_reason text,
  halted_by text,
  halted_at timestamp with time zone,  -- since when nothing is scanned, credited or swept on it; null: it works
  constraint chain_pkey primary key (id),
  constraint chain_chain_id_key unique (chain_id),
  constraint chain_halted_for_a_reason check ((halted_at is null) = (halted_reason is null) and (halted_at is null) = (halted_by is null))
);

create table chains.cursor (
  chain text not null,
  number bigint not null,
  hash text not null,
  updated_at timestamp with time zone not null,
  untraced_number bigint,  -- the newest block that was scanned without its internal transfers: its node offered no traces; null: there is none
  constraint cursor_pkey primary key (chain),
  constraint cursor_chain foreign key (chain) references chains.chain(id)
) with (fillfactor=50);

create table chains.dust_batch (
  id uuid default uuidv7() not null,
  address_id uuid not null,
  chain text not null,
  token text not null,
  units numeric(78,0) not null,
  created_at timestamp with time zone not null,
  dissolved_at timestamp with time zone,  -- when one of its transfers had left the chain for good: the credit was taken back, and the others wait again
  constraint dust_batch_pkey primary key (id),
  constraint dust_batch_address foreign key (address_id) references chains.address(id),
  constraint dust_batch_units_positive check (units > 0::numeric)
);

-- what the small transfers of an address and token are together that are in the chain and in no batch; written by a trigger alone
create table chains.dust_sum (
  id uuid default uuidv7() not null,
  address_id uuid not null,
  chain text not null,
  token text not null,
  units numeric(78,0) not null,  -- base units
  constraint dust_sum_pkey primary key (id),
  constraint dust_sum_once unique (address_id, chain, token),
  constraint dust_sum_address foreign key (address_id) references chains.address(id),
  constraint dust_sum_not_negative check (units >= 0::numeric)
) with (fillfactor=50);

-- replaced by each comparison of a chain with the books
create table chains.holding (
  chain text not null,
  role text not null,  -- the account of custody that the addresses stand for
  token text not null,
  units numeric(78,0) not null,  -- base units
  block_number bigint not null,
  compared_at timestamp with time zone not null,
  constraint holding_pkey primary key (chain, role, token),
  constraint holding_chain foreign key (chain) references chains.chain(id),
  constraint holding_units_not_negative check (units >= 0::numeric)
);

create table chains.named_payment (
  chain text not null,
  address_id uuid not null,
  tx_hash text not null,
  named_at timestamp with time zone not null,
  constraint named_payment_pkey primary key (chain, address_id),
  constraint named_payment_address foreign key (address_id) references chains.address(id),
  constraint named_payment_chain foreign key (chain) references chains.chain(id),
  constraint named_payment_hash_form check (tx_hash ~ '^0x[0-9a-f]{64}$')
);

create table chains.own_payment (
  chain text not null,
  tx_hash text not null,
  kind text not null,
  ordinal text not null,
  address_id uuid not null,
  units numeric(78,0) not null,
  block_number bigint not null,
  constraint own_payment_pkey primary key (chain, tx_hash, kind, ordinal),
  constraint own_payment_address foreign key (address_id) references chains.address(id),
  constraint own_payment_chain foreign key (chain) references chains.chain(id),
  constraint own_payment_units_positive check (units > 0::numeric)
);
create index own_payment_address on chains.own_payment (address_id);

create table chains.sweep (
  id uuid not null,
  address_id uuid not null,
  chain text not null,
  token text not null,
  units numeric(78,0) not null,  -- base units that go to the target
  gas_units numeric(78,0) not null,  -- wei that the gas station sends first; 0: the address has enough
  target text not null,
  target_role text not null,
  state text not null,  -- gas_sent: the gas is under way; sweep_sent: the tokens are; swept: they have arrived; failed: its transfers are swept by another one
  detail text,
  began_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  constraint sweep_pkey primary key (id),
  constraint sweep_address foreign key (address_id) references chains.address(id),
  constraint sweep_chain foreign key (chain) references chains.chain(id),
  constraint sweep_ended check ((state = any (array['swept', 'failed'])) = (ended_at is not null)),
  constraint sweep_state_known check (state = any (array['gas_sent', 'sweep_sent', 'swept', 'failed'])),
  constraint sweep_target_role_known check (target_role = any (array['treasury', 'hot_wallet'])),
  constraint sweep_units_positive check (units > 0::numeric and gas_units >= 0::numeric)
) with (fillfactor=80);
create index sweep_gas_low on chains.sweep (address_id, chain, ended_at) where ((state = 'failed') and (detail = 'gas_low'));
create unique index sweep_one_open on chains.sweep (address_id, chain) where (state = any (array['gas_sent', 'sweep_sent']));

create table chains.token (
  chain text not null,
  contract text not null,  -- lower case; 0xeeee… stands for the native coin
  symbol text not null,
  decimals smallint not null,
  is_accepted boolean not null,
  constraint token_pkey primary key (chain, contract),
  constraint token_chain foreign key (chain) references chains.chain(id),
  constraint token_contract_form check (contract ~ '^0x[0-9a-f]{40}$'),
  constraint token_decimals_in_bounds check (decimals >= 0 and decimals <= 36),
  constraint token_symbol_form check (symbol ~ '^[A-Z0-9]{2,12}$')
);
create unique index token_accepted_once on chains.token (chain, symbol) where is_accepted;

-- a movement to one of our addresses. Content that differs at the same place after a re-organisation is another transfer; the first one then stays orphaned
create table chains.transfer (
  id uuid default uuidv7() not null,
  chain text not null,
  tx_hash text not null,
  kind text not null,
  ordinal text not null,  -- erc20: position among the Transfer logs of its transaction; internal: path in the tree of calls, or balance:<address> where it was found by the balance of the address; native: 0
  contract text not null,
  token text not null,
  decimals smallint not null,
  sender text not null,
  recipient text not null,
  address_id uuid not null,
  owner_id uuid not null,
  purpose text not null,
  units numeric(78,0) not null,  -- base units of the token on this chain
  block_number bigint not null,
  block_hash text not null,
  orphaned_at timestamp with time zone,  -- since when its block is not part of the chain; null: it is
  state text default 'pending' not null,  -- pending: not decided; credited: booked once; dust: below the minimum, waits for more; gone: its block was replaced and it did not come back; reversed: the same after it was booked
  usd_e8 bigint,  -- US dollars of one token in 1e-8, at which it was credited
  rate_sources text[],
  dust_batch_id uuid,
  sweep_id uuid,
  first_seen_at timestamp with time zone not null,
  due_at timestamp with time zone not null,
  settled_at timestamp with time zone,
  constraint transfer_pkey primary key (id),
  constraint transfer_identity unique (tx_hash, chain, kind, ordinal, contract, recipient, units),
  constraint transfer_address foreign key (address_id) references chains.address(id),
  constraint transfer_chain foreign key (chain) references chains.chain(id),
  constraint transfer_dust_batch foreign key (dust_batch_id) references chains.dust_batch(id),
  constraint transfer_sweep foreign key (sweep_id) references chains.sweep(id),
  constraint transfer_batched_is_credited check (dust_batch_id is null or (state = any (array['credited', 'reversed']))),
  constraint transfer_gone_is_orphaned check ((state <> all (array['gone', 'reversed'])) or orphaned_at is not null),
  constraint transfer_kind_known check (kind = any (array['erc20', 'native', 'internal'])),
  constraint transfer_rate_with_sources check ((usd_e8 is null) = (rate_sources is null)),
  constraint transfer_settled_at check ((state = 'pending') = (settled_at is null)),
  constraint transfer_state_known check (state = any (array['pending', 'credited', 'dust', 'gone', 'reversed'])),
  constraint transfer_units_positive check (units > 0::numeric)
) with (fillfactor=70);
create index transfer_due_of_owner on chains.transfer (chain, owner_id, due_at, id) where ((state = 'pending') and (orphaned_at is null));
create index transfer_dust on chains.transfer (address_id, chain, token, units) where ((state = 'dust') and (orphaned_at is null));
create index transfer_in_block on chains.transfer (chain, block_number) where (orphaned_at is null);
create index transfer_of_address on chains.transfer (address_id, chain);
create index transfer_of_batch on chains.transfer (dust_batch_id) where (dust_batch_id is not null);
create index transfer_of_sweep on chains.transfer (sweep_id) where (sweep_id is not null);
create index transfer_orphaned on chains.transfer (chain, orphaned_at) where ((orphaned_at is not null) and (state = any (array['pending', 'credited', 'dust'])));
create index transfer_unswept on chains.transfer (chain, token, address_id) where ((sweep_id is null) and (state = any (array['credited', 'dust'])) and (orphaned_at is null) and (purpose = any (array['deposit', 'payout_custody'])));
create unique index transfer_canonical_once on chains.transfer (chain, tx_hash, kind, ordinal) where (orphaned_at is null);
create trigger transfer_guard before delete or update on chains.transfer for each row execute function chains.transfer_guard();
create trigger transfer_sum_dust after update on chains.transfer referencing old table as old_transfer new table as new_transfer for each statement execute function chains.sum_dust();

create table chains.unsupported (
  chain text not null,
  contract text not null,
  address_id uuid not null,
  transfer_id uuid default uuidv7() not null,  -- under which its one event was emitted, where the token is known by name
  first_tx_hash text not null,
  last_tx_hash text not null,
  seen bigint default 1 not null,  -- transfers, those of replaced blocks included
  first_seen_at timestamp with time zone not null,
  last_seen_at timestamp with time zone not null,
  constraint unsupported_pkey primary key (chain, contract, address_id),
  constraint unsupported_address foreign key (address_id) references chains.address(id)
) with (fillfactor=80);

create function chains.audit() returns table(invariant text, detail text);
create function chains.audit_batches(after_ uuid, up_to_ uuid) returns table(invariant text, detail text);
create function chains.audit_dust(after_ uuid, up_to_ uuid) returns table(invariant text, detail text);
create function chains.audit_sweeps(after_ uuid, up_to_ uuid) returns table(invariant text, detail text);
create function chains.audit_transfers(after_ uuid, up_to_ uuid) returns table(invariant text, detail text);
create function chains.collect_dust(address_id_ uuid, chain_ text, token_ text, least_units_ numeric, limit_ integer, at_ timestamp with time zone, usd_e8_ bigint, rate_sources_ text[]) returns setof chains.dust_batch;
create function chains.deny() returns trigger;
create function chains.list_due(chain_ text, at_ timestamp with time zone, after_ uuid, limit_ integer) returns table(ids uuid[], next_owner uuid);
create function chains.sum_dust() returns trigger;
create function chains.transfer_guard() returns trigger;

create schema custody;

create table custody.account (
  id bigint generated always as identity,
  role text not null,
  owner_id uuid,
  chain text not null,
  token text not null,  -- symbol, unique on a chain; NATIVE for the coin of the chain
  is_tracked boolean not null,
  is_owned boolean generated always as ((owner_id is not null)),
  created_at timestamp with time zone default now() not null,
  constraint account_pkey primary key (id),
  constraint account_once unique nulls not distinct (role, owner_id, chain, token),
  constraint account_has_traits_of_its_role foreign key (role, is_tracked, is_owned) references custody.role(name, is_tracked, is_owned),
  constraint account_chain_form check (chain ~ '^[a-z][a-z0-9-]{1,31}$'),
  constraint account_token_form check (token ~ '^[A-Z0-9]{2,12}$')
);
create index account_of_owner on custody.account (owner_id) where (owner_id is not null);
create index account_owed on custody.account (chain, token) where is_tracked;
create trigger account_append_only before delete or update or truncate on custody.account for each statement execute function custody.deny();

create table custody.balance (
  account_id bigint not null,
  units numeric(78,0) default 0 not null,  -- base units on the normal side of the account
  seq bigint default 0 not null,  -- number of postings on this account, gapless
  constraint balance_pkey primary key (account_id),
  constraint balance_account foreign key (account_id) references custody.account(id),
  constraint no_overdraft check (units >= 0::numeric)
) with (fillfactor=50);
create trigger balance_guard before insert or update on custody.balance for each row execute function custody.balance_guard();
create trigger balance_kept before delete or truncate on custody.balance for each statement execute function custody.deny();

create table custody.closing (
  id bigint generated always as identity,
  account_id bigint not null,
  posting_id bigint not null,  -- the last posting that is in it: all of the account with this id or a lesser one are
  units numeric(78,0) not null,  -- base units on the normal side of the account; written by the trigger only
  closed_at timestamp with time zone default now() not null,
  constraint closing_pkey primary key (id),
  constraint closing_once unique (account_id, posting_id),
  constraint closing_account foreign key (account_id) references custody.account(id),
  constraint closing_posting foreign key (posting_id) references custody.posting(id)
);
create trigger closing_append_only before delete or update or truncate on custody.closing for each statement execute function custody.deny();
create trigger closing_apply before insert on custody.closing for each row execute function custody.closing_apply();

create table custody.posting (
  id bigint generated always as identity,
  debit_account_id bigint not null,
  credit_account_id bigint not null,
  units numeric(78,0) not null,  -- base units
  reason text not null,
  ref_id uuid,  -- what the posting is about: a transfer, a withdrawal, a transaction
  idempotency_key text not null,  -- <what>:<id of what>[:<part>]
  debit_seq bigint,
  debit_after numeric(78,0),  -- balance after this posting; written by the trigger only
  credit_seq bigint,
  credit_after numeric(78,0),
  created_at timestamp with time zone not null,
  constraint posting_pkey primary key (id),
  constraint posting_once unique (idempotency_key),
  constraint posting_credit_account foreign key (credit_account_id) references custody.account(id),
  constraint posting_debit_account foreign key (debit_account_id) references custody.account(id),
  constraint posting_key_form check (idempotency_key ~ '^[a-z_]+:.{1,200}$'),
  constraint posting_reason_form check (reason ~ '^[a-z_]{3,40}$'),
  constraint posting_two_accounts check (debit_account_id <> credit_account_id),
  constraint posting_units_positive check (units > 0::numeric)
);
create index posting_open_credit on custody.posting (credit_account_id, id) include (units) where (credit_seq is null);
create index posting_open_debit on custody.posting (debit_account_id, id) include (units) where (debit_seq is null);
create index posting_ref on custody.posting (ref_id) where (ref_id is not null);
create unique index posting_credit on custody.posting (credit_account_id, credit_seq) where (credit_seq is not null);
create unique index posting_debit on custody.posting (debit_account_id, debit_seq) where (debit_seq is not null);
create trigger posting_append_only before delete or update or truncate on custody.posting for each statement execute function custody.deny();
create trigger posting_apply before insert on custody.posting for each row execute function custody.posting_apply();

create table custody.role (
  name text not null,
  normal_side text not null,
  is_tracked boolean not null,  -- has a balance row, which every posting locks and which is never negative; the others are summed
  is_owned boolean not null,
  constraint role_pkey primary key (name),
  constraint role_traits unique (name, is_tracked, is_owned),
  constraint role_normal_side_known check (normal_side = any (array['debit', 'credit']))
);
create trigger role_append_only before delete or update or truncate on custody.role for each statement execute function custody.deny();

create function custody.audit() returns table(invariant text, detail text);
create function custody.audit_balances(after_ bigint, up_to_ bigint) returns table(invariant text, detail text);
create function custody.audit_closings(after_ bigint, up_to_ bigint) returns table(invariant text, detail text);
create function custody.audit_postings(after_ bigint, up_to_ bigint) returns table(invariant text, detail text);
create function custody.balance_guard() returns trigger;
create function custody.balance_of(role_ text, owner_id_ uuid, chain_ text, token_ text) returns numeric;
create function custody.balances(owner_id_ uuid) returns table(role text, chain text, token text, units numeric);
create function custody.closing_apply() returns trigger;
create function custody.credited_role(key_ text) returns text;
create function custody.deny() returns trigger;
create function custody.open_account(role_ text, owner_id_ uuid, chain_ text, token_ text) returns bigint;
create function custody.owed() returns table(role text, chain text, token text, units numeric);
create function custody.own_funds(chain_ text, tokens_ text[]) returns table(token text, units numeric);
create function custody.post(keys_ text[], reasons_ text[], ref_ids_ uuid[], chains_ text[], tokens_ text[], debit_roles_ text[], debit_owners_ uuid[], credit_roles_ text[], credit_owners_ uuid[], units_ numeric[], at_ timestamp with time zone) returns integer;
create function custody.posted(key_ text) returns numeric;
create function custody.posting_apply() returns trigger;
create function custody.summed(account_id_ bigint, after_ bigint, up_to_ bigint) returns numeric;

create schema deposits;

create type deposits.status as enum ('initiated', 'pending', 'completed', 'partial', 'expired', 'cancelled', 'refunded', 'failed');

create table deposits.credit (
  id uuid default uuidv7() not null,
  deposit_id uuid not null,
  provider text not null,
  settlement_ref text not null,
  amount_token numeric(57,18) not null,
  value_usd numeric(75,36) not null,  -- US dollars, exact: what the provider converted it into, else tokens by rate
  rate_sources jsonb default '[]'::jsonb not null,  -- where the rate is from
  net_usd bigint not null,  -- US cents for the wallet, fee_usd for the provider: together the value, rounded down once for the deposit
  fee_usd bigint not null,
  usd_per_eur_micros bigint,
  wallet_amount bigint not null,  -- cents of the wallet's currency at usd_per_eur_micros, rounded down
  debt_repaid bigint default 0 not null,  -- the part of wallet_amount that repaid what the owner owed
  is_unclaimed boolean default false not null,  -- its account was deleted: the amount is in the account unclaimed_deposits
  journal_id uuid,
  created_at timestamp with time zone not null,
  constraint credit_pkey primary key (id),
  constraint credit_once unique (provider, settlement_ref),
  constraint credit_deposit foreign key (deposit_id) references deposits.deposit(id),
  constraint credit_amounts check (amount_token > 0::numeric and value_usd > 0::numeric and net_usd >= 0 and fee_usd >= 0 and wallet_amount >= 0 and debt_repaid >= 0 and debt_repaid <= wallet_amount),
  constraint credit_is_posted check ((journal_id is null) = ((net_usd + fee_usd) = 0))
);
create index credit_of_deposit on deposits.credit (deposit_id);
create index credit_of_payment on deposits.credit (lower(split_part(split_part(settlement_ref, '/', 2), '#', 1))) where (provider = 'gateway');
create index credit_recent on deposits.credit (provider, created_at);
create trigger credit_append_only before delete or update or truncate on deposits.credit for each statement execute function ledger.deny();

create table deposits.deposit (
  id uuid default uuidv7() not null,
  method text not null,
  tenant_id uuid not null,  -- the merchant or partner that the account belongs to: its events, its lists
  account_id uuid not null,
  status deposits.status default 'initiated'::deposits.status not null,
  substate text,  -- what its provider says in more detail, beside the status
  reason text,
  currency ledger.currency not null,
  token text,
  chain text,
  quote_id uuid,  -- the quote that it was created from: a quote is used once
  transfer_id uuid,  -- of a chain deposit: the transfer, as the scanner names it
  pay_amount numeric(57,18),  -- tokens, or units of the pay currency of a card, that were asked for
  pay_usd bigint,  -- US cents that the asked amount is worth at the quoted rate, fee included
  receive_usd bigint,  -- US cents that the quote promised after the fee
  receive_amount bigint,  -- the same in cents of the wallet, at the rate of the moment of the quote
  usd_per_token numeric(57,18),  -- US dollars for one token or one unit of the pay currency, as quoted or, of a chain deposit, at the credit
  fee_bps integer default 0 not null,
  received_amount numeric(57,18) default 0 not null,  -- tokens: settled payments, or the transfer
  credited bigint default 0 not null,  -- cents of the wallet's currency, after the fee; the sum of its credits
  credited_usd bigint default 0 not null,  -- the same in US cents
  fee_usd bigint default 0 not null,  -- US cents withheld for the provider; the sum of its credits
  reversed bigint default 0 not null,  -- cents of the wallet's currency that were taken back
  address text,
  tx_hash text,
  confirmations integer,
  expires_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  completed_at timestamp with time zone,
  seen_amount numeric(57,18) default 0 not null,  -- tokens that its provider reports as settled while the order still runs; nothing is credited by it
  is_listed boolean default true not null,  -- false: its maker was not answered, and no money has come; no list has it and no event names it
  constraint deposit_pkey primary key (id),
  constraint deposit_quote_once unique (quote_id),
  constraint deposit_transfer_once unique (transfer_id),
  constraint deposit_amounts_not_negative check (credited >= 0 and credited_usd >= 0 and fee_usd >= 0 and received_amount >= 0::numeric and pay_amount > 0::numeric and pay_usd > 0 and receive_usd > 0 and receive_amount >= 0),
  constraint deposit_fee_in_range check (fee_bps >= 0 and fee_bps <= 10000),
  constraint deposit_has_its_source check ((method = 'crypto') = (transfer_id is not null) and (method = 'crypto') = (quote_id is null)),
  constraint deposit_method_known check (method = any (array['gateway', 'onramp', 'crypto'])),
  constraint deposit_reverses_at_most_its_credit check (reversed >= 0 and reversed <= credited),
  constraint deposit_seen_not_negative check (seen_amount >= 0::numeric),
  constraint deposit_substate_known check (substate = any (array['processing', 'conversion_delay', 'exchange_failed', 'refund_rejected']))
) with (fillfactor=70);
create index deposit_of_account on deposits.deposit (account_id, id);
create index deposit_of_tenant on deposits.deposit (tenant_id, id);

create table deposits.held_payment (
  id uuid default uuidv7() not null,
  deposit_id uuid not null,
  provider text not null,
  settlement_ref text not null,
  amount_token numeric(57,18),
  value_usd numeric(75,36),  -- US dollars, exact, as an operator sees it and as it is credited; null when it cannot be valued
  problem text not null,
  state text default 'held' not null,
  held_at timestamp with time zone not null,
  decided_by text,
  decided_at timestamp with time zone,
  decision_reason text,
  constraint held_payment_pkey primary key (id),
  constraint held_payment_once unique (provider, settlement_ref),
  constraint held_payment_deposit foreign key (deposit_id) references deposits.deposit(id),
  constraint held_payment_decided_for_a_reason check ((state = 'held') = (decided_by is null) and (state = 'held') = (decided_at is null) and (state = 'held') = (coalesce(decision_reason, '') = '')),
  constraint held_payment_release_has_value check (state <> 'released' or coalesce(amount_token, 0::numeric) > 0::numeric and coalesce(value_usd, 0::numeric) > 0::numeric),
  constraint held_payment_state_known check (state = any (array['held', 'released', 'refused']))
);
create index held_payment_of_deposit on deposits.held_payment (deposit_id);
create index held_payment_of_payment on deposits.held_payment (lower(split_part(split_part(settlement_ref, '/', 2), '#', 1))) where (provider = 'gateway');
create index held_payment_waiting on deposits.held_payment (id) where (state = 'held');

create table deposits.provider_order (
  deposit_id uuid not null,
  account_id uuid not null,  -- the account of its deposit: commits for several orders take their locks by account
  provider text not null,
  state text default 'creating' not null,  -- creating: the call is out, or its answer was lost; only look-ups follow
  provider_order_id text,
  details jsonb default '{}'::jsonb not null,  -- what the payer needs: where to pay, links; no money
  asked_at timestamp with time zone not null,
  misses integer default 0 not null,  -- look-ups in a row that reported it absent
  due_at timestamp with time zone,  -- when it is looked at next; null: never again
  leased_until timestamp with time zone,  -- the lease of who looks; in no index, so that a claim rewrites the row in its page
  constraint provider_order_pkey primary key (deposit_id),
  constraint provider_order_once unique (provider, provider_order_id),
  constraint provider_order_deposit foreign key (deposit_id) references deposits.deposit(id),
  constraint provider_order_provider_known check (provider = any (array['gateway', 'onramp'])),
  constraint provider_order_state_known check (state = any (array['creating', 'placed', 'refused', 'absent']))
) with (fillfactor=70);
create index provider_order_due on deposits.provider_order (provider, due_at) where (due_at is not null);
create index provider_order_paid_to on deposits.provider_order (lower((details ->> 'address'))) where (details ? 'address');

create table deposits.reversal (
  id uuid default uuidv7() not null,
  deposit_id uuid not null,
  provider text not null,
  refund_ref text not null,
  amount_token numeric(57,18) not null,
  wallet_amount bigint not null,
  owed bigint not null,  -- the part of wallet_amount, cents, that the wallet did not cover: a debt of the owner
  net_usd bigint not null,
  fee_usd bigint not null,
  journal_id uuid,
  created_at timestamp with time zone not null,
  constraint reversal_pkey primary key (id),
  constraint reversal_once unique (provider, refund_ref),
  constraint reversal_deposit foreign key (deposit_id) references deposits.deposit(id),
  constraint reversal_amounts check (amount_token > 0::numeric and wallet_amount >= 0 and owed >= 0 and owed <= wallet_amount and net_usd >= 0 and fee_usd >= 0),
  constraint reversal_is_posted check ((journal_id is null) = ((net_usd + fee_usd + wallet_amount) = 0))
);
create index reversal_of_deposit on deposits.reversal (deposit_id);
create index reversal_recent on deposits.reversal (provider, created_at);
create trigger reversal_append_only before delete or update or truncate on deposits.reversal for each statement execute function ledger.deny();

create table deposits.statement_check (
  provider text not null,
  compared_until timestamp with time zone not null,
  constraint statement_check_pkey primary key (provider)
);

create table deposits.statement_difference (
  provider text not null,
  kind text not null,
  ref text not null,
  problem text not null,
  deposit_id uuid,
  at timestamp with time zone not null,  -- the next statement begins before this moment
  facts jsonb not null,
  sightings integer default 1 not null,
  first_seen_at timestamp with time zone not null,
  explained_at timestamp with time zone,
  explained_by text,
  constraint statement_difference_pkey primary key (provider, kind, ref),
  constraint statement_difference_explained_by_someone check ((explained_at is null) = (explained_by is null)),
  constraint statement_difference_kind_known check (kind = any (array['payment', 'refund'])),
  constraint statement_difference_problem_known check (problem = any (array['missing in books', 'amount differs', 'missing at provider']))
);

create table deposits.transition (
  from_status deposits.status not null,
  to_status deposits.status not null,
  constraint transition_pkey primary key (from_status, to_status)
);

create function deposits.apply_reads(reads_ jsonb, credits_ jsonb, reversals_ jsonb) returns table(applied boolean, is_unclaimed boolean, owed bigint);
create function deposits.audit(after_ uuid, up_to_ uuid) returns table(invariant text, detail text);
create function deposits.begin_listing(deposit_ids_ uuid[]) returns void;
create function deposits.check_steps(steps_ deposits.step[]) returns void;
create function deposits.claim_orders(provider_ text, at_ timestamp with time zone, lease_until_ timestamp with time zone, limit_ integer) returns setof deposits.provider_order;
create function deposits.clearing_of(method_ text) returns text;
create function deposits.create_deposits(deposits_ jsonb) returns setof uuid;
create function deposits.credit_legs(credits_ deposits.crediting[], repaid_ bigint[]) returns ledger.leg[];
create function deposits.credit_payment(deposit_id_ uuid, provider_ text, settlement_ref_ text, amount_token_ numeric, value_usd_ numeric, rate_sources_ jsonb, net_usd_ bigint, fee_usd_ bigint, usd_per_eur_micros_ bigint, at_ timestamp with time zone, out credited boolean, out wallet_amount bigint, out is_unclaimed boolean) returns record;
create function deposits.decide_held(id_ uuid, state_ text, by_ text, reason_ text, at_ timestamp with time zone) returns boolean;
create function deposits.emit_steps(steps_ deposits.step[]) returns void;
create function deposits.hold_payment(deposit_id_ uuid, provider_ text, settlement_ref_ text, amount_token_ numeric, value_usd_ numeric, problem_ text, at_ timestamp with time zone) returns void;
create function deposits.is_listed(deposit_id_ uuid) returns boolean;
create function deposits.lock_orders(deposit_ids_ uuid[]) returns void;
create function deposits.make_due(providers_ text[], deposit_ids_ uuid[], provider_order_ids_ text[], at_ timestamp with time zone) returns setof integer;
create function deposits.move(deposit_id_ uuid, to_ deposits.status, reason_ text, substate_ text, at_ timestamp with time zone) returns boolean;
create function deposits.place_orders(orders_ jsonb, is_found_again_ boolean) returns table(deposit deposits.deposit, details jsonb);
create function deposits.record_transfer(transfer_id_ uuid, account_id_ uuid, chain_ text, token_ text, amount_token_ numeric, address_ text, tx_hash_ text, at_ timestamp with time zone) returns uuid;
create function deposits.recover_debts(account_id_ uuid, before_ timestamp with time zone, at_ timestamp with time zone) returns bigint;
create function deposits.recoverable_debts(before_ timestamp with time zone, limit_ integer) returns setof uuid;
create function deposits.reverse_payment(deposit_id_ uuid, provider_ text, refund_ref_ text, amount_token_ numeric, to_ deposits.status, reason_ text, at_ timestamp with time zone, out reversed boolean, out wallet_amount bigint, out owed bigint) returns record;
create function deposits.schedule_look(deposit_id_ uuid, lease_until_ timestamp with time zone, due_at_ timestamp with time zone, misses_ integer) returns void;
create function deposits.statement_window(provider_ text, until_ timestamp with time zone, out statement_from timestamp with time zone, out books_from timestamp with time zone) returns record;
create function deposits.take_credits(credits_ deposits.crediting[]) returns deposits.crediting[];
create function deposits.take_reversal(inout deposit_ deposits.deposit, provider_ text, refund_ref_ text, amount_token_ numeric, to_ deposits.status, reason_ text, at_ timestamp with time zone, out reversed boolean, out wallet_amount bigint, out owed bigint) returns record;
create function deposits.take_step(deposit_ deposits.deposit, to_ deposits.status, reason_ text, substate_ text, at_ timestamp with time zone, emits_ boolean) returns deposits.deposit;
create function deposits.write(deposit_ deposits.deposit) returns void;

create schema fx;

create table fx.position (
  tenant_id uuid not null,
  euros bigint not null,  -- cents of euros by funds and defunds; negative: what they took
  constraint position_pkey primary key (tenant_id)
);

create table fx.rate (
  as_of date not null,
  usd_per_eur_micros bigint not null,  -- US dollars for one euro, in millionths
  fetched_at timestamp with time zone not null,
  constraint rate_pkey primary key (as_of),
  constraint rate_plausible check (usd_per_eur_micros >= 500000 and usd_per_eur_micros <= 2000000)
);

create function fx.usd_per_eur_at(at_ timestamp with time zone) returns bigint;

create schema identity;

create table identity.account (
  id uuid not null,
  kind text not null,
  parent_id uuid,  -- the merchant of a sub-user, the partner of a child
  status text default 'active' not null,
  currency text not null,
  email text,
  name text,
  description text,  -- of a child: what its partner noted of it
  external_id text collate "C",  -- a merchant's reference of a sub-user; of a child, the SHA-256 of its lower-cased e-mail address, so that the address stays known when it has been erased
  platform_id text collate "C",  -- the linked platform account, 64-bit id; set by the merchant or by the first trade URL
  country text,
  tier text default 'standard' not null,
  fee_bps integer,  -- house fee on its own buys, basis points; null: of a sub-user the merchant's childDefaultFeeBps, of a child its partner's fee_bps, else the global default
  buy_fee_bps integer,  -- a merchant's cut on its sub-users' buys, or a partner's on its children's, basis points; null of a partner: none
  sell_fee_bps integer,  -- a merchant's cut on its sub-users' sells, basis points
  child_default_fee_bps integer,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  deleted_at timestamp with time zone,
  recovers_debts boolean default false not null,  -- what its sub-users or children owe for deposits is taken from its spot wallet after a day
  constraint account_pkey primary key (id),
  constraint account_external_id_once unique (parent_id, external_id),
  constraint account_parent foreign key (parent_id) references identity.account(id),
  constraint account_currency_known check (currency = any (array['USD', 'EUR'])),
  constraint account_deleted_at_known check ((status = 'deleted') = (deleted_at is not null)),
  constraint account_external_id_is_a_childs check (external_id is null or parent_id is not null),
  constraint account_external_id_length check (length(external_id) >= 1 and length(external_id) <= 128),
  constraint account_fees_in_range check (fee_bps >= 0 and fee_bps <= 10000 and buy_fee_bps >= 0 and buy_fee_bps <= 10000 and sell_fee_bps >= 0 and sell_fee_bps <= 10000 and child_default_fee_bps >= 0 and child_default_fee_bps <= 10000),
  constraint account_kind_known check (kind = any (array['merchant', 'sub_user', 'partner', 'child', 'admin'])),
  constraint account_kind_says_parent check ((kind = any (array['sub_user', 'child'])) = (parent_id is not null)),
  constraint account_merchant_has_fees check (kind <> 'merchant' or fee_bps is not null and buy_fee_bps is not null and sell_fee_bps is not null),
  constraint account_partner_is_usd check (currency = 'USD' or (kind = any (array['merchant', 'sub_user']))),
  constraint account_platform_id_form check (platform_id ~ '^7656[0-9]{13}$'),
  constraint account_principal_has_email check ((kind <> all (array['merchant', 'partner', 'admin'])) or email is not null),
  constraint account_status_known check (status = any (array['active', 'suspended', 'deleted'])),
  constraint account_tier_known check (tier = any (array['standard', 'premium', 'enterprise'])),
  constraint account_with_users_recovers check (not recovers_debts or (kind = any (array['merchant', 'partner'])))
);
create index account_children on identity.account (parent_id, id) where (parent_id is not null);
create index account_children_email on identity.account (parent_id, lower(email) collate "C") where (parent_id is not null);
create index account_children_platform_id on identity.account (parent_id, platform_id) where (parent_id is not null);
create index account_listed on identity.account (id) where (kind = any (array['merchant', 'partner', 'child']));
create unique index account_login on identity.account (lower(email)) where (kind = any (array['merchant', 'partner', 'admin']));
create trigger account_changed after update of status, tier, currency, fee_bps on identity.account for each row when (((new.kind <> 'sub_user') and ((((new.status is distinct from old.status) or (new.tier is distinct from old.tier)) or (new.currency is distinct from old.currency)) or (new.fee_bps is distinct from old.fee_bps)))) execute function identity.notify_account_changed();
create trigger account_standing_changed after update of status, fee_bps, buy_fee_bps, child_default_fee_bps, currency on identity.account for each row when ((((((new.status is distinct from old.status) or (new.fee_bps is distinct from old.fee_bps)) or (new.buy_fee_bps is distinct from old.buy_fee_bps)) or (new.child_default_fee_bps is distinct from old.child_default_fee_bps)) or (new.currency is distinct from old.currency))) execute function identity.notify_standing_changed();
create trigger parent_is_open before insert on identity.account for each row execute function identity.refuse_below_deleted('parent_id');

create table identity.api_key (
  id uuid not null,
  account_id uuid not null,
  kind text not null,
  name text not null,
  hash bytea not null,  -- SHA-256 of the whole key; the key itself is kept nowhere
  prefix text not null,
  last4 text not null,
  allowlist cidr[] default '{}'::cidr[] not null,  -- networks that may use it; empty: any
  status text default 'active' not null,
  valid_until timestamp with time zone,  -- the end of the overlap while rotating, or a chosen expiry
  created_at timestamp with time zone not null,
  revoked_at timestamp with time zone,
  last_used_at timestamp with time zone,  -- to the minute
  constraint api_key_pkey primary key (id),
  constraint api_key_hash_once unique (hash),
  constraint api_key_account foreign key (account_id) references identity.account(id),
  constraint api_key_hash_is_sha256 check (length(hash) = 32),
  constraint api_key_kind_known check (kind = any (array['merchant', 'partner', 'child'])),
  constraint api_key_revoked_at_known check ((status = 'revoked') = (revoked_at is not null)),
  constraint api_key_rotating_ends check (status <> 'rotating' or valid_until is not null),
  constraint api_key_status_known check (status = any (array['active', 'rotating', 'revoked']))
);
create index api_key_of_account on identity.api_key (account_id);
create trigger account_is_open before insert on identity.api_key for each row execute function identity.refuse_below_deleted('account_id');
create trigger api_key_changed after update of status, allowlist, valid_until on identity.api_key for each row when ((((new.status is distinct from old.status) or (new.allowlist is distinct from old.allowlist)) or (new.valid_until is distinct from old.valid_until))) execute function identity.notify_key_changed();

create table identity.trade_url (
  id uuid not null,
  account_id uuid not null,
  partner bigint not null,
  token text not null,
  platform_id text not null,
  url text not null,
  persona_name text not null,
  avatar_url text not null,
  profile_url text not null,
  is_primary boolean not null,
  created_at timestamp with time zone not null,
  constraint trade_url_pkey primary key (id),
  constraint trade_url_once unique (account_id, partner, token),
  constraint trade_url_account foreign key (account_id) references identity.account(id),
  constraint trade_url_names_its_platform_account check (platform_id = ((partner + '76561197960265728'::bigint)::text)),
  constraint trade_url_partner_is_32_bit check (partner >= 1 and partner <= '4294967295'::bigint),
  constraint trade_url_token_form check (token ~ '^[A-Za-z0-9_-]{8}$')
);
create unique index trade_url_one_primary on identity.trade_url (account_id) where is_primary;
create trigger account_is_open before insert on identity.trade_url for each row execute function identity.refuse_below_deleted('account_id');

create function identity.deleted_accounts() returns setof uuid;
create function identity.external_id_of(account_id_ uuid) returns text;
create function identity.is_child(account_id_ uuid) returns boolean;
create function identity.lock_active_account(account_id_ uuid) returns void;
create function identity.lock_owners(account_ids_ uuid[]) returns table(account_id uuid, tenant_id uuid, currency text, status text);
create function identity.merchant_of(account_id_ uuid) returns uuid;
create function identity.notify_account_changed() returns trigger;
create function identity.notify_key_changed() returns trigger;
create function identity.notify_standing_changed() returns trigger;
create function identity.payer_of_debts(account_id_ uuid) returns uuid;
create function identity.refuse_below_deleted() returns trigger;
create function identity.tier_of(account_id_ uuid) returns text;

create schema infra;

create table infra.heartbeat (
  job text not null,
  process_id text not null,
  started_at timestamp with time zone not null,
  beat_at timestamp with time zone not null,
  succeeded_at timestamp with time zone,  -- end of the last run that did not fail
  error text,  -- of the last run; null when it went well
  constraint heartbeat_pkey primary key (job, process_id)
);

create table infra.lease (
  name text not null,
  holder text not null,  -- id of the process that runs the job
  until timestamp with time zone not null,  -- after this moment anyone may take it
  constraint lease_pkey primary key (name)
);

create table infra.migration (
  name text not null,
  sha256 text not null,
  applied_at timestamp with time zone default now() not null,
  constraint migration_pkey primary key (name)
);

create table infra.rate_slot (
  name text not null,
  next_at timestamp with time zone not null,  -- the first moment that is not given away
  constraint rate_slot_pkey primary key (name)
);

create table infra.recovery_mark (
  token uuid not null,  -- a process keeps its last few here, and the last one in its data folder
  at timestamp with time zone not null,
  constraint recovery_mark_pkey primary key (token)
);

create table infra.setting (
  name text not null,
  value jsonb not null,
  constraint setting_pkey primary key (name)
);

create schema ledger;

create type ledger.currency as enum ('USD', 'EUR');
create sequence ledger.account_id as bigint;
create sequence ledger.house_account_id as bigint increment -1;

create table ledger.account (
  id bigint not null,
  public_id uuid default uuidv7() not null,
  kind text not null,
  owner_id uuid,
  currency ledger.currency not null,
  is_tracked boolean generated always as ((id > 0)),
  is_owned boolean generated always as ((owner_id is not null)),
  created_at timestamp with time zone default now() not null,
  constraint account_pkey primary key (id),
  constraint account_public_id_key unique (public_id),
  constraint account_has_traits_of_its_kind foreign key (kind, is_tracked, is_owned) references ledger.account_kind(name, is_tracked, is_owned)
);
create index account_debts on ledger.account (id) where (kind = 'deposit_debt');
create unique index account_house_kind on ledger.account (kind, currency) where (owner_id is null);
create unique index account_owner_kind on ledger.account (owner_id, kind) where (owner_id is not null);
create trigger account_append_only before delete or update or truncate on ledger.account for each statement execute function ledger.deny();

create table ledger.account_kind (
  name text not null,
  is_tracked boolean not null,
  is_owned boolean not null,
  floor bigint default 0 not null,  -- cents; the balance of such an account never falls below it
  constraint account_kind_pkey primary key (name),
  constraint account_kind_traits unique (name, is_tracked, is_owned),
  constraint account_kind_owned_is_tracked check (is_tracked or not is_owned)
);
create trigger account_kind_append_only before delete or update or truncate on ledger.account_kind for each statement execute function ledger.deny();

create table ledger.audit_run (
  only_row boolean default true not null,
  part text,  -- the part under way; null between two runs
  position text,  -- the end of its last audited slice; null before the first
  finished_at timestamp with time zone,  -- the end of the last complete run
  constraint audit_run_pkey primary key (only_row),
  constraint audit_run_only_row check (only_row)
);

create table ledger.balance (
  account_id bigint not null,
  currency ledger.currency not null,
  posted bigint default 0 not null,  -- cents
  seq bigint default 0 not null,  -- number of postings on this account, gapless
  floor bigint default 0 not null,  -- cents; the balance never falls below it
  constraint balance_pkey primary key (account_id),
  constraint balance_account foreign key (account_id) references ledger.account(id),
  constraint no_overdraft check (posted >= floor)
) with (fillfactor=50);
create trigger balance_guard before insert or update on ledger.balance for each row execute function ledger.balance_guard();
create trigger balance_kept before delete or truncate on ledger.balance for each statement execute function ledger.deny();

-- id = the trade item it belongs to; amount in cents of the owner's wallet
create table ledger.hold (
  id uuid not null,
  owner_id uuid not null,
  journal_id uuid not null,
  amount bigint not null,
  constraint hold_pkey primary key (id),
  constraint hold_amount_positive check (amount > 0)
);
create trigger hold_append_only before delete or update or truncate on ledger.hold for each statement execute function ledger.deny();

create table ledger.hold_resolution (
  hold_id uuid not null,
  amount bigint not null,
  captured bigint not null,
  refunded bigint not null,
  penalty bigint not null,
  journal_id uuid not null,
  constraint hold_resolved_once primary key (hold_id),
  constraint hold_resolution_hold foreign key (hold_id) references ledger.hold(id),
  constraint hold_resolution_adds_up check ((captured + refunded + penalty) = amount),
  constraint hold_resolution_not_negative check (captured >= 0 and refunded >= 0 and penalty >= 0)
);
create trigger hold_resolution_append_only before delete or update or truncate on ledger.hold_resolution for each statement execute function ledger.deny();

create table ledger.journal (
  id uuid default uuidv7() not null,
  kind text not null,
  ref_id uuid,
  scope_id uuid not null,
  idempotency_key text not null,
  request_hash bytea not null,
  reverses_id uuid,
  created_at timestamp with time zone not null,
  constraint journal_pkey primary key (id),
  constraint journal_once unique (scope_id, idempotency_key),
  constraint journal_reversed_once unique (reverses_id),
  constraint journal_reverses foreign key (reverses_id) references ledger.journal(id)
);
create index journal_ref on ledger.journal (ref_id) where (ref_id is not null);
create trigger journal_append_only before delete or update or truncate on ledger.journal for each statement execute function ledger.deny();
create trigger journal_kind_known before insert on ledger.journal for each row execute function ledger.journal_kind_known();

create table ledger.journal_kind (
  name text not null,
  debit_entry text not null,
  credit_entry text not null,
  constraint journal_kind_pkey primary key (name)
);
create trigger journal_kind_append_only before delete or update or truncate on ledger.journal_kind for each statement execute function ledger.deny();

create table ledger.posting (
  id bigint generated always as identity,
  journal_id uuid not null,
  kind text not null,  -- the kind of its journal, repeated so that a ledger can be filtered by type
  currency ledger.currency not null,
  debit_account_id bigint not null,
  credit_account_id bigint not null,
  amount bigint not null,  -- cents
  debit_seq bigint,
  debit_after bigint,  -- balance after this posting, cents; written by the trigger only
  credit_seq bigint,
  credit_after bigint,
  external_ref text,
  created_at timestamp with time zone not null,
  xid xid8 default pg_current_xact_id() not null,
  constraint posting_pkey primary key (id),
  constraint posting_journal foreign key (journal_id) references ledger.journal(id),
  constraint posting_amount_positive check (amount > 0),
  constraint posting_two_accounts check (debit_account_id <> credit_account_id)
);
create index posting_house_credit on ledger.posting (credit_account_id, id) where (credit_account_id < 0);
create index posting_house_debit on ledger.posting (debit_account_id, id) where (debit_account_id < 0);
create index posting_journal_id on ledger.posting (journal_id);
create unique index posting_credit on ledger.posting (credit_account_id, credit_seq) where (credit_seq is not null);
create unique index posting_debit on ledger.posting (debit_account_id, debit_seq) where (debit_seq is not null);
create trigger posting_append_only before delete or update or truncate on ledger.posting for each statement execute function ledger.deny();
create trigger posting_apply before insert on ledger.posting for each row execute function ledger.posting_apply();
create trigger repay_debts after insert on ledger.posting for each row when ((new.credit_account_id > 0)) execute function ledger.repay_debts();

create function ledger.account_of(owner_id_ uuid, kind_ text) returns bigint;
create function ledger.add_account_kind(name_ text, is_tracked_ boolean, is_owned_ boolean, floor_ bigint) returns void;
create function ledger.add_journal_kind(name_ text, debit_entry_ text, credit_entry_ text) returns void;
create function ledger.audit() returns table(invariant text, detail text);
create function ledger.balance_guard() returns trigger;
create function ledger.balance_of(owner_id_ uuid, kind_ text) returns bigint;
create function ledger.deny() returns trigger;
create function ledger.earnings_of(owner_id_ uuid) returns table(id bigint, currency ledger.currency);
create function ledger.find_account(owner_id_ uuid, kind_ text, currency_ ledger.currency) returns bigint;
create function ledger.given_under(scope_id_ uuid, idempotency_key_ text, house_kind_ text, currency_ ledger.currency) returns bigint;
create function ledger.has_money(owner_id_ uuid) returns boolean;
create function ledger.hold_of(hold_id_ uuid) returns table(amount bigint, resolved boolean, captured bigint, refunded bigint, penalty bigint);
create function ledger.house(kind_ text, currency_ ledger.currency) returns bigint;
create function ledger.house_balance(kind_ text, currency_ ledger.currency) returns bigint;
create function ledger.journal_kind_known() returns trigger;
create function ledger.lock_accounts(account_ids bigint[]) returns void;
create function ledger.lock_balance(account_id_ bigint) returns bigint;
create function ledger.open_account(owner_id_ uuid, kind_ text, currency_ ledger.currency) returns bigint;
create function ledger.open_debts(account_id_ bigint) returns table(external_ref text, created_at timestamp with time zone, amount bigint);
create function ledger.owners_below_zero(kind_ text, before_ timestamp with time zone) returns setof uuid;
create function ledger.place_holds(journal_id_ uuid, owner_id_ uuid, hold_ids_ uuid[], amounts_ bigint[]) returns void;
create function ledger.post(kind_ text, ref_id_ uuid, scope_id_ uuid, idempotency_key_ text, request_hash_ bytea, at_ timestamp with time zone, currencies ledger.currency[], debits bigint[], credits bigint[], amounts bigint[], external_ref_ text, reverses_id_ uuid, out journal_id uuid, out replayed boolean) returns record;
create function ledger.post_new(kind_ text, journal_ids_ uuid[], ref_ids_ uuid[], scope_ids_ uuid[], idempotency_keys_ text[], request_hashes_ bytea[], ats_ timestamp with time zone[], external_refs_ text[], legs_ ledger.leg[]) returns void;
create function ledger.posting_apply() returns trigger;
create function ledger.repay_debts() returns trigger;
create function ledger.resolve_holds(journal_id_ uuid, hold_ids_ uuid[], captured_ bigint[], refunded_ bigint[], penalties_ bigint[]) returns void;
create function ledger.reverse(journal_id_ uuid, scope_id_ uuid, idempotency_key_ text, at_ timestamp with time zone) returns uuid;
create function ledger.taken_under(scope_id_ uuid, idempotency_key_ text, house_kind_ text, currency_ ledger.currency) returns bigint;

create schema mail;

create table mail.message (
  id uuid not null,
  number bigint generated always as identity,  -- mails that are due together are sent in this order
  recipient text not null,
  template text not null,
  facts jsonb,  -- what the template of a notice needs; erased once the message is sent or given up
  sealed_facts text,  -- the same of a message with a code or a link that logs a person in, sealed
  due_at timestamp with time zone,  -- when it is sent next; a claim moves it into the future, which is its lease; null at its end
  attempts smallint default 0 not null,
  created_at timestamp with time zone not null,
  sent_at timestamp with time zone,
  failed_at timestamp with time zone,
  detail text,  -- the last answer of the mail server that was not an acceptance
  constraint message_pkey primary key (id),
  constraint message_ends_once check (num_nonnulls(sent_at, failed_at, due_at) = 1),
  constraint message_forgets_facts_at_its_end check (num_nonnulls(facts, sealed_facts) = num_nonnulls(due_at)),
  constraint message_recipient_length check (length(recipient) >= 3 and length(recipient) <= 254),
  constraint message_template_form check (template ~ '^[a-z_]+$')
) with (fillfactor=70);
create index message_due on mail.message (due_at) where (due_at is not null);

create schema operations;

create table operations.adjustment (
  id uuid not null,  -- made with the form: a form that is sent twice proposes once
  account_id uuid not null,
  wallet text not null,
  side text not null,
  amount bigint not null,
  currency text not null,
  balance_before bigint not null,  -- what the wallet held when it was proposed, for the second to see
  reason text not null,
  reference text not null,
  proposed_by uuid not null,
  proposed_at timestamp with time zone not null,
  state text default 'proposed' not null,
  decided_by uuid,
  decided_at timestamp with time zone,
  decision text,  -- why it was withdrawn
  journal_id uuid,
  constraint adjustment_pkey primary key (id),
  constraint adjustment_amount_positive check (amount > 0),
  constraint adjustment_by_two check (state <> 'approved' or decided_by <> proposed_by),
  constraint adjustment_decision_is_signed check ((state = 'proposed') = (decided_by is null) and (decided_by is null) = (decided_at is null)),
  constraint adjustment_posted_when_approved check ((state = 'approved') = (journal_id is not null)),
  constraint adjustment_side_known check (side = any (array['credit', 'debit'])),
  constraint adjustment_state_known check (state = any (array['proposed', 'approved', 'withdrawn'])),
  constraint adjustment_wallet_known check (wallet = any (array['spot', 'earnings']))
);
create index adjustment_open on operations.adjustment (id) where (state = 'proposed');
create trigger account_is_open before insert on operations.adjustment for each row execute function identity.refuse_below_deleted('account_id');
create trigger adjustment_kept before delete or update on operations.adjustment for each row execute function operations.keep_adjustment();

-- of spot wallets, in their currency; set, changed and removed by people of the account
create table operations.balance_threshold (
  account_id uuid not null,
  cents bigint not null,
  low_since timestamp with time zone,  -- when the mail was queued; the next one only after the balance was a tenth above the threshold
  constraint balance_threshold_pkey primary key (account_id),
  constraint balance_threshold_positive check (cents > 0)
);
create trigger account_is_open before insert on operations.balance_threshold for each row execute function identity.refuse_below_deleted('account_id');

-- one row for each scope, replaced by the next audit of it
create table operations.books_audit (
  scope text not null,
  finished_at timestamp with time zone not null,
  seconds double precision not null,
  violation_count integer not null,
  violations jsonb not null,  -- the first hundred: [{"invariant": ..., "detail": ...}]
  constraint books_audit_pkey primary key (scope),
  constraint books_audit_scope_known check (scope = any (array['recent', 'day', 'everything']))
);

create table operations.market_worker (
  market text not null,
  worker_id text not null,  -- the process, as the heartbeats of its jobs name it
  beat_at timestamp with time zone not null,
  balance_mills bigint,  -- our balance at the market as last known, thousandths of a US dollar
  breaker text not null,
  constraint market_worker_pkey primary key (market, worker_id),
  constraint market_worker_breaker_known check (breaker = any (array['closed', 'open', 'half-open']))
);

create function operations.keep_adjustment() returns trigger;

create schema outbound;

create table outbound.attempt (
  id bigint generated always as identity,
  transaction_id uuid not null,
  number smallint not null,
  kind text not null,
  hash text not null,
  raw text not null,  -- what was signed: written before anything is sent
  max_fee_per_gas numeric(78,0) not null,
  max_priority_fee_per_gas numeric(78,0) not null,
  gas numeric(78,0) not null,
  signed_at timestamp with time zone not null,
  sent_at timestamp with time zone,
  answer text,  -- the newest answer of a node to it
  constraint attempt_pkey primary key (id),
  constraint attempt_hash_once unique (hash),
  constraint attempt_numbered unique (transaction_id, number),
  constraint attempt_transaction foreign key (transaction_id) references outbound.transaction(id),
  constraint attempt_hash_form check (hash ~ '^0x[0-9a-f]{64}$'),
  constraint attempt_kind_known check (kind = any (array['payment', 'filler']))
);
create trigger attempt_guard before update on outbound.attempt for each row execute function outbound.attempt_guard();
create trigger attempt_kept before delete or truncate on outbound.attempt for each statement execute function outbound.deny();

-- final transactions that have to be seen in a final block once more
create table outbound.final_watch (
  transaction_id uuid not null,
  missing_at timestamp with time zone,  -- when it was last in no block; null: not yet looked at again
  foreign_since_block bigint,  -- head when its nonce was first seen used for good by a transaction that did not do the same
  displaced_at timestamp with time zone,  -- since when it is proven that another transaction has its nonce for good: it will never be mined again
  settled_at timestamp with time zone,  -- when an operator recorded what was done about a displaced payment; the audit log has the reason
  constraint final_watch_pkey primary key (transaction_id),
  constraint final_watch_transaction foreign key (transaction_id) references outbound.transaction(id),
  constraint final_watch_settled_when_displaced check (settled_at is null or displaced_at is not null)
);

create table outbound.skipped_nonce (
  chain text not null,
  key_ref text not null,
  nonce bigint not null,
  at timestamp with time zone not null,
  constraint skipped_nonce_pkey primary key (chain, key_ref, nonce)
);

create table outbound.transaction (
  id uuid not null,
  sequence bigint generated always as identity,
  chain text not null,
  key_ref text not null,
  deposit_index integer,
  purpose text not null,
  ref_id uuid not null,
  token text not null,
  token_address text,
  recipient text not null,
  units numeric(78,0) not null,  -- base units of the token that the recipient gets
  state text default 'queued' not null,
  hold_reason text,  -- why a queued transaction waits: hot_wallet_low or capital_low for its token, gas_low or gas_capital_low for the native coin, or the rule of the signer that refused it; fee_cap: a signed one is not replaced, because the fees would be too high
  due_at timestamp with time zone not null,
  wanted text,  -- what a worker is to do with a signed one: send it again, replace it with higher fees, or fill its nonce
  nonce bigint,
  signing jsonb,  -- the unsigned form that the signer was asked for: the same is asked for again after a crash
  signing_claim uuid,
  accepted_at timestamp with time zone,
  mined_hash text,
  mined_block bigint,
  silent_since timestamp with time zone,  -- since when its newest attempt was sent and is in no block
  silent_since_block bigint,  -- head at that time
  foreign_since_block bigint,  -- head when its nonce was first seen used by a transaction that is none of its attempts
  fee_paid numeric(78,0),
  created_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  needs_capital boolean default false not null,  -- pays out what is owed in cents: the service's own funds have to cover it and its gas
  constraint transaction_pkey primary key (id),
  constraint transaction_nonce_once unique (chain, key_ref, nonce),
  constraint transaction_once unique (purpose, ref_id),
  constraint transaction_accepted_at_known check ((state <> all (array['broadcast', 'confirmed', 'reverted', 'no_effect'])) or accepted_at is not null),
  constraint transaction_finished_at_known check ((finished_at is not null) = (state = any (array['confirmed', 'reverted', 'displaced', 'no_effect', 'canceled']))),
  constraint transaction_has_nonce_from_signing_on check ((nonce is null) = (state = any (array['queued', 'canceled']))),
  constraint transaction_mined_both check ((mined_hash is null) = (mined_block is null)),
  constraint transaction_native_has_no_contract check ((token = 'NATIVE') = (token_address is null)),
  constraint transaction_purpose_known check (purpose = any (array['payout', 'sweep', 'gas'])),
  constraint transaction_recipient_form check (recipient ~ '^0x[0-9a-fA-F]{40}$'),
  constraint transaction_silent_both check ((silent_since is null) = (silent_since_block is null)),
  constraint transaction_state_known check (state = any (array['queued', 'signing', 'signed', 'broadcast', 'confirmed', 'reverted', 'displaced', 'no_effect', 'canceled'])),
  constraint transaction_token_address_form check (token_address ~ '^0x[0-9a-fA-F]{40}$'),
  constraint transaction_units_positive check (units > 0::numeric),
  constraint transaction_wanted_known check (wanted = any (array['resend', 'replacement', 'filler']))
) with (fillfactor=80);
create index transaction_mined on outbound.transaction (chain, mined_block) where (mined_block is not null);
create index transaction_open on outbound.transaction (chain, key_ref, nonce) where (state = any (array['signing', 'signed', 'broadcast']));
create index transaction_queued on outbound.transaction (chain, key_ref, due_at, sequence) where (state = 'queued');
create trigger transaction_guard before update on outbound.transaction for each row execute function outbound.transaction_guard();
create trigger transaction_kept before delete or truncate on outbound.transaction for each statement execute function outbound.deny();
create trigger transaction_queued after insert on outbound.transaction for each statement execute function outbound.notify_work();

create table outbound.wallet (
  chain text not null,
  key_ref text not null,
  address text not null,
  next_nonce bigint not null,  -- the nonce of the next transaction that is signed
  state text default 'open' not null,  -- halted: nothing is signed or sent; reopening: an operator asked to open it, which a worker does after it has looked at the chain
  halted_reason text,
  foreign_hashes text[] default '{}'[] not null,  -- transactions that an operator named when asking to open it: those that took nonces of ours
  changed_at timestamp with time zone not null,
  constraint wallet_pkey primary key (chain, key_ref),
  constraint wallet_address_once unique (chain, address),
  constraint wallet_address_form check (address ~ '^0x[0-9a-fA-F]{40}$'),
  constraint wallet_halted_for_a_reason check ((state = 'open') = (halted_reason is null)),
  constraint wallet_key_form check (key_ref ~ '^(hot|gas|deposit/(0|[1-9][0-9]{0,9}))$'),
  constraint wallet_nonce_not_negative check (next_nonce >= 0),
  constraint wallet_state_known check (state = any (array['open', 'halted', 'reopening']))
);
create trigger wallet_kept before delete or truncate on outbound.wallet for each statement execute function outbound.deny();

create function outbound.attempt_guard() returns trigger;
create function outbound.audit(after_ uuid, up_to_ uuid) returns table(invariant text, detail text);
create function outbound.deny() returns trigger;
create function outbound.notify_work() returns trigger;
create function outbound.state_of(purpose_ text, ref_id_ uuid) returns text;
create function outbound.transaction_guard() returns trigger;

create schema outbox;

create sequence outbox.event_position as bigint;

create table outbox.event (
  id bigint generated always as identity,
  public_id uuid default uuidv7() not null,
  type text not null,
  subject_type text not null,  -- what subject_id identifies: trade, later deposit, payout or order
  subject_id uuid not null,  -- events of one subject are ordered by their ids
  tenant_id uuid not null,  -- the account whose endpoint and feed receive the event
  account_id uuid not null,  -- the account that the event is about: the tenant itself or one of its sub-users
  payload jsonb default '{}'::jsonb not null,  -- facts that the subject itself does not keep, for example the refund of one item
  dedupe_key text not null,  -- <type>:<id of the subject or of its part>
  created_at timestamp with time zone not null,
  dispatched_at timestamp with time zone,
  position bigint,  -- order of dispatch, null before it. Rises with the id within a subject
  constraint event_pkey primary key (id),
  constraint event_once unique (dedupe_key),
  constraint event_public_id unique (public_id),
  constraint event_position_when_dispatched check (("position" is null) = (dispatched_at is null))
);
create index event_of_tenant on outbox.event (tenant_id, "position") where ("position" is not null);
create index event_undispatched on outbox.event (id) where (dispatched_at is null);

create function outbox.add(type_ text, subject_type_ text, tenant_id_ uuid, account_id_ uuid, subject_id_ uuid, payload_ jsonb, dedupe_id_ uuid, at_ timestamp with time zone) returns void;
create function outbox.add_all(types_ text[], subject_type_ text, tenant_ids_ uuid[], account_ids_ uuid[], subject_ids_ uuid[], dedupe_ids_ uuid[], ats_ timestamp with time zone[]) returns void;
create function outbox.dispatch(limit_ integer, at_ timestamp with time zone) returns setof outbox.event;
create function outbox.has_event(type_ text, dedupe_id_ uuid) returns boolean;
create function outbox.next_number() returns bigint;

create schema payouts;

create table payouts.approval_attempt (
  withdrawal_id uuid not null,
  number integer not null,
  started_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  result text,
  sent text,  -- the body as it was posted; kept for 30 days, as the answer is
  answer bytea,  -- the first 16 KiB of the answer's body
  constraint approval_attempt_pkey primary key (withdrawal_id, number),
  constraint approval_attempt_withdrawal foreign key (withdrawal_id) references payouts.withdrawal(id),
  constraint approval_attempt_ended_with_result check ((ended_at is null) = (result is null))
);
create index approval_attempt_kept on payouts.approval_attempt (started_at) where (sent is not null);

create table payouts.approved_sum (
  tenant_id uuid,
  slot timestamp with time zone not null,  -- when its five minutes begin
  cents bigint not null,
  constraint approved_sum_once unique nulls not distinct (tenant_id, slot),
  constraint approved_sum_not_negative check (cents >= 0)
) with (fillfactor=50);

create table payouts.deposit (
  id uuid not null,  -- the id of the transfer in chains
  merchant_id uuid not null,
  user_id uuid,  -- the sub-user whose address was paid: attribution only
  chain text not null,
  token text not null,
  units numeric(78,0) not null,
  decimals smallint not null,
  address text not null,
  tx_hash text not null,
  status text default 'pending' not null,
  confirmations integer default 0 not null,
  reason text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  completed_at timestamp with time zone,
  is_unclaimed boolean default false not null,  -- its merchant was deleted when it was credited: the units are in the account unclaimed of custody, and there is no event
  constraint deposit_pkey primary key (id),
  constraint deposit_completed_at_known check (status <> 'completed' or completed_at is not null),
  constraint deposit_failed_for_a_reason check ((status = 'failed') = (reason is not null)),
  constraint deposit_status_known check (status = any (array['pending', 'completed', 'failed'])),
  constraint deposit_units_positive check (units > 0::numeric)
);
create index deposit_of_merchant on payouts.deposit (merchant_id, id);
create trigger deposit_kept before delete or truncate on payouts.deposit for each statement execute function payouts.deny();

create table payouts.destination (
  merchant_id uuid not null,
  address text not null,
  usable_from timestamp with time zone not null,  -- a day after it was added
  created_at timestamp with time zone not null,
  constraint destination_pkey primary key (merchant_id, address),
  constraint destination_form check (address ~ '^0x[0-9a-f]{40}$')
);
create trigger account_is_open before insert on payouts.destination for each row execute function identity.refuse_below_deleted('merchant_id');

create table payouts.limiter (
  only_row boolean default true not null,
  constraint limiter_pkey primary key (only_row),
  constraint limiter_only_row check (only_row)
);

create table payouts.merchant (
  id uuid not null,
  callback_url text,
  callback_secret_sealed text,  -- signs approvals at callback_url
  only_known_destinations boolean default false not null,
  proven_at timestamp with time zone,  -- when an approval was answered for the first time; null: its callback is unproven
  changed_at timestamp with time zone not null,
  callback_previous_secret_sealed text,
  callback_previous_secret_until timestamp with time zone,  -- until then the secret before signs beside the present one
  endpoint_confirmed boolean default true not null,  -- false: the webhook endpoint has its address from a member who may not move money, and approves nothing
  constraint merchant_pkey primary key (id),
  constraint merchant_callback_has_secret check ((callback_url is null) = (callback_secret_sealed is null)),
  constraint merchant_previous_secret_ends check ((callback_previous_secret_sealed is null) = (callback_previous_secret_until is null))
);
create trigger account_is_open before insert on payouts.merchant for each row execute function identity.refuse_below_deleted('id');

create table payouts.withdrawal (
  id uuid not null,
  source text not null,  -- custody: the owner is a merchant, units and fee_units come from its custody; wallet: amount, network and site fee come from a wallet in cents
  owner_id uuid not null,
  tenant_id uuid not null,  -- the merchant or partner whose daily limit it counts against
  external_id text not null,
  request_hash bytea not null,
  for_user_id uuid,
  for_user_external_id text,
  chain text not null,
  token text not null,
  token_address text,
  decimals smallint not null,
  destination text not null,
  amount_cents bigint not null,
  fee_cents bigint not null,
  site_fee_cents bigint default 0 not null,
  units numeric(78,0) not null,  -- base units that the destination gets; fixed at the rate of the request
  fee_units numeric(78,0) not null,  -- base units of the same token for the network fee, on top; 0 for a wallet
  usd_e8 numeric(40,0) not null,  -- US dollars for one token at the request, in 1e-8
  was_covered boolean default true not null,  -- the hot wallet could pay it when it was submitted
  status text not null,
  held_reason text,  -- why an operator has to release it: over_transaction_limit, over_merchant_limit, over_day_limit, account_suspended: nothing has left yet; no_effect: it was mined and moved nothing
  approval_id uuid default uuidv7() not null,
  callback_attempts integer default 0 not null,  -- POSTs that were begun
  callback_failures integer default 0 not null,  -- POSTs that ended without an answer of 2xx or 4xx
  due_at timestamp with time zone,  -- when the next POST is due; while one is under way, when its lease ends
  tx_hash text,
  nonce bigint,  -- of the transaction that paid it; null: none yet, or one that an operator named after a restore
  failure_reason text,
  journal_id uuid,
  created_at timestamp with time zone not null,
  approved_at timestamp with time zone,  -- since when it may leave by itself: its approval, or its release by an operator
  broadcast_at timestamp with time zone,
  confirmed_at timestamp with time zone,
  refunded_at timestamp with time zone,
  constraint withdrawal_pkey primary key (id),
  constraint withdrawal_once unique (owner_id, external_id),
  constraint withdrawal_amounts_positive check (amount_cents > 0 and fee_cents >= 0 and site_fee_cents >= 0 and units > 0::numeric and fee_units >= 0::numeric),
  constraint withdrawal_callback_is_for_custody check (source = 'custody' or status <> 'pending_callback'),
  constraint withdrawal_destination_form check (destination ~ '^0[xX][0-9a-fA-F]{40}$'),
  constraint withdrawal_due_while_pending check ((status = 'pending_callback') = (due_at is not null)),
  constraint withdrawal_held_while_queued check (held_reason is null or (status = any (array['queued', 'broadcast']))),
  constraint withdrawal_refunded_for_a_reason check ((status = 'refunded') = (failure_reason is not null)),
  constraint withdrawal_source_known check (source = any (array['custody', 'wallet'])),
  constraint withdrawal_status_known check (status = any (array['pending_callback', 'queued', 'broadcast', 'confirmed', 'refunded'])),
  constraint withdrawal_times_known check ((status <> 'broadcast' or broadcast_at is not null) and (status = 'confirmed') = (confirmed_at is not null) and (status = 'refunded') = (refunded_at is not null)),
  constraint withdrawal_wallet_has_journal check ((source = 'wallet') = (journal_id is not null))
) with (fillfactor=80);
create index withdrawal_due on payouts.withdrawal (owner_id, due_at) where (status = 'pending_callback');
create index withdrawal_held on payouts.withdrawal (id) where (held_reason is not null);
create index withdrawal_named on payouts.withdrawal (external_id);
create index withdrawal_of_owner on payouts.withdrawal (owner_id, id);
create index withdrawal_of_tenant on payouts.withdrawal (tenant_id, id);
create index withdrawal_open on payouts.withdrawal (owner_id) where (status = any (array['pending_callback', 'queued', 'broadcast']));
create index withdrawal_recent on payouts.withdrawal (approved_at) where (approved_at is not null);
create trigger approved_on_insert after insert on payouts.withdrawal for each row when (payouts.may_leave(new.*)) execute function payouts.sum_approved();
create trigger approved_on_update after update on payouts.withdrawal for each row when ((payouts.may_leave(new.*) is distinct from payouts.may_leave(old.*))) execute function payouts.sum_approved();
create trigger withdrawal_guard before update on payouts.withdrawal for each row execute function payouts.withdrawal_guard();
create trigger withdrawal_kept before delete or truncate on payouts.withdrawal for each statement execute function payouts.deny();
create trigger withdrawal_submitted after insert on payouts.withdrawal for each statement execute function payouts.notify_due();

create function payouts.audit() returns table(invariant text, detail text);
create function payouts.audit_deposits(after_ uuid, up_to_ uuid) returns table(invariant text, detail text);
create function payouts.audit_withdrawals(after_ uuid, up_to_ uuid) returns table(invariant text, detail text);
create function payouts.claim_approvals(at_ timestamp with time zone, lease_until_ timestamp with time zone, limit_ integer, per_owner_ integer, per_doubtful_ integer, slow_room_ integer, unproven_room_ integer, held_ jsonb, slow_ uuid[], busy_ uuid[]) returns setof payouts.withdrawal;
create function payouts.deny() returns trigger;
create function payouts.lock_and_sum_approved(tenant_ids_ uuid[], since_ timestamp with time zone) returns table(tenant_id uuid, cents bigint);
create function payouts.may_leave(one_ payouts.withdrawal) returns boolean;
create function payouts.notify_due() returns trigger;
create function payouts.slot_of(at_ timestamp with time zone) returns timestamp with time zone;
create function payouts.sum_approved() returns trigger;
create function payouts.withdrawal_guard() returns trigger;

create schema people;

create table people.challenge (
  id uuid not null,
  person_id uuid not null,
  session_id uuid,
  methods text[] not null,
  code_signature text,  -- of the code that was sent by mail: an HMAC, because six digits could be searched for in a plain hash
  tries smallint default 0 not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  solved_at timestamp with time zone,
  is_setup boolean default false not null,  -- asks whether codes reach the mailbox before they become the second factor; solving it proves nothing else
  codes_mailed smallint default 0 not null,  -- each code replaces the one before
  constraint challenge_pkey primary key (id),
  constraint challenge_person foreign key (person_id) references people.person(id),
  constraint challenge_session foreign key (session_id) references people.session(id),
  constraint challenge_bounds_mails check (codes_mailed >= 0 and codes_mailed <= 3),
  constraint challenge_bounds_tries check (tries >= 0 and tries <= 5),
  constraint challenge_methods_known check (methods <@ array['email', 'totp', 'recovery', 'passkey'] and cardinality(methods) > 0),
  constraint challenge_setup_of_session check (not is_setup or session_id is not null and methods = array['email'])
) with (fillfactor=70);
create index challenge_of_person on people.challenge (person_id, created_at) where (solved_at is null);

create table people.chat_link (
  person_id uuid not null,
  chat_user_id text not null,  -- as the platform names it; an account there belongs to one person
  username text not null,
  discriminator text not null,
  avatar text,
  linked_at timestamp with time zone not null,
  constraint chat_link_pkey primary key (person_id),
  constraint chat_link_account_once unique (chat_user_id),
  constraint chat_link_person foreign key (person_id) references people.person(id),
  constraint chat_link_texts_short check (length(chat_user_id) >= 1 and length(chat_user_id) <= 64 and length(username) >= 1 and length(username) <= 128 and length(discriminator) <= 16 and length(avatar) <= 256)
);

create table people.chat_request (
  state_hash bytea not null,
  session_id uuid not null,
  sealed_verifier text not null,  -- the verifier of PKCE (RFC 7636)
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  constraint chat_request_pkey primary key (state_hash),
  constraint chat_request_session foreign key (session_id) references people.session(id),
  constraint chat_request_state_is_sha256 check (length(state_hash) = 32)
);
create index chat_request_age on people.chat_request (expires_at);
create index chat_request_of_session on people.chat_request (session_id);

create table people.factor_removal (
  id uuid not null,
  person_id uuid not null,
  address text not null,  -- where it was asked from, for the mails and the audit log
  asked_at timestamp with time zone not null,
  announced_at timestamp with time zone,
  removes_at timestamp with time zone not null,
  next_at timestamp with time zone,  -- when the worker looks at it again: to announce it a second time, then to remove the factor
  outcome text,
  ended_at timestamp with time zone,
  constraint factor_removal_pkey primary key (id),
  constraint factor_removal_person foreign key (person_id) references people.person(id),
  constraint factor_removal_ends_once check (num_nulls(outcome, ended_at) = any (array[0, 2])),
  constraint factor_removal_is_announced check (outcome is distinct from 'removed' or announced_at is not null and ended_at >= removes_at and ended_at >= (announced_at + '48:00:00'::interval)),
  constraint factor_removal_outcome_known check (outcome = any (array['removed', 'stopped', 'factor_used', 'not_possible'])),
  constraint factor_removal_waits_72_hours check (removes_at >= (asked_at + '72:00:00'::interval)),
  constraint factor_removal_waits_or_ended check ((next_at is null) = (outcome is not null))
) with (fillfactor=80);
create index factor_removal_due on people.factor_removal (next_at) where (next_at is not null);
create index factor_removal_of_person on people.factor_removal (person_id, asked_at);
create unique index factor_removal_open_once on people.factor_removal (person_id) where (outcome is null);

create table people.impersonation (
  id uuid not null,
  session_id uuid not null,
  account_id uuid not null,
  account_kind text not null,
  token_hash bytea not null,
  reason text not null,
  began_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  constraint impersonation_pkey primary key (id),
  constraint impersonation_token_once unique (token_hash),
  constraint impersonation_session foreign key (session_id) references people.session(id),
  constraint impersonation_has_a_reason check (reason <> ''),
  constraint impersonation_kind_known check (account_kind = any (array['merchant', 'partner'])),
  constraint impersonation_token_is_sha256 check (length(token_hash) = 32),
  constraint impersonation_within_an_hour check (expires_at >= began_at and expires_at <= (began_at + '01:00:00'::interval))
);
create index impersonation_of_session on people.impersonation (session_id) where (ended_at is null);

create table people.invitation (
  id uuid not null,
  token_hash bytea not null,
  account_id uuid not null,
  account_kind text not null,
  email text not null,
  role text not null,
  invited_by text not null,  -- as the mail names them: an e-mail address, or the operator of the service
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  accepted_at timestamp with time zone,
  revoked_at timestamp with time zone,
  inviter_id uuid,  -- the member who sent it; null: the operator of the service
  constraint invitation_pkey primary key (id),
  constraint invitation_token_once unique (token_hash),
  constraint invitation_inviter foreign key (inviter_id) references people.person(id),
  constraint invitation_email_length check (length(email) >= 3 and length(email) <= 254),
  constraint invitation_ends_once check (num_nonnulls(accepted_at, revoked_at) <= 1),
  constraint invitation_kind_known check (account_kind = any (array['merchant', 'partner', 'admin'])),
  constraint invitation_role_fits_kind check (
case account_kind
    when 'admin' then role = 'administrator'
    else role = any (array['owner', 'developer', 'finance', 'read_only'])
end),
  constraint invitation_token_is_sha256 check (length(token_hash) = 32)
);
create index invitation_of_account on people.invitation (account_id, created_at);
create unique index invitation_open_once on people.invitation (account_id, lower(email)) where ((accepted_at is null) and (revoked_at is null));
create trigger account_is_open before insert on people.invitation for each row execute function identity.refuse_below_deleted('account_id');

create table people.mail_token (
  token_hash bytea not null,
  person_id uuid not null,
  purpose text not null,
  new_email text,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  constraint mail_token_pkey primary key (token_hash),
  constraint mail_token_person foreign key (person_id) references people.person(id),
  constraint mail_token_new_email_of_change check ((new_email is null) = (purpose <> 'change_email')),
  constraint mail_token_purpose_known check (purpose = any (array['verify_email', 'reset_password', 'change_email', 'keep_factor']))
);
create index mail_token_of_person on people.mail_token (person_id, purpose) where (used_at is null);

create table people.membership (
  person_id uuid not null,
  account_id uuid not null,  -- the id of an account in schema identity
  account_kind text not null,
  role text not null,
  created_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  constraint membership_pkey primary key (person_id, account_id),
  constraint membership_person foreign key (person_id) references people.person(id),
  constraint membership_kind_known check (account_kind = any (array['merchant', 'partner', 'admin'])),
  constraint membership_role_fits_kind check (
case account_kind
    when 'admin' then role = 'administrator'
    else role = any (array['owner', 'developer', 'finance', 'read_only'])
end)
);
create index membership_of_account on people.membership (account_id, created_at) where (ended_at is null);
create trigger account_is_open before insert on people.membership for each row execute function identity.refuse_below_deleted('account_id');

create table people.passkey (
  id uuid not null,
  person_id uuid not null,
  credential_id text not null,  -- base64url, as the authenticator chose it
  public_key bytea not null,  -- COSE key (RFC 9052)
  counter bigint not null,  -- signature counter of the last use; 0 where the authenticator keeps none
  transports text[] not null,
  is_synced boolean not null,  -- kept on several devices by its provider: its counter may fall
  name text not null,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone,
  constraint passkey_pkey primary key (id),
  constraint passkey_credential_once unique (credential_id),
  constraint passkey_person foreign key (person_id) references people.person(id),
  constraint passkey_counter_not_negative check (counter >= 0),
  constraint passkey_credential_length check (length(credential_id) >= 1 and length(credential_id) <= 1400),
  constraint passkey_name_length check (length(name) >= 1 and length(name) <= 64)
) with (fillfactor=80);
create index passkey_of_person on people.passkey (person_id, created_at);

create table people.passkey_ceremony (
  id uuid not null,
  nonce bytea not null,
  person_id uuid,  -- who adds a passkey; null at a login
  challenge_id uuid,  -- the second factor that is answered; null where the passkey logs in alone
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  constraint passkey_ceremony_pkey primary key (id),
  constraint passkey_ceremony_challenge foreign key (challenge_id) references people.challenge(id) on delete cascade,
  constraint passkey_ceremony_person foreign key (person_id) references people.person(id),
  constraint passkey_ceremony_has_one_purpose check (num_nonnulls(person_id, challenge_id) <= 1),
  constraint passkey_ceremony_nonce_is_random check (length(nonce) = 32)
) with (fillfactor=80);
create index passkey_ceremony_age on people.passkey_ceremony (expires_at);
create index passkey_ceremony_of_challenge on people.passkey_ceremony (challenge_id) where (challenge_id is not null);

create table people.person (
  id uuid not null,
  email text not null,
  password_hash text not null,  -- argon2id with its parameters and salt (PHC string format)
  password_changed_at timestamp with time zone not null,
  email_verified_at timestamp with time zone,
  two_factor_method text,  -- null: the password alone logs in
  sealed_totp_secret text,  -- also set while a TOTP setup waits for its first code
  totp_last_step bigint default 0 not null,  -- RFC 6238 time step of the last code that was accepted; a code works once
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  deleted_at timestamp with time zone,  -- nothing personal is left; the row stays because the audit log names it
  constraint person_pkey primary key (id),
  constraint person_email_length check (length(email) >= 3 and length(email) <= 254),
  constraint person_totp_has_secret check (two_factor_method is distinct from 'totp' or sealed_totp_secret is not null),
  constraint person_two_factor_known check (two_factor_method = any (array['email', 'totp']))
) with (fillfactor=80);
create unique index person_email on people.person (lower(email));

create table people.recovery_code (
  person_id uuid not null,
  code_signature text not null,
  used_at timestamp with time zone,
  constraint recovery_code_pkey primary key (person_id, code_signature),
  constraint recovery_code_person foreign key (person_id) references people.person(id)
);

-- deleted when the address is confirmed, and after 30 days
create table people.registration (
  email_key text not null,  -- the address in lower case
  password_hash text not null,
  created_at timestamp with time zone not null,
  constraint registration_pkey primary key (email_key)
);
create index registration_age on people.registration (created_at);

-- renamed and deleted by its person; deleted when the membership ends
create table people.saved_view (
  id uuid not null,
  person_id uuid not null,
  account_id uuid not null,
  list text not null,
  name text not null,
  query text not null,  -- search parameters of the page that shows the list, as its address has them
  created_at timestamp with time zone not null,
  constraint saved_view_pkey primary key (id),
  constraint saved_view_name_once unique (person_id, account_id, list, name),
  constraint saved_view_membership foreign key (person_id, account_id) references people.membership(person_id, account_id),
  constraint saved_view_name_length check (length(name) >= 1 and length(name) <= 60),
  constraint saved_view_query_length check (length(query) >= 1 and length(query) <= 1000)
);

create table people.session (
  id uuid not null,
  person_id uuid not null,
  account_id uuid not null,
  token_hash bytea not null,
  previous_token_hash bytea,  -- the token before the last refresh, which other tabs may still send for some seconds
  previous_until timestamp with time zone,
  created_at timestamp with time zone not null,
  last_seen_at timestamp with time zone not null,
  idle_until timestamp with time zone not null,  -- moved forward by use; the session ends at the earlier of it and expires_at
  expires_at timestamp with time zone not null,
  fresh_until timestamp with time zone not null,  -- until then sensitive acts need no second factor again
  has_second_factor boolean not null,
  address text not null,
  user_agent text not null,
  ended_at timestamp with time zone,
  constraint session_pkey primary key (id),
  constraint session_token_once unique (token_hash),
  constraint session_membership foreign key (person_id, account_id) references people.membership(person_id, account_id),
  constraint session_previous_ends check ((previous_token_hash is null) = (previous_until is null)),
  constraint session_token_is_sha256 check (length(token_hash) = 32),
  constraint session_user_agent_length check (length(user_agent) <= 256)
) with (fillfactor=70);
create index session_of_person on people.session (person_id, created_at) where (ended_at is null);
create unique index session_previous_token on people.session (previous_token_hash) where (previous_token_hash is not null);

create table people.throttle (
  key bytea not null,  -- SHA-256 of the e-mail address in lower case and the network
  failures integer not null,
  last_failure_at timestamp with time zone not null,
  constraint throttle_pkey primary key (key)
) with (fillfactor=70);
create index throttle_age on people.throttle (last_failure_at);

-- a row is deleted in the commit that answers it
create table people.visitor_request (
  id uuid not null,
  number bigint generated always as identity,  -- requests that are due together are answered in this order
  kind text not null,
  email text not null,
  facts jsonb not null,
  due_at timestamp with time zone not null,  -- a claim moves it into the future, which is its lease
  created_at timestamp with time zone not null,
  constraint visitor_request_pkey primary key (id),
  constraint visitor_request_kind_known check (kind = any (array['register', 'resend_verification', 'reset_password', 'failed_log_in']))
) with (fillfactor=70);
create index visitor_request_age on people.visitor_request (created_at);
create index visitor_request_due on people.visitor_request (due_at);

create schema pricing;

create table pricing.setting (
  only_row boolean default true not null,
  global_default_bps integer not null,  -- house fee on a buy, basis points of the sourcing price
  withdraw_fee_bps integer default 50 not null,  -- house fee on a withdrawal of a partner or child, basis points of its amount
  changed_at timestamp with time zone default now() not null,
  constraint setting_pkey primary key (only_row),
  constraint setting_default_in_range check (global_default_bps >= 0 and global_default_bps <= 10000),
  constraint setting_only_row check (only_row),
  constraint setting_withdraw_fee_in_range check (withdraw_fee_bps >= 0 and withdraw_fee_bps <= 10000)
);

create function pricing.convert_half_up(cents_ bigint, from_ ledger.currency, to_ ledger.currency, usd_per_eur_micros_ bigint) returns bigint;
create function pricing.convert_rounded_down(cents_ bigint, from_ ledger.currency, to_ ledger.currency, usd_per_eur_micros_ bigint) returns bigint;
create function pricing.price_listing(currency_ ledger.currency, price_mills_ bigint, usd_per_eur_micros_ bigint, house_fee_bps_ integer, merchant_fee_bps_ integer) returns table(sourcing bigint, house_fee bigint, merchant_fee bigint, price bigint);
create function pricing.share_half_up(cents_ bigint, bps_ integer) returns bigint;
create function pricing.sourcing_in(currency_ ledger.currency, price_mills_ bigint, usd_per_eur_micros_ bigint) returns bigint;

create schema reconciliation;

create table reconciliation.baseline (
  market text not null,
  scope text not null,  -- which window of statements it is counted over
  since timestamp with time zone not null,
  baseline_mills bigint not null,  -- balance and cost together, thousandths of a US dollar, as the others
  candidate_mills bigint,  -- another baseline, seen since candidate_since and not yet believed
  candidate_since timestamp with time zone,
  balance_mills bigint not null,
  read_at timestamp with time zone not null,
  constraint baseline_pkey primary key (market, scope),
  constraint baseline_candidate_has_begun check ((candidate_mills is null) = (candidate_since is null))
);

create table reconciliation.case_entry (
  id bigint generated always as identity,
  case_id uuid not null,
  at timestamp with time zone not null,
  what text not null,
  by_whom text,
  facts jsonb default '{}'::jsonb not null,
  constraint case_entry_pkey primary key (id),
  constraint case_entry_case foreign key (case_id) references reconciliation.case_file(id),
  constraint case_entry_what_known check (what = any (array['opened', 'changed', 'cleared', 'returned', 'resolved']))
);
create index case_entry_of_case on reconciliation.case_entry (case_id, id);

create table reconciliation.case_file (
  id uuid default uuidv7() not null,
  kind text not null,
  subject text not null,  -- what it is about: item:<id>, order:<market>:<supplier's id>, offer:<bot>:<platform's id>, market:<id>
  market text,
  item_id uuid,
  source text not null,  -- who saw it: follower, statement, balance, guard
  state text default 'open' not null,
  facts jsonb not null,  -- what was said by whom; a resolved case with the same facts is not opened again
  notes jsonb default '{}'::jsonb not null,  -- what differs from one sighting to the next
  sightings integer default 1 not null,
  first_seen_at timestamp with time zone not null,
  last_seen_at timestamp with time zone not null,
  cleared_at timestamp with time zone,  -- when it was found to be no longer so; it stays open until a person says why
  resolved_at timestamp with time zone,
  resolved_by text,
  resolution text,
  constraint case_file_pkey primary key (id),
  constraint case_file_kind_form check (kind ~ '^[a-z][a-z_]{1,39}$'),
  constraint case_file_resolved_for_a_reason check ((state = 'resolved') = (resolved_at is not null) and (state = 'resolved') = (resolved_by is not null) and (state = 'resolved') = (coalesce(resolution, '') <> '')),
  constraint case_file_state_known check (state = any (array['open', 'resolved']))
) with (fillfactor=80);
create index case_file_of_item on reconciliation.case_file (item_id) where (item_id is not null);
create index case_file_of_subject on reconciliation.case_file (kind, subject, id);
create unique index case_file_one_open on reconciliation.case_file (kind, subject) where (state = 'open');

create table reconciliation.placing_gate (
  market text not null,  -- a market, `bots` or `payments`
  history text not null,  -- cluster and timeline of the database in which placing was last allowed or held back
  closed_at timestamp with time zone,  -- null: open. Else since when nothing is placed, until the market's statement, or what the bots list, has been compared
  item_ids uuid[] default '{}'::uuid[] not null,  -- items that were waiting to be placed at that moment, and may have been placed before it
  constraint placing_gate_pkey primary key (market),
  constraint placing_gate_items_need_a_closing check (closed_at is not null or item_ids = '{}'::uuid[])
);

create table reconciliation.supplier_call (
  id bigint generated always as identity,
  market text not null,
  custom_id text not null,  -- our own order id
  operation text not null,
  started_at timestamp with time zone not null,
  duration_ms integer not null,
  outcome text not null,
  answer jsonb not null,  -- in the words of our port, without keys and tokens
  request_id text,
  constraint supplier_call_pkey primary key (id)
);
create index supplier_call_age on reconciliation.supplier_call using brin (started_at);
create index supplier_call_of_order on reconciliation.supplier_call (custom_id, id);

create function reconciliation.report(kind_ text, subject_ text, market_ text, item_id_ uuid, source_ text, facts_ jsonb, notes_ jsonb, at_ timestamp with time zone, out case_id uuid, out is_new boolean) returns record;

create schema selling;

create table selling.band (
  least_volume integer not null,  -- sales a day on the markets
  discount_bps integer not null,  -- what a quote is below the reference price, basis points
  constraint band_pkey primary key (least_volume),
  constraint band_discount_in_bounds check (discount_bps >= 0 and discount_bps <= 9999),
  constraint band_volume_not_negative check (least_volume >= 0)
);
create trigger band_raises_version after insert or delete or update on selling.band for each statement execute function selling.raise_version();

-- id = the id of the item in schema trades
create table selling.item (
  id uuid not null,
  trade_id uuid not null,
  position smallint not null,
  asset_id text not null,
  context_id text not null,
  class_id text not null,
  quote bigint not null,  -- US cents; what was promised
  is_open boolean default true not null,  -- not terminal: the asset is in this sell
  offer_intent_id uuid,  -- the offer that carries it; null while no bot has taken it
  tenant_id uuid,  -- of the sell; null where it ended before this was kept
  constraint item_pkey primary key (id),
  constraint item_offer foreign key (offer_intent_id) references selling.offer(id),
  constraint item_sell foreign key (trade_id) references selling.sell(trade_id),
  constraint item_open_of_tenant check (not is_open or tenant_id is not null),
  constraint item_quote_positive check (quote > 0)
) with (fillfactor=70);
create index item_of_offer on selling.item (offer_intent_id) where (offer_intent_id is not null);
create index item_of_sell on selling.item (trade_id);
create unique index item_one_open_sell on selling.item (asset_id, tenant_id) where is_open;

create table selling.item_policy (
  catalog_item_id text not null,
  accepted boolean not null,
  discount_bps integer,
  quote bigint,  -- US cents, whatever the reference price; null: the reference price and a discount decide
  reason text not null,
  changed_at timestamp with time zone not null,
  constraint item_policy_pkey primary key (catalog_item_id),
  constraint item_policy_discount_in_bounds check (discount_bps >= 0 and discount_bps <= 9999),
  constraint item_policy_one_price check (discount_bps is null or quote is null),
  constraint item_policy_quote_positive check (quote > 0)
);
create trigger item_policy_raises_version after insert or delete or update on selling.item_policy for each statement execute function selling.raise_version();

create table selling.offer (
  id uuid default uuidv7() not null,
  trade_id uuid not null,
  bot_id text not null,
  platform_id text not null,
  state text not null,  -- placing: the call may be under way; unknown: its answer was lost; out: the user decides; taken: the bot has the items; absent: scans proved that it does not exist; orphan: it turned up after all
  offer_id text,
  exchange_id text,  -- the platform's trade that an accepted offer became
  ending text,  -- why we asked the platform to cancel it, written before we asked
  detail text,
  misses smallint default 0 not null,  -- scans in a row that did not find it, the first at missed_since
  missed_since timestamp with time zone,
  sent_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  hold_ends_at timestamp with time zone,
  due_at timestamp with time zone not null,
  watched_at timestamp with time zone,  -- when it was last looked for after it was given up as never sent
  constraint offer_pkey primary key (id),
  constraint offer_once unique (offer_id),
  constraint offer_sell foreign key (trade_id) references selling.sell(trade_id),
  constraint offer_ending_known check (ending = any (array['expired', 'canceled', 'held'])),
  constraint offer_held_when_taken check (state <> 'taken' or exchange_id is not null and hold_ends_at is not null),
  constraint offer_known_when_out check ((state <> all (array['out', 'taken'])) or offer_id is not null),
  constraint offer_state_known check (state = any (array['placing', 'unknown', 'out', 'taken', 'ended', 'absent', 'orphan']))
) with (fillfactor=70);
create index offer_due on selling.offer (bot_id, due_at) where (state = any (array['placing', 'unknown', 'out', 'taken']));
create index offer_hold_of_user on selling.offer (platform_id) where (state = 'taken');
create index offer_of_bot on selling.offer (bot_id, sent_at);
create index offer_of_sell on selling.offer (trade_id);
create index offer_open on selling.offer (platform_id) where (state = any (array['placing', 'unknown', 'out']));
create index offer_watch on selling.offer (bot_id, sent_at) where (state = 'absent');

create table selling.policy (
  only_row boolean default true not null,
  version bigint default 1 not null,
  buying boolean default true not null,
  least_quote bigint default 10 not null,  -- US cents; what would bring less is not bought
  most_quote bigint default 500000 not null,  -- US cents; what would cost more is not bought
  offer_share integer default 50 not null,  -- percent of the bots' offers, and of their slots for items, that a tenant may have open, of what it has open and what is free: see selling.is_within_share
  waiting_limit integer default 100 not null,  -- sells of one tenant that may wait for a bot: see selling.has_too_many_waiting
  changed_at timestamp with time zone default now() not null,
  constraint policy_pkey primary key (only_row),
  constraint policy_offer_share_in_bounds check (offer_share >= 1 and offer_share <= 100),
  constraint policy_only_row check (only_row),
  constraint policy_quotes_in_order check (0 < least_quote and least_quote <= most_quote),
  constraint policy_waiting_limit_positive check (waiting_limit > 0)
);

-- what the workers need of a sell; the trade itself is in trades
create table selling.sell (
  trade_id uuid not null,
  tenant_id uuid not null,
  account_id uuid not null,
  platform_id text not null,
  partner bigint not null,
  token text not null,
  request_id uuid not null,
  waiting boolean default true not null,  -- it has items that no offer carries yet
  held_back boolean default false not null,  -- the database was restored while it waited, and an offer for it may be out that the database has lost
  created_at timestamp with time zone not null,
  due_at timestamp with time zone not null,  -- when a worker looks for bots next; a claim moves it into the future, which is its lease
  constraint sell_pkey primary key (trade_id)
) with (fillfactor=80);
create index sell_overdue on selling.sell (created_at) where waiting;
create index sell_waiting on selling.sell (tenant_id, account_id, created_at) where waiting;

create table selling.stock (
  item_id uuid not null,
  bot_id text not null,
  asset_id text not null,  -- its id in the bot's inventory
  context_id text not null,
  catalog_item_id text not null,
  market_hash_name text not null,
  cost bigint not null,  -- cents of `currency`: the price of the sell, the merchant's fee included
  currency ledger.currency not null,
  cost_usd bigint not null,  -- US cents: the quote
  acquired_at timestamp with time zone not null,
  unlocks_at timestamp with time zone not null,  -- from then on the bot can trade it
  state text default 'protected' not null,
  constraint stock_pkey primary key (item_id),
  constraint stock_item foreign key (item_id) references selling.item(id),
  constraint stock_cost_positive check (cost > 0 and cost_usd > 0),
  constraint stock_state_known check (state = any (array['protected', 'owned', 'returned']))
);
create unique index stock_asset on selling.stock (asset_id) where (state <> 'returned');

create function selling.adopt_offer(offer_intent_id_ uuid, trade_id_ uuid, item_ids_ uuid[], bot_id_ text, offer_id_ text, at_ timestamp with time zone, expires_at_ timestamp with time zone) returns integer;
create function selling.assign(trade_id_ uuid, bot_ids_ text[], free_slots_ integer[], active_offers_ integer[], bot_limit_ integer, partner_limit_ integer, at_ timestamp with time zone, lease_until_ timestamp with time zone, expires_at_ timestamp with time zone) returns setof uuid;
create function selling.audit(after_ uuid, up_to_ uuid) returns table(invariant text, detail text);
create function selling.bot_room(bot_ids_ text[], free_slots_ integer[], active_offers_ integer[], bot_limit_ integer) returns table(bot_id text, free_offers bigint, free_items bigint);
create function selling.check_waiting(tenant_id_ uuid, account_id_ uuid) returns void;
create function selling.claim_waiting(bot_ids_ text[], free_slots_ integer[], active_offers_ integer[], bot_limit_ integer, partner_limit_ integer, limit_ integer, at_ timestamp with time zone, lease_until_ timestamp with time zone, placeable_since_ timestamp with time zone) returns setof uuid;
create function selling.has_too_many_waiting(tenant_id_ uuid, account_id_ uuid) returns boolean;
create function selling.is_within_share(share_ integer, of_tenant_ bigint, of_child_ bigint, free_ bigint) returns boolean;
create function selling.move_items(trade_id_ uuid, item_ids_ uuid[], from_ trades.status, to_ trades.status, at_ timestamp with time zone, offer_intent_id_ uuid, offer_id_ text, hold_ends_at_ timestamp with time zone, failure_code_ text, failure_detail_ text, reverted_by_ text) returns integer;
create function selling.open_offers() returns table(tenant_id uuid, account_id uuid, platform_id text, bot_id text, items bigint);
create function selling.pay_proceeds(item_ids_ uuid[], tenant_id_ uuid, external_id_ text, at_ timestamp with time zone) returns void;
create function selling.place_sell(tenant_id_ uuid, account_id_ uuid, platform_id_ text, trade_url_ text, external_id_ text, request_hash_ bytea, game_ text, currency_ ledger.currency, usd_per_eur_micros_ bigint, request_id_ uuid, at_ timestamp with time zone, partner_ bigint, token_ text, asset_ids_ text[], context_ids_ text[], class_ids_ text[], catalog_item_ids_ text[], descriptions_ jsonb[], quotes_ bigint[], prices_ bigint[], merchant_fees_ bigint[], out trade_id uuid, out replayed boolean, out item_count smallint, out total bigint, out created_at timestamp with time zone) returns record;
create function selling.raise_version() returns trigger;
create function selling.release_intent(offer_intent_id_ uuid, detail_ text, due_at_ timestamp with time zone) returns void;

create schema sockets;

create table sockets.process (
  id uuid not null,
  lease_until timestamp with time zone not null,
  constraint process_pkey primary key (id)
);

create table sockets.slot (
  process_id uuid not null,
  channel text not null,
  tenant_id uuid not null,
  account_id uuid not null,
  taken integer not null,
  constraint slot_pkey primary key (process_id, channel, account_id),
  constraint slot_process foreign key (process_id) references sockets.process(id) on delete cascade,
  constraint slot_channel_known check (channel = any (array['market', 'user'])),
  constraint slot_taken_positive check (taken > 0)
);
create index slot_of_account on sockets.slot (account_id, channel);
create index slot_of_tenant on sockets.slot (tenant_id, channel);

create function sockets.take_slots(process_ uuid, at_ timestamp with time zone, channels_ text[], tenants_ uuid[], accounts_ uuid[], per_account_ integer, per_tenant_ integer, in_all_ integer, batch_ integer) returns table(ordinal integer, answer text);
create function sockets.total() returns table(channel text, taken bigint);

create schema trades;

create type trades.status as enum ('initiated', 'pending', 'active', 'hold', 'completed', 'reverted', 'declined', 'canceled', 'failed');

create table trades.account_figures (
  account_id uuid not null,
  status trades.status not null,
  trade_count bigint not null,
  refund_count bigint not null,  -- items of these trades whose price was given back, once the trade has ended
  refunded_within interval not null,  -- the longest time from a trade to the refund of one of its items
  volume_usd bigint not null,  -- cents, of completed trades and of those that have not ended, each at its own rate
  fees bigint not null,  -- cents: what the trades brought the tenant
  due_fees bigint not null,  -- cents: what trades that have not ended bring the tenant if all of their items complete
  constraint account_figures_pkey primary key (account_id, status)
);

create view trades.change_of_kept_day as
 select c.id,
    c.tenant_id,
    c.day,
    c.account_id,
    c.status,
    c.trade_count,
    c.gmv_usd,
    c.gmv_eur,
    c.fees,
    c.volume_usd,
    c.due_fees,
    c.refund_count,
    c.refunded_within
   from (trades.figure_change c
     join trades.figures_mark m on (((m.tenant_id = c.tenant_id) and (c.day < m.until_day))));

create table trades.day_figures (
  tenant_id uuid not null,
  day date not null,
  account_id uuid not null,
  status trades.status not null,
  trade_count integer not null,
  gmv_usd bigint not null,  -- cents, of completed trades, each at its own rate
  gmv_eur bigint not null,  -- cents; without trades that have no rate: a merchant in euros has none of those
  fees bigint not null,  -- cents of the merchant's earnings wallet
  constraint day_figures_pkey primary key (tenant_id, day, account_id, status)
);

create table trades.figure_change (
  id bigint generated always as identity,
  tenant_id uuid not null,
  day date not null,
  account_id uuid not null,
  status trades.status not null,  -- a step is two changes: less in the status that its trade leaves, more in that which it comes to
  trade_count bigint not null,
  gmv_usd bigint not null,
  gmv_eur bigint not null,
  fees bigint not null,
  volume_usd bigint not null,
  due_fees bigint not null,
  refund_count bigint not null,
  refunded_within interval not null,
  constraint figure_change_pkey primary key (id)
);
create index figure_change_of_account on trades.figure_change (account_id);
create index figure_change_of_tenant on trades.figure_change (tenant_id, day);

create table trades.figures_mark (
  tenant_id uuid not null,
  until_day date not null,  -- the first day that is not kept in day_figures
  child_orders bigint default 0 not null,  -- completed trades of the kept days, of all accounts below the tenant
  child_volume_usd bigint default 0 not null,  -- cents, of the same trades
  child_fees bigint default 0 not null,  -- cents, of the same trades: what they brought the tenant
  child_open_orders bigint default 0 not null,  -- trades of the kept days that have not ended, of the same accounts
  child_open_volume_usd bigint default 0 not null,  -- cents, of the trades that have not ended
  child_due_fees bigint default 0 not null,  -- cents: what they bring the tenant if all of their items complete
  constraint figures_mark_pkey primary key (tenant_id)
);

create table trades.item (
  id uuid default uuidv7() not null,
  trade_id uuid not null,
  position smallint not null,
  external_id text,
  catalog_item_id text not null,
  description jsonb not null,
  price bigint not null,  -- cents of the wallet's currency, like house_fee, merchant_fee, refunded and penalty: what the buyer pays, or what the seller is quoted
  house_fee bigint not null,  -- part of the price of a bought item; the rest, less merchant_fee, is what the supplier asks. 0 of a sold one
  merchant_fee bigint not null,  -- part of the price that the merchant earns when the item is completed
  hold_id uuid,  -- its hold in the ledger; null of a sold item, for which no money is put aside
  status trades.status default 'initiated'::trades.status not null,
  offer_id text,
  failure_code text,
  failure_detail text,
  reverted_by text,
  refunded bigint,
  penalty bigint,
  merchant_earned bigint,  -- cents of the merchant's earnings wallet, set when settled
  hold_ends_at timestamp with time zone,
  settled_at timestamp with time zone,
  status_at timestamp with time zone not null,
  constraint item_pkey primary key (id),
  constraint item_trade foreign key (trade_id) references trades.trade(id),
  constraint item_amounts check (price > 0 and house_fee >= 0 and merchant_fee >= 0 and (house_fee + merchant_fee) <= price),
  constraint item_failure_explained check (failure_code is null or (status = any (array['failed'::trades.status, 'declined'::trades.status]))),
  constraint item_refund_adds_up check ((refunded + penalty) = price),
  constraint item_reverter_known check ((status = 'reverted'::trades.status) = (reverted_by is not null) and (reverted_by = any (array['supplier', 'user']))),
  constraint item_settled_when_completed check ((status = 'completed'::trades.status) = (settled_at is not null))
) with (fillfactor=70);
create index item_by_external_id on trades.item (external_id) where (external_id is not null);
create index item_of_offer on trades.item (offer_id) where (offer_id is not null);
create index item_of_trade on trades.item (trade_id);

create table trades.item_step (
  trade_id uuid not null,
  id bigint generated always as identity,
  item_id uuid not null,
  what text not null,
  status trades.status not null,  -- where the item stood after it
  at timestamp with time zone not null,
  offer_id text,
  failure_code text,
  price bigint not null,  -- cents of the wallet's currency: the item's price after it
  constraint item_step_pkey primary key (trade_id, id),
  constraint item_step_what_known check (what = any (array['moved', 'cancel_requested', 'replaced']))
);

create view trades.kept_account as
 select account_figures.account_id,
    account_figures.status,
    account_figures.trade_count,
    account_figures.refund_count,
    account_figures.refunded_within,
    account_figures.volume_usd,
    account_figures.fees,
    account_figures.due_fees
   from trades.account_figures
union all
 select change_of_kept_day.account_id,
    change_of_kept_day.status,
    change_of_kept_day.trade_count,
    change_of_kept_day.refund_count,
    change_of_kept_day.refunded_within,
    change_of_kept_day.volume_usd,
    change_of_kept_day.fees,
    change_of_kept_day.due_fees
   from trades.change_of_kept_day;

create view trades.kept_children as
 select figures_mark.tenant_id,
    figures_mark.child_orders as orders,
    figures_mark.child_volume_usd as volume_usd,
    figures_mark.child_fees as fees,
    figures_mark.child_open_orders as open_orders,
    figures_mark.child_open_volume_usd as open_volume_usd,
    figures_mark.child_due_fees as due_fees
   from trades.figures_mark
union all
 select c.tenant_id,
        case
            when (c.status = 'completed'::trades.status) then c.trade_count
            else (0)::bigint
        end as orders,
        case
            when (c.status = 'completed'::trades.status) then c.volume_usd
            else (0)::bigint
        end as volume_usd,
        case
            when (c.status = 'completed'::trades.status) then c.fees
            else (0)::bigint
        end as fees,
        case
            when (c.status < 'completed'::trades.status) then c.trade_count
            else (0)::bigint
        end as open_orders,
        case
            when (c.status < 'completed'::trades.status) then c.volume_usd
            else (0)::bigint
        end as open_volume_usd,
    c.due_fees
   from trades.change_of_kept_day c
  where (c.account_id <> c.tenant_id);

create view trades.kept_day as
 select day_figures.tenant_id,
    day_figures.day,
    day_figures.account_id,
    day_figures.status,
    day_figures.trade_count,
    day_figures.gmv_usd,
    day_figures.gmv_eur,
    day_figures.fees
   from trades.day_figures
union all
 select change_of_kept_day.tenant_id,
    change_of_kept_day.day,
    change_of_kept_day.account_id,
    change_of_kept_day.status,
    change_of_kept_day.trade_count,
    change_of_kept_day.gmv_usd,
    change_of_kept_day.gmv_eur,
    change_of_kept_day.fees
   from trades.change_of_kept_day;

create view trades.kept_tenant_day as
 select tenant_day_figures.tenant_id,
    tenant_day_figures.day,
    tenant_day_figures.status,
    tenant_day_figures.trade_count,
    tenant_day_figures.gmv_usd,
    tenant_day_figures.gmv_eur,
    tenant_day_figures.fees
   from trades.tenant_day_figures
union all
 select change_of_kept_day.tenant_id,
    change_of_kept_day.day,
    change_of_kept_day.status,
    change_of_kept_day.trade_count,
    change_of_kept_day.gmv_usd,
    change_of_kept_day.gmv_eur,
    change_of_kept_day.fees
   from trades.change_of_kept_day;

create table trades.switch (
  only_row boolean default true not null,
  paused boolean default false not null,
  reason text,
  changed_at timestamp with time zone default now() not null,
  constraint switch_pkey primary key (only_row),
  constraint switch_only_row check (only_row)
);

create table trades.tenant_day_figures (
  tenant_id uuid not null,
  day date not null,
  status trades.status not null,
  trade_count bigint not null,
  gmv_usd bigint not null,
  gmv_eur bigint not null,
  fees bigint not null,
  constraint tenant_day_figures_pkey primary key (tenant_id, day, status)
);

create table trades.trade (
  id uuid default uuidv7() not null,
  type text not null,
  tenant_id uuid not null,  -- the merchant or partner that the account belongs to: its events, its earnings, its lists
  account_id uuid not null,
  platform_id text not null,
  trade_url text not null,
  external_id text,
  request_hash bytea not null,  -- SHA-256 of the request: a replay under one external id must bring the same
  game text not null,
  currency ledger.currency not null,
  usd_per_eur_micros bigint,  -- US dollars for one euro in millionths, locked when the trade was made; null where no euro is involved
  status trades.status not null,
  item_count smallint not null,
  total bigint not null,  -- cents of the wallet's currency: the sum of its items' prices
  first_total bigint,  -- the total that the first answer showed, cents; null while total is the same
  earned bigint default 0 not null,  -- cents of the merchant's earnings wallet: the sum of its items' merchant_earned, so that figures read no items
  request_id uuid,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint trade_pkey primary key (id),
  constraint trade_rate_locked check (currency = 'USD'::ledger.currency or usd_per_eur_micros > 0),
  constraint trade_total_positive check (total > 0),
  constraint trade_type_known check (type = any (array['buy', 'sell']))
) with (fillfactor=80);
create index trade_by_day on trades.trade (tenant_id, created_at);
create index trade_of_account on trades.trade (account_id, id);
create index trade_of_tenant on trades.trade (tenant_id, id);
create index trade_platform_account on trades.trade (platform_id, tenant_id, id);
create unique index trade_replay on trades.trade (tenant_id, external_id, account_id) where (external_id is not null);
create trigger trade_figures_noted after update on trades.trade for each row when (((new.updated_at >= (new.created_at + '12:00:00'::interval)) and ((old.status <> new.status) or (old.earned <> new.earned)))) execute function trades.note_figure_change();

create table trades.transition (
  type text not null,
  from_status trades.status not null,
  to_status trades.status not null,
  constraint transition_pkey primary key (type, from_status, to_status)
);

create function trades.add_items(trade_id_ uuid, at_ timestamp with time zone, external_ids_ text[], catalog_item_ids_ text[], descriptions_ jsonb[], prices_ bigint[], house_fees_ bigint[], merchant_fees_ bigint[], is_held_ boolean) returns uuid[];
create function trades.audit(after_ uuid, up_to_ uuid) returns table(invariant text, detail text);
create function trades.begin_or_replay(type_ text, tenant_id_ uuid, account_id_ uuid, platform_id_ text, trade_url_ text, external_id_ text, request_hash_ bytea, game_ text, currency_ ledger.currency, usd_per_eur_micros_ bigint, request_id_ uuid, at_ timestamp with time zone, item_count_ integer, total_ bigint, out trade_id uuid, out replayed boolean, out item_count smallint, out total bigint, out created_at timestamp with time zone) returns record;
create function trades.described_items(trade_id_ uuid) returns table(id uuid, "position" smallint, catalog_item_id text, description jsonb);
create function trades.emit(trade_ trades.trade, status_ trades.status, at_ timestamp with time zone) returns void;
create function trades.fee_postings(tenant_id_ uuid, fee_ bigint, from_account_ bigint, currency_ ledger.currency, usd_per_eur_micros_ bigint, out earned bigint, out currencies ledger.currency[], out debits bigint[], out credits bigint[], out amounts bigint[]) returns record;
create function trades.figures_of(t trades.trade) returns table(trade_count bigint, gmv_usd bigint, gmv_eur bigint, fees bigint, volume_usd bigint, due_fees bigint, refund_count bigint, refunded_within interval);
create function trades.first_id(at_ timestamp with time zone) returns uuid;
create function trades.fold_changes(tenant_ uuid, limit_ integer) returns boolean;
create function trades.gmv(total_ bigint, currency_ ledger.currency, usd_per_eur_micros_ bigint, into_ ledger.currency) returns bigint;
create function trades.items_by_id(item_ids_ uuid[]) returns table(id uuid, trade_id uuid, "position" smallint, external_id text, catalog_item_id text, market_hash_name text, price bigint, house_fee bigint, merchant_fee bigint, hold_id uuid, status trades.status, status_at timestamp with time zone, offer_id text, reverted_by text, hold_ends_at timestamp with time zone, account_id uuid, platform_id text, trade_url text, request_id uuid, currency ledger.currency, usd_per_eur_micros bigint);
create function trades.items_of(trade_id_ uuid) returns table(id uuid, "position" smallint, external_id text, price bigint, status trades.status, status_at timestamp with time zone);
create function trades.items_of_type(type_ text, after_ uuid, up_to_ uuid) returns table(id uuid, trade_id uuid, account_id uuid, currency ledger.currency, price bigint, house_fee bigint, merchant_fee bigint, status trades.status, offer_id text);
create function trades.keep_day(tenant_ uuid, before_ date) returns boolean;
create function trades.lock_trade(trade_id_ uuid) returns table(tenant_id uuid, account_id uuid, external_id text, currency ledger.currency, usd_per_eur_micros bigint);
create function trades.move_items(trade_id_ uuid, item_ids_ uuid[], from_ trades.status, to_ trades.status, at_ timestamp with time zone, offer_id_ text, hold_ends_at_ timestamp with time zone, failure_code_ text, failure_detail_ text, reverted_by_ text, penalty_ bigint, out moved uuid[], out tenant_id uuid, out account_id uuid, out external_id text, out currency ledger.currency, out usd_per_eur_micros bigint) returns record;
create function trades.not_kept(tenant_id_ uuid, out since timestamp with time zone, out from_id uuid) returns record;
create function trades.note_cancel_requests(item_ids_ uuid[], at_ timestamp with time zone) returns void;
create function trades.note_figure_change() returns trigger;
create function trades.platform_of(trade_id_ uuid) returns text;
create function trades.refund(trade_ trades.trade, item_ trades.item, at_ timestamp with time zone) returns void;
create function trades.replace_item(item_id_ uuid, description_ jsonb, price_ bigint, house_fee_ bigint, merchant_fee_ bigint, hold_id_ uuid, failure_code_ text, at_ timestamp with time zone) returns void;
create function trades.set_earned(item_id_ uuid, earned_ bigint) returns void;
create function trades.set_total(trade_id_ uuid, item_count_ integer, total_ bigint) returns void;
create function trades.tenants() returns setof uuid;

create schema webhooks;

create table webhooks.attempt (
  id bigint generated always as identity,
  delivery_id uuid not null,
  number smallint not null,
  manual boolean not null,
  started_at timestamp with time zone not null,
  duration_ms integer not null,
  request_headers jsonb not null,
  request_body text not null,
  response_status smallint,
  response_body text,  -- its first 16 KiB
  error text,
  constraint attempt_pkey primary key (id)
);
create index attempt_age on webhooks.attempt (started_at);
create index attempt_of_delivery on webhooks.attempt (delivery_id, id);

create table webhooks.delivery (
  id uuid default uuidv7() not null,  -- names the delivery in the dashboard
  endpoint_id uuid not null,
  event_id bigint not null,
  event_type text not null,  -- as the endpoint's dialect names it
  tenant_id uuid not null,  -- whose endpoint it is
  account_id uuid not null,
  subject_id uuid not null,
  payload jsonb not null,
  status text not null,  -- pending: its first attempt has not ended; skipped: the endpoint was disabled; parked: its event could not be rendered
  attempts smallint default 0 not null,
  due_at timestamp with time zone not null,
  created_at timestamp with time zone not null,  -- the time of the event
  finished_at timestamp with time zone,
  parked_reason text,
  webhook_id uuid,  -- the id of the event, as its tenant knows it; null: the delivery's own
  leased_until timestamp with time zone,  -- the lease of the attempt that is under way; forgotten when its result is recorded
  constraint delivery_pkey primary key (id),
  constraint delivery_once unique (endpoint_id, event_id),
  constraint delivery_parked_for_a_reason check ((status = 'parked') = (parked_reason is not null)),
  constraint delivery_status_known check (status = any (array['pending', 'retrying', 'delivered', 'exhausted', 'skipped', 'parked']))
) with (fillfactor=80);
create index delivery_due on webhooks.delivery (endpoint_id, due_at) where (status = any (array['pending', 'retrying']));
create index delivery_first on webhooks.delivery (endpoint_id, subject_id, event_id) where (status = 'pending');
create index delivery_lost on webhooks.delivery (endpoint_id, created_at, event_id) where (status = any (array['skipped', 'exhausted']));
create index delivery_not_delivered on webhooks.delivery (status, id) where (status = any (array['retrying', 'exhausted', 'skipped', 'parked']));
create index delivery_of_subject on webhooks.delivery (endpoint_id, subject_id, event_id);
create index delivery_parked on webhooks.delivery (id) where (status = 'parked');

create table webhooks.endpoint (
  id uuid default uuidv7() not null,
  tenant_id uuid not null,
  parent_id uuid,  -- the partner of a child, whose endpoints share the slots of one owner; null otherwise
  dialect text default 'merchant' not null,  -- the interface whose envelope and signature headers deliveries have
  url text not null,
  proven_at timestamp with time zone,  -- the first success at this address
  status text default 'enabled' not null,
  disabled_reason text,
  secret_sealed text not null,
  previous_secret_sealed text,
  previous_secret_until timestamp with time zone,
  failing_since timestamp with time zone,  -- the first failed attempt after the last success
  failed_attempts integer default 0 not null,  -- since the last success, manual ones aside
  exhausted_deliveries integer default 0 not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  removed_at timestamp with time zone,  -- when its tenant removed it; it gets a new secret when it is set again
  constraint endpoint_pkey primary key (id),
  constraint endpoint_one_each unique (tenant_id),
  constraint endpoint_dialect_known check (dialect = any (array['merchant', 'partner'])),
  constraint endpoint_disabled_for_a_reason check ((status = 'disabled') = (disabled_reason is not null)),
  constraint endpoint_previous_secret_ends check ((previous_secret_sealed is null) = (previous_secret_until is null)),
  constraint endpoint_removed_is_disabled check (removed_at is null or status = 'disabled'),
  constraint endpoint_status_known check (status = any (array['enabled', 'disabled']))
);
create trigger account_is_open before insert on webhooks.endpoint for each row execute function identity.refuse_below_deleted('tenant_id');

create table webhooks.event_name (
  dialect text not null,
  event_type text not null,
  name text not null,
  constraint event_name_pkey primary key (dialect, event_type)
);

create table webhooks.notice (
  endpoint_id uuid not null,
  failing_since timestamp with time zone not null,
  kind text not null,
  created_at timestamp with time zone not null,
  constraint notice_once primary key (endpoint_id, failing_since, kind),
  constraint notice_kind_known check (kind = any (array['failing_24h', 'failing_48h', 'disabled']))
);

create table webhooks.recovery (
  endpoint_id uuid not null,
  ends_at timestamp with time zone not null,
  constraint recovery_pkey primary key (endpoint_id)
);

create function webhooks.claim(at_ timestamp with time zone, lease_until_ timestamp with time zone, limit_ integer, per_endpoint_ integer, per_doubtful_ integer, slow_room_ integer, unproven_room_ integer, per_owner_ integer, held_ jsonb, slow_ uuid[], busy_ uuid[]) returns setof webhooks.delivery;
create function webhooks.first_event_since(endpoint_id_ uuid, since_ timestamp with time zone) returns bigint;
create function webhooks.recover(endpoint_id_ uuid, since_ timestamp with time zone, at_ timestamp with time zone, limit_ integer) returns integer;
create function webhooks.skip_open(at_ timestamp with time zone, limit_ integer) returns integer;
