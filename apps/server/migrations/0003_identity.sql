-- Who is who: accounts in one tree, the keys that open them, the trade URLs they receive items at.
create schema identity;

create table identity.account (
  id uuid not null,
  kind text not null,
  parent_id uuid,
  status text not null default 'active',
  currency text not null,
  email text,
  name text,
  description text,
  external_id text collate "C",
  platform_id text collate "C",
  country text,
  tier text not null default 'standard',
  fee_bps integer,
  buy_fee_bps integer,
  sell_fee_bps integer,
  child_default_fee_bps integer,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  recovers_debts boolean not null default false,
  constraint account_pkey primary key (id),
  constraint account_parent foreign key (parent_id) references identity.account (id),
  constraint account_kind_known check (kind in ('merchant', 'sub_user', 'partner', 'child', 'admin')),
  constraint account_kind_says_parent check ((kind in ('sub_user', 'child')) = (parent_id is not null)),
  constraint account_status_known check (status in ('active', 'suspended', 'deleted')),
  constraint account_deleted_at_known check ((status = 'deleted') = (deleted_at is not null)),
  constraint account_currency_known check (currency in ('USD', 'EUR')),
  constraint account_partner_is_usd check (currency = 'USD' or kind in ('merchant', 'sub_user')),
  constraint account_tier_known check (tier in ('standard', 'premium', 'enterprise')),
  constraint account_platform_id_form check (platform_id ~ '^7656[0-9]{13}$'),
  constraint account_external_id_length check (length(external_id) between 1 and 128),
  constraint account_external_id_is_a_childs check (external_id is null or parent_id is not null),
  constraint account_fees_in_range check (fee_bps between 0 and 10000 and buy_fee_bps between 0 and 10000
    and sell_fee_bps between 0 and 10000 and child_default_fee_bps between 0 and 10000),
  constraint account_merchant_has_fees check (kind <> 'merchant'
    or (fee_bps is not null and buy_fee_bps is not null and sell_fee_bps is not null)),
  constraint account_principal_has_email check (kind not in ('merchant', 'partner', 'admin') or email is not null),
  -- Deleted accounts are in it too: an external id stays taken for ever.
  constraint account_external_id_once unique (parent_id, external_id),
  constraint account_with_users_recovers check (not recovers_debts or kind in ('merchant', 'partner'))
);
comment on column identity.account.parent_id is 'the merchant of a sub-user, the partner of a child';
comment on column identity.account.description is 'of a child: what its partner noted of it';
comment on column identity.account.external_id is 'a merchant''s reference of a sub-user; of a child, the SHA-256 of its lower-cased e-mail address, so that the address stays known when it has been erased';
comment on column identity.account.platform_id is 'the linked platform account, 64-bit id; set by the merchant or by the first trade URL';
comment on column identity.account.fee_bps is 'house fee on its own buys, basis points; null: of a sub-user the merchant''s childDefaultFeeBps, of a child its partner''s fee_bps, else the global default';
comment on column identity.account.buy_fee_bps is 'a merchant''s cut on its sub-users'' buys, or a partner''s on its children''s, basis points; null of a partner: none';
comment on column identity.account.sell_fee_bps is 'a merchant''s cut on its sub-users'' sells, basis points';
comment on column identity.account.recovers_debts is 'what its sub-users or children owe for deposits is taken from its spot wallet after a day';
create index account_children on identity.account (parent_id, id) where parent_id is not null;
create index account_children_email on identity.account (parent_id, (lower(email) collate "C")) where parent_id is not null;
create index account_children_platform_id on identity.account (parent_id, platform_id) where parent_id is not null;
-- The address of such an account is its own.
create unique index account_login on identity.account (lower(email)) where kind in ('merchant', 'partner', 'admin');
-- For the administrators' list: merchants have far more sub-users than there are of these.
create index account_listed on identity.account (id) where kind in ('merchant', 'partner', 'child');

-- Locks an account against deletion until the transaction ends. Every function that opens something for an
-- account (a trade, a deposit, a withdrawal) calls this first. Key share conflicts with the `for update` of a
-- deletion and with nothing else, so requests of one account do not wait for each other here.
create function identity.lock_active_account(account_id_ uuid) returns void
language plpgsql as $$
declare status_ text;
begin
  select a.status into status_ from identity.account a where a.id = account_id_ for key share;
  if status_ is null or status_ = 'deleted' then
    raise exception 'account % does not exist', account_id_ using errcode = '23503', constraint = 'account_exists';
  end if;
  if status_ <> 'active' then
    raise exception 'account % is %', account_id_, status_ using errcode = '23514', constraint = 'account_is_active';
  end if;
end $$;

create function identity.deleted_accounts() returns setof uuid
language sql stable as $$ select id from identity.account where status = 'deleted' $$;

-- The merchant of a sub-user; null for every other account.
create function identity.merchant_of(account_id_ uuid) returns uuid
language sql stable as $$ select parent_id from identity.account where id = account_id_ and kind = 'sub_user' $$;

create function identity.is_child(account_id_ uuid) returns boolean
language sql stable as $$ select exists (select from identity.account where id = account_id_ and kind = 'child') $$;

create function identity.tier_of(account_id_ uuid) returns text
language sql stable as $$ select tier from identity.account where id = account_id_ $$;

