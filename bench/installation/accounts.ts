// Accounts below the demo merchant, the demo partner or a named account, written by SQL: each with money, and
// an address for its items.

/** Enough for any number of the catalogue's dearest items. */
const BALANCE_CENTS = 1_000_000_000

/** They are called `bench-00001` and so on, or by another prefix; the first one by the number `first`. */
export const accountsSql = ({
  kind,
  count,
  first = 1,
  prefix = 'bench',
  ...parent
}: {
  readonly kind: 'sub_user' | 'child'
  readonly count: number
  readonly first?: number
  readonly prefix?: string
} & ({ readonly below: 'merchant' | 'partner' } | { readonly parentId: string })): string => `
  begin;
  create temp table person on commit drop as
    select n, uuidv7() id, '${prefix}-' || lpad(n::text, 5, '0') external_id, parent.id parent_id,
      (1000000 + n)::bigint partner, lpad(n::text, 8, '0') token, now() at
    from generate_series(${first}, ${first + count - 1}) n,
      (select id from identity.account where ${parentIs(parent)} order by created_at limit 1) parent;
  insert into identity.account
      (id, kind, parent_id, currency, email, external_id, platform_id, created_at, updated_at)
    select id, '${kind}', parent_id, 'USD', external_id || '@bench.example', external_id,
      (partner + 76561197960265728)::text, at, at from person;
  insert into identity.trade_url (id, account_id, partner, token, platform_id, url, persona_name,
      avatar_url, profile_url, is_primary, created_at)
    select uuidv7(), id, partner, token, (partner + 76561197960265728)::text,
      'https://steamcommunity.com/tradeoffer/new/?partner=' || partner || '&token=' || token,
      external_id, 'https://avatars.example/a.jpg', 'https://people.example/' || n, true, at from person;
  select count(ledger.open_account(id, 'spot', 'USD')) from person;
  select count(ledger.open_account(id, 'escrow', 'USD')) from person;
  select count((ledger.post('deposit', null, id, 'bench-deposit', '\\x00', at,
      array['USD'::ledger.currency], array[ledger.house('clearing_demo', 'USD')],
      array[ledger.account_of(id, 'spot')], array[${BALANCE_CENTS}::bigint])).journal_id) from person;
  commit;`

const parentIs = (
  parent: { readonly below: 'merchant' | 'partner' } | { readonly parentId: string },
): string => ('below' in parent ? `kind = '${parent.below}'` : `id = '${parent.parentId}'`)
