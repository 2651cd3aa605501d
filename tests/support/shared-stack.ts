// One installation for all test files that need no settings of their own: they are a group, because the start
// of one costs as much as most of these files do. Each file has a merchant of its own there.
import { randomUUID } from 'node:crypto'
import { sql } from '../../apps/server/src/infra/database/db.ts'
import { systemClock } from '../../apps/server/src/infra/process/clock.ts'
import { createSecretBox } from '../../apps/server/src/infra/process/secrets.ts'
import { testDatabase } from '../../apps/server/src/infra/testing/database.ts'
import { cents } from '../../apps/server/src/kernel/money.ts'
import { createMerchant, issueKey } from '../../apps/server/src/modules/accounts/identity/index.ts'
import { newSecret, setEndpoint } from '../../apps/server/src/modules/events/webhooks/index.ts'
import { demoDeposit } from '../../apps/server/src/modules/money/ledger/index.ts'
import { whenGroupEnds } from '../../tools/tests/shared.ts'
import { type Receiver, startReceiver } from '../webhooks/receiver.ts'
import { createClient } from './client.ts'
import { newSecretsKey } from './server.ts'
import { type Stack, startStack, untilStocked } from './stack.ts'
import { until } from './until.ts'
import { startWebhooks, type Webhooks } from './webhooks.ts'

interface Shared {
  readonly stack: Stack
  readonly secretsKey: string
  readonly endpoints: Webhooks[]
  readonly partnerReceiver: Receiver
}

export interface SharedStack extends Stack {
  /** Where the events of the demo's partner go, for the one file that reads them. */
  readonly partnerReceiver: Receiver
}

let shared: Promise<Shared> | null = null

/**
 * The stack with a merchant and its endpoint for the file that asks; the demo’s accounts are those of all.
 * `close` waits for the trades of the file, so that nothing moves under the next one.
 */
export async function shareStack(): Promise<SharedStack> {
  shared ??= start()
  const { stack, secretsKey, endpoints, partnerReceiver } = await shared
  const { database, demo, control } = stack
  const secret = newSecret()
  const webhooks = await startWebhooks(() => secret)
  endpoints.push(webhooks)
  const at = new Date()
  const email = `merchant-${randomUUID()}@example.com`
  const { id, apiKey } = await database.db.transaction(async (tx) => {
    const { id } = await createMerchant(tx, { ...LIKE_THE_DEMO, email, at })
    await demoDeposit(tx, { ownerId: id, currency: 'USD', amount: cents(100_000_00n), at })
    const order = {
      accountId: id,
      kind: 'merchant',
      name: 'first',
      environment: 'test',
      at,
    } as const
    return { id, apiKey: (await issueKey(tx, order)).secret }
  })
  await setEndpoint(
    {
      ...{ db: database.db, clock: systemClock, allowPrivate: true },
      secrets: createSecretBox([Buffer.from(secretsKey, 'hex')]),
    },
    { tenantId: id, url: webhooks.url, secret },
  )
  const merchant = createClient({ baseUrl: demo.baseUrl, apiKey })
  await untilStocked(merchant, control)
  return {
    ...{ ...stack, merchant, webhooks, partnerReceiver },
    close: async () => {
      await until('every trade of the file has ended', async () => {
        const [left] = await database.db.query<{ trades: number }>(OPEN_TRADES, [])
        return left?.trades === 0
      })
      await stack.auditBooks()
    },
  }
}

async function start(): Promise<Shared> {
  const secretsKey = newSecretsKey()
  const partnerReceiver = await startReceiver()
  whenGroupEnds(() => partnerReceiver.close())
  const stack = await startStack(await testDatabase({ poolSize: 2 }), {
    SECRETS_KEY: secretsKey,
    PARTNER_WEBHOOK_URL: partnerReceiver.url,
    // As in production; what else a market says of an order is read alike.
    MARKET_B_PENALTIES: 'hold',
  })
  const endpoints: Webhooks[] = []
  whenGroupEnds(async () => {
    await stack.close().finally(() => Promise.all(endpoints.map(({ close }) => close())))
  })
  return { stack, secretsKey, endpoints, partnerReceiver }
}

const OPEN_TRADES = sql(
  'test_open_trades',
  `select count(*)::int trades from trades.trade
   where status in ('initiated', 'pending', 'active', 'hold')`,
)

const LIKE_THE_DEMO = {
  name: 'Another merchant',
  currency: 'USD',
  country: 'DE',
  tier: 'enterprise',
  fees: { feeBps: 300, buyFeeBps: 200, sellFeeBps: 200, childDefaultFeeBps: null },
} as const
