// Children of the demo partner, written by SQL: each with a wallet, and an address for its items.
import { systemClock } from '../../apps/server/src/infra/clock.ts'
import { openDb } from '../../apps/server/src/infra/db.ts'
import { issueKey } from '../../apps/server/src/modules/identity/index.ts'
import type { Say } from '../rounds.ts'
import { readRows, runScript } from './world.ts'

const BALANCE_CENTS = 1_000_000_000

/** Into a database that has no buyers: `seedTrades` takes these for them. */
export async function seedChildren(
  url: string,
  { count, say }: { readonly count: number; readonly say: Say },
): Promise<void> {
  say(`writing ${count.toLocaleString('en')} children`)
  await runScript(url, childrenSql(count), 'vacuum analyze')
}

const childrenSql = (count: number): string => `
  begin;
  create temp table person on commit drop as
    select n, uuidv7() id, 'bench-' || lpad(n::text, 5, '0') external_id, p.id partner_id,
      (1000000 + n)::bigint partner, lpad(n::text, 8, '0') token, now() at
    from generate_series(1, ${count}) n,
      (select id from identity.account where kind = 'partner' order by created_at limit 1) p;
  insert into identity.account (id, kind, parent_id, currency, email, external_id, created_at, updated_at)
    select id, 'child', partner_id, 'USD', external_id || '@bench.example', external_id, at, at from person;
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

/** A new key of the first child. */
export async function keyOfChild(url: string): Promise<string> {
  const [child] = await readRows<{ id: string }>(
    url,
    "select id from identity.account where external_id = 'bench-00001'",
  )
  if (!child) throw new Error('there are no children')
  const db = openDb({ url, poolSize: 1, applicationName: 'bench partner' })
  try {
    const at = systemClock.now()
    const order = {
      accountId: child.id,
      kind: 'child',
      name: 'bench',
      environment: 'test',
      at,
    } as const
    return (await db.transaction((tx) => issueKey(tx, order))).secret
  } finally {
    await db.close()
  }
}