create table identity.api_key (
  id uuid not null,
  account_id uuid not null,
  kind text not null,
  name text not null,
  hash bytea not null,
  prefix text not null,
  last4 text not null,
  allowlist cidr[] not null default '{}',
  status text not null default 'active',
  valid_until timestamptz,
  created_at timestamptz not null,
  revoked_at timestamptz,
  last_used_at timestamptz,
  constraint api_key_pkey primary key (id),
  constraint api_key_account foreign key (account_id) references identity.account (id),
  constraint api_key_hash_once unique (hash),
  constraint api_key_hash_is_sha256 check (length(hash) = 32),
  constraint api_key_kind_known check (kind in ('merchant', 'partner', 'child')),
  constraint api_key_status_known check (status in ('active', 'rotating', 'revoked')),
  constraint api_key_rotating_ends check (status <> 'rotating' or valid_until is not null),
  constraint api_key_revoked_at_known check ((status = 'revoked') = (revoked_at is not null))
);
comment on column identity.api_key.hash is 'SHA-256 of the whole key; the key itself is kept nowhere';
comment on column identity.api_key.allowlist is 'networks that may use it; empty: any';
comment on column identity.api_key.valid_until is 'the end of the overlap while rotating, or a chosen expiry';
comment on column identity.api_key.last_used_at is 'to the minute';
create index api_key_of_account on identity.api_key (account_id);

-- Processes keep keys in memory for seconds; this notifies them to forget it at once. The payload is the key and
-- its account.
create function identity.notify_key_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('identity_key_changed', new.id || ' ' || new.account_id);
  return null;
end $$;
create trigger api_key_changed after update of status, allowlist, valid_until on identity.api_key
  for each row when ((new.status, new.allowlist, new.valid_until) is distinct from (old.status, old.allowlist, old.valid_until))
  execute function identity.notify_key_changed();
create function identity.notify_account_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('identity_key_changed', '');
  return null;
end $$;
-- Processes keep the house fee of an account with its keys, and show the market's prices by it: a new fee makes them
-- forget the keys, as a new status does.
create trigger account_changed after update of status, tier, currency, fee_bps on identity.account
  for each row when (new.kind <> 'sub_user' and (new.status, new.tier, new.currency, new.fee_bps)
    is distinct from (old.status, old.tier, old.currency, old.fee_bps))
  execute function identity.notify_account_changed();

-- Sockets live as long as their account may have them, and show its prices: this notifies their
-- processes when either changed. The payload is the account.
create function identity.notify_standing_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('identity_standing_changed', new.id::text);
  return null;
end $$;
create trigger account_standing_changed
  after update of status, fee_bps, buy_fee_bps, child_default_fee_bps, currency on identity.account
  for each row
  when ((new.status, new.fee_bps, new.buy_fee_bps, new.child_default_fee_bps, new.currency)
    is distinct from (old.status, old.fee_bps, old.buy_fee_bps, old.child_default_fee_bps, old.currency))
  execute function identity.notify_standing_changed();

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
  created_at timestamptz not null,
  constraint trade_url_pkey primary key (id),
  constraint trade_url_account foreign key (account_id) references identity.account (id),
  constraint trade_url_once unique (account_id, partner, token),
  constraint trade_url_partner_is_32_bit check (partner between 1 and 4294967295),
  constraint trade_url_token_form check (token ~ '^[A-Za-z0-9_-]{8}$'),
  constraint trade_url_names_its_platform_account check (platform_id = (partner + 76561197960265728)::text)
);
create unique index trade_url_one_primary on identity.trade_url (account_id) where is_primary;

-- Locks accounts against deletion, and returns whose they are. Unlike lock_active_account it refuses nothing:
-- money that arrives for a suspended account is still credited.
create function identity.lock_owners(account_ids_ uuid[])
  returns table (account_id uuid, tenant_id uuid, currency text, status text)
language sql as $$
  select a.id, coalesce(a.parent_id, a.id), a.currency, a.status
  from identity.account a where a.id = any (account_ids_) order by a.id for key share $$;

create function identity.external_id_of(account_id_ uuid) returns text
language sql stable as $$ select a.external_id from identity.account a where a.id = account_id_ $$;

-- Before a row below an account: a close of the account is waited for, and after it the row is refused. Key share
-- conflicts with the lock of a close and with nothing else. The argument names the column with the account.
create function identity.refuse_below_deleted() returns trigger language plpgsql as $$
declare
  account_id_ uuid := to_jsonb(new) ->> tg_argv[0];
  status_ text;
begin
  select a.status into status_ from identity.account a where a.id = account_id_ for key share;
  if status_ = 'deleted' then
    raise exception 'account % does not exist', account_id_ using errcode = '23503', constraint = 'account_exists';
  end if;
  return new;
end $$;
create trigger parent_is_open before insert on identity.account
  for each row execute function identity.refuse_below_deleted('parent_id');
create trigger account_is_open before insert on identity.api_key
  for each row execute function identity.refuse_below_deleted('account_id');
create trigger account_is_open before insert on identity.trade_url
  for each row execute function identity.refuse_below_deleted('account_id');

-- Whose wallet repays what an account owes; null: its own alone.
create function identity.payer_of_debts(account_id_ uuid) returns uuid
language sql stable as $$
  select p.id from identity.account a join identity.account p on p.id = a.parent_id and p.recovers_debts
  where a.id = account_id_ $$;
