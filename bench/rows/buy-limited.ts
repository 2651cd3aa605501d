// POST /market/buy with a key that has a spend limit, beside the same API with a key that has none.

import { openDb } from '../../apps/server/src/infra/database/db.ts'
import { systemClock } from '../../apps/server/src/infra/process/clock.ts'
import { cents } from '../../apps/server/src/kernel/money.ts'
import { changeKey, issueKey } from '../../apps/server/src/modules/accounts/identity/index.ts'
import { BUYERS, type Buyer, readBuyers, readListings } from '../installation/buyers.ts'
import { auditBooks } from '../installation/installation.ts'
import { compare, type Side } from '../rounds.ts'
import { requestForBuy } from './buy.ts'
import { buyersDatabase } from './buyers-database.ts'
import { loadOf, type RunRow, rateLine, startLoad } from './row.ts'

const CONNECTIONS = 32
const WARM_UP = 1000

export const runBuyLimited: RunRow = async (bench) => {
  const { installation, rounds, isQuick, say } = bench
  const requestsEach = isQuick ? 1000 : 5000
  const url = await installation.clone(await buyersDatabase(bench), 'bench_buy_limited')
  const [api, load] = [await installation.startApi(url), startLoad()]
  try {
    const buyers = await readBuyers(url)
    const listings = await readListings(url, 1_000_000)
    const limited = await limitedKey(url, buyers[0]?.merchantId ?? '')
    let buys = 0
    const side = (apiKey: string): Side => ({
      pid: api.pid,
      run: (index) => {
        const count = index < 0 ? WARM_UP : requestsEach
        const taken = listings.splice(0, count)
        if (taken.length < count) throw new Error('there are not enough listings')
        const requests = taken.map((listing) =>
          requestForBuy({ listing, buyer: buyers[buys++ % BUYERS] as Buyer }, apiKey),
        )
        const { port } = api
        return loadOf(load, { port, connections: CONNECTIONS, requests, durationMs: null })
      },
    })
    const sides = { ours: side(limited), peer: side(installation.apiKey) }
    const compared = await compare(sides, { rounds, say })
    await auditBooks(url)
    return [
      rateLine(
        `\`POST /market/buy\` with a key that has a spend limit, ${CONNECTIONS} connections`,
        compared,
        { ratio: 0.9 },
        'the peer is the same API with a key that has none; the books audit is clean after it',
      ),
    ]
  } finally {
    await Promise.all([api.stop(), load.stop()])
    await installation.drop('bench_buy_limited')
  }
}

/** A key whose limit is counted and not reached. */
async function limitedKey(url: string, accountId: string): Promise<string> {
  const db = openDb({ url, poolSize: 1, applicationName: 'bench buy-limited' })
  try {
    const at = systemClock.now()
    return await db.transaction(async (tx) => {
      const key = { accountId, kind: 'merchant', name: 'limited', environment: 'test', at } as const
      const { id, secret } = await issueKey(tx, key)
      const spendLimit = { amountCents: cents(1_000_000_000_000n), window: 'month' } as const
      await changeKey(tx, id, { spendLimit }, at)
      return secret
    })
  } finally {
    await db.close()
  }
}
