// The attackers with their accounts, and one step of each attack: a merchant with a long history, merchants
// with an endpoint each, and a partner with children. All are of the highest tier.
import type { Db } from '../../../../apps/server/src/infra/database/db.ts'
import { cents } from '../../../../apps/server/src/kernel/money.ts'
import { credit } from '../../../../apps/server/src/modules/money/ledger/testing/wallets.ts'
import { type Client, createClient, createPartnerClient } from '../../../support/client.ts'
import {
  checkAnswer,
  checkAnswerOf,
  createRawClient,
  type RawClient,
} from '../../../support/raw-requests.ts'
import type { SandboxCall } from '../../../support/sandbox-call.ts'
import type { Service } from '../../worlds/attacked.ts'
import { writeHistory } from '../../worlds/history.ts'
import { createDashboardAttack, openOwner } from './dashboard.ts'
import { createDeposits } from './deposits.ts'
import type { AttackDeps } from './deps.ts'
import { type HostileEndpoint, startHostileEndpoint } from './endpoint.ts'
import { createFeeds } from './feeds.ts'
import { createOrders } from './orders.ts'
import { createPartnerAttack } from './partner.ts'
import { type Known, race } from './races.ts'
import { createRequests, type RouteRequest } from './requests.ts'
import { createSells } from './sells.ts'
import type { Tally } from './tally.ts'
import { churnSockets, floodConnections, sendBytes } from './wire.ts'
import { createWithdrawals } from './withdrawals.ts'

/** Milliseconds between the end of one step of an attack and its next. */
const PAUSE_MS = {
  requests: 25,
  races: 1000,
  sockets: 500,
  bytes: 100,
  reads: 10,
  orders: 300,
  'orders of many': 300,
  sells: 200,
  feeds: 200,
  dashboard: 300,
  deposits: 150,
  withdrawals: 600,
  partner: 150,
  connections: 500,
} as const
export type Attack = keyof typeof PAUSE_MS
const ATTACKS = Object.keys(PAUSE_MS) as readonly Attack[]
/** All that one tenant can do alone. */
export const OF_ONE_MERCHANT = ATTACKS.filter(
  (attack) => attack !== 'orders of many' && attack !== 'partner',
)
/** Of all tenants together. */
export const OF_ALL_TENANTS = ATTACKS.filter((attack) => attack !== 'orders')
export const pauseOf = (attack: Attack): number => PAUSE_MS[attack]

/** Merchants that fill the queues of the markets, each with an endpoint of another host. */
const CROWD = 5
const DEPOSITORS = 20
const OWNER = 'mallory@attack.example'

export interface Attackers {
  readonly endpoints: readonly HostileEndpoint[]
  readonly steps: Readonly<Record<Attack, () => Promise<unknown>>>
  /** Ends what the attackers have under way. */
  settle(): Promise<void>
  /** Compares what they were credited with what they paid. */
  judge(): Promise<void>
  close(): Promise<void>
}

interface AttackersDeps extends AttackDeps {
  readonly service: Service
  readonly db: Db
  readonly databaseUrl: string
  readonly control: SandboxCall
  readonly trades: number
  readonly say: (text: string) => void
}

export async function openAttackers(deps: AttackersDeps): Promise<Attackers> {
  const { service, db } = deps
  const mallory = await openAccount(deps, 'merchant', OWNER)
  await openOwner(db, { accountId: mallory.id, email: OWNER })
  const pat = await openAccount(deps, 'partner', 'pat@attack.example')
  const crowd = await Promise.all(
    Array.from({ length: CROWD }, (_, i) =>
      openAccount(deps, 'merchant', `crowd-${i}@attack.example`),
    ),
  )
  const endpoints = await openEndpoints(deps, [mallory.id, pat.id, ...crowd.map(({ id }) => id)])
  let userNames: readonly string[] = []
  await service.restart(async () => {
    const history = { merchantId: mallory.id, trades: deps.trades, say: deps.say }
    userNames = await writeHistory(deps.databaseUrl, history)
  })
  return createSteps(deps, { mallory, pat, crowd, userNames, endpoints })
}

interface Account {
  readonly id: string
  readonly apiKey: string
}

