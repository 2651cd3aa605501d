// Makes listings change, by the way that a market's feed takes, and tokens for the sockets that receive them.
import { readFileSync } from 'node:fs'
import { createWsTokens } from '../../apps/server/src/edges/http/shared/ws-token.ts'
import { type Db, openDb, sql } from '../../apps/server/src/infra/database/db.ts'
import { systemClock } from '../../apps/server/src/infra/process/clock.ts'
import { createSecretBox } from '../../apps/server/src/infra/process/secrets.ts'
import { mills } from '../../apps/server/src/kernel/money.ts'
import { createCatalog } from '../../apps/server/src/modules/trading/catalog/index.ts'
import { answerWith } from '../ipc.ts'

const USABLE_KEY = sql(
  'bench_usable_key',
  `select id::text from identity.api_key where account_id = $1 and status <> 'revoked' order by id limit 1`,
)
const RAW_IDS = sql(
  'bench_raw_ids',
  `select raw_id from catalog.listing where market = 'market_a' and live and not taken order by id limit 5000`,
)
/** Far above what the markets of the bench ask: each change is one, and rises. */
const FIRST_PRICE_MILLS = 1_000_000n
const STEP_MS = 25

let db: Db | null = null
let rawIds: string[] = []
let changes = 0

const methods = {
  open: async (databaseUrl: string): Promise<void> => {
    db = openDb({ url: databaseUrl, poolSize: 2, applicationName: 'bench live' })
    rawIds = (await db.query<{ raw_id: string }>(RAW_IDS)).map((row) => row.raw_id)
  },
  /**
   * Paths of sockets, one for each account; their tokens belong to a usable key of the merchant. `scopes`:
   * of each in turn, as a query has them.
   */
  paths: async (
    secretsFile: string,
    accounts: readonly { readonly accountId: string; readonly merchantId: string }[],
    scopes: readonly string[] = ['scope=all'],
  ): Promise<string[]> => {
    if (!db) throw new Error('not open')
    const [usable] = await db.query<{ id: string }>(USABLE_KEY, [accounts[0]?.merchantId])
    if (!usable) throw new Error('the merchant has no usable key')
    const key = Buffer.from(readFileSync(secretsFile, 'utf8').trim(), 'hex')
    const tokens = createWsTokens(createSecretBox([key]))
    const expiresAt = new Date(Date.now() + 3_600_000)
    return accounts.map(({ accountId, merchantId: tenantId }, i) => {
      const token = tokens.issue({
        ...{ accountId, tenantId, tier: 'enterprise', keyId: usable.id, session: null, expiresAt },
        address: '127.0.0.1',
        scopes: ['market'],
      })
      return `/market/live?${scopes[i % scopes.length]}&token=${token}`
    })
  },
  /** So many changes a second; answers how many there were. */
  drive: async (perSecond: number, durationMs: number): Promise<number> => {
    if (!db) throw new Error('not open')
    const ingest = createCatalog({ db, clock: systemClock }).openIngest('market_a')
    const first = changes
    const startedAt = performance.now()
    const total = Math.round((perSecond * durationMs) / 1000)
    while (changes - first < total) {
      const elapsedMs = performance.now() - startedAt
      const due = Math.min(total, Math.floor((elapsedMs * perSecond) / 1000)) - (changes - first)
      const events = Array.from({ length: due }, () => {
        const rawId = rawIds[changes % rawIds.length] as string
        const visit = BigInt(Math.floor(changes++ / rawIds.length))
        return {
          kind: 'price',
          rawId,
          priceMills: mills(FIRST_PRICE_MILLS + visit * 1000n),
        } as const
      })
      if (events.length > 0) await ingest.applyChanges(events)
      await new Promise((resolve) => setTimeout(resolve, STEP_MS))
    }
    return total
  },
}
export type LiveDriverMethods = typeof methods

answerWith(methods)
