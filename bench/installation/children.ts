// Children of the demo partner.

import { openDb } from '../../apps/server/src/infra/database/db.ts'
import { systemClock } from '../../apps/server/src/infra/process/clock.ts'
import { issueKey } from '../../apps/server/src/modules/accounts/identity/index.ts'
import type { Say } from '../rounds.ts'
import { accountsSql } from './accounts.ts'
import { readRows, runScript } from './installation.ts'

/** Into a database that has no buyers: `seedTrades` takes these for them. */
export async function seedChildren(
  url: string,
  { count, say }: { readonly count: number; readonly say: Say },
): Promise<void> {
  say(`writing ${count.toLocaleString('en')} children`)
  await runScript(url, accountsSql({ kind: 'child', below: 'partner', count }), 'vacuum analyze')
}

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