async function createSteps(
  { service, db, control, tally, throwDice }: AttackersDeps,
  {
    mallory,
    pat,
    crowd,
    userNames,
    endpoints,
  }: {
    readonly mallory: Account
    readonly pat: Account
    readonly crowd: readonly Account[]
    readonly userNames: readonly string[]
    readonly endpoints: readonly HostileEndpoint[]
  },
): Promise<Attackers> {
  const { baseUrl } = service.merchant
  const merchant = createClient({ baseUrl, apiKey: mallory.apiKey })
  const merchants = [mallory, ...crowd].map(({ apiKey }) => createClient({ baseUrl, apiKey }))
  const partner = createPartnerClient({ baseUrl, apiKey: pat.apiKey })
  const raw = createRawClient({ baseUrl, merchantKey: mallory.apiKey, partnerKey: pat.apiKey })
  const known: Known = { tradeIds: [], subUserIds: [] }
  const nextRequest = createRequests(throwDice, { id: known.subUserIds, tradeId: known.tradeIds })
  const shared = { merchant, db, control, tally, throwDice }
  const orders = createOrders({ merchants: [merchant], db, tally, throwDice })
  const ordersOfMany = createOrders({ merchants, db, tally, throwDice })
  const feeds = createFeeds({ ...shared, userNames })
  const deposits = createDeposits({ ...shared, userNames: userNames.slice(0, DEPOSITORS) })
  const sells = await createSells(shared)
  const withdrawals = await createWithdrawals(shared)
  const dashboard = createDashboardAttack({
    ...{ baseUrl, owner: OWNER, victimEmail: service.merchantEmail },
    ...{ endpointUrls: endpoints.map(({ url }) => url), tally, throwDice },
  })
  const ofPartner = createPartnerAttack({ partner, db, tally, throwDice })
  let round = 0
  return {
    endpoints,
    steps: {
      requests: () => sendHostile(raw, nextRequest(), tally),
      races: async () => {
        const requests = await race({ merchant, db, known }, { round: ++round, throwDice })
        tally.count('requests in races', requests)
      },
      sockets: async () => tally.count('sockets', await churnSockets(merchant, throwDice)),
      bytes: async () => tally.count(`bytes: ${await sendBytes(baseUrl, throwDice)}`),
      reads: () => readWhatIsDear(merchant, tally),
      connections: async () =>
        tally.count('connections held', await floodConnections(baseUrl, throwDice)),
      ...{
        orders: orders.step,
        'orders of many': ordersOfMany.step,
        sells: sells.step,
        feeds: feeds.step,
        dashboard: dashboard.step,
      },
      ...{ deposits: deposits.step, withdrawals: withdrawals.step, partner: ofPartner.step },
    },
    settle: async () => {
      await Promise.all([orders.cancelAll(), ordersOfMany.cancelAll()])
    },
    judge: deposits.judge,
    close: async () => {
      raw.close()
      await Promise.all(endpoints.map((endpoint) => endpoint.close()))
    },
  }
}

/** A merchant or partner of the highest tier with money and a key. */
async function openAccount(
  { service, db }: Pick<AttackersDeps, 'service' | 'db'>,
  kind: 'merchant' | 'partner',
  email: string,
): Promise<Account> {
  const opened = await service.ops(`${kind}:create`, email, '--name', email, '--json')
  const { id } = JSON.parse(opened) as { id: string }
  await service.ops('tier:set', 'enterprise', '--account', id)
  const issued = await service.ops('key:issue', 'attack', '--account', id, '--json')
  const { secret } = JSON.parse(issued) as { secret: string }
  await credit(db, { id, currency: 'USD' }, cents(50_000_000n))
  return { id, apiKey: secret }
}

/** One for each account, at a host of its own: webhooks go there, and approvals of withdrawals. */
async function openEndpoints(
  { service, throwDice }: Pick<AttackersDeps, 'service' | 'throwDice'>,
  accountIds: readonly string[],
): Promise<HostileEndpoint[]> {
  const endpoints: HostileEndpoint[] = []
  for (const [i, id] of accountIds.entries()) {
    const endpoint = await startHostileEndpoint(throwDice, `127.0.0.${i + 2}`)
    await service.ops('webhook:set', endpoint.url, '--account', id)
    endpoints.push(endpoint)
  }
  return endpoints
}

async function sendHostile(
  raw: RawClient,
  { route, request, isRouted }: RouteRequest,
  tally: Tally,
): Promise<void> {
  const answer = await raw.send(route.method, request)
  try {
    const key = isRouted ? checkAnswerOf(route, answer) : checkAnswer(answer)
    tally.count(`requests: ${key ?? 'accepted'}`)
  } catch (error) {
    const what = `${route.method} ${request.path.slice(0, 300)} (${request.what.slice(0, 600)})`
    const answered = `${answer.status} ${answer.text.slice(0, 500)}`
    throw new Error(`${what}: ${(error as Error).message}: ${answered}`)
  }
}

async function readWhatIsDear(merchant: Client, tally: Tally): Promise<void> {
  const answers = await Promise.all([
    merchant.call('getMerchantStats'),
    merchant.call('listMerchantTrades', { query: { itemName: 'no such', limit: 100 } }),
    merchant.call('listMerchantTrades', { query: { status: 'hold', limit: 100 } }),
    merchant.call('listMerchantLedger', { query: { type: 'fund_in', limit: 100 } }),
    merchant.call('listSubUsers', { query: { q: 'bench-0', page: 2 } }),
    merchant.call('listPrices', { query: { limit: -1 } }),
    merchant.call('searchMarket', { query: { q: 'a' } }),
  ])
  for (const answer of answers) tally.served('dear reads', answer)
}
