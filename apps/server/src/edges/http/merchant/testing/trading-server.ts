// The trading routes over real HTTP on a real database. Suppliers and the game platform answer as the test
// says. What a buy or a sell does is proven in the modules buying and selling; here, how it is requested and
// what is answered.

import { randomBytes, randomInt } from 'node:crypto'
import { readTradeUrl } from '@tradepost/contract'
import { cancelOrdersOf, createPlaceMarketOrder, readOrders } from '#bidding'
import { chooseItem, createBuy, createCancelBuy, createQuickBuy, type ItemForSale } from '#buying'
import type { CatalogueView } from '#catalog'
import { readDeposits } from '#deposits'
import { createTradeUrlResolver } from '#identity'
import { type Db, sql } from '#infra/database/db'
import { createHeavyReads } from '#infra/database/heavy-reads'
import { createLimiter } from '#infra/limits/rate-limit/limiter'
import { createSecretBox, KEY_BYTES } from '#infra/process/secrets'
import { watchEvents } from '#outbox'
import { cancelSell, createSell } from '#selling'
import { createPauseReader, pauseTrading, readTrades, resumeTrading } from '#trades'
import { createEventRenderer } from '#wire/events/render'
import { merchantEvents } from '#wire/merchant/events/index'
import { type ManualClock, manualClock } from '../../../../infra/testing/clock.ts'
import { testBuyDeps, testFindSeller } from '../../../../modules/trading/buying/testing/buyers.ts'
import {
  type ScriptedSupplier,
  scriptedSupplier,
} from '../../../../modules/trading/buying/testing/supplier.ts'
import {
  type ScriptedPlatform,
  scriptedPlatform,
} from '../../../../modules/trading/selling/testing/platform.ts'
import { sellDeps } from '../../../../modules/trading/selling/testing/sellers.ts'
import { createRateLimits } from '../../shared/rate-limits.ts'
import { createWsTokens, type WsTokens } from '../../shared/ws-token.ts'
import { createBuyOperation } from '../buy/buy.ts'
import { createCancelOperations } from '../cancel/cancel.ts'
import { createEventOperations } from '../events/events.ts'
import { createLimitsOperation } from '../limits/limits.ts'
import { createMarketOrderOperations } from '../market-orders/market-orders.ts'
import type { MerchantOperations } from '../operation.ts'
import { createQuickBuyOperation } from '../quick-buy/quick-buy.ts'
import { createSellingOperations } from '../sell/sell.ts'
import { createTimelineOperation } from '../timeline/timeline.ts'
import { createTradeLookupOperation } from '../trade-lookup/trade-lookup.ts'
import { createTradeUrlsOperations } from '../trade-urls/trade-urls.ts'
import { createUsersOperations } from '../users/users.ts'
import { createWsTokenOperation } from '../ws-token/ws-token.ts'
import {
  type Answer,
  type Client,
  type Edge,
  HOST,
  type MerchantServer,
  merchantWithKey,
  type PlatformDouble,
  platformDouble,
  START,
  startMerchantServer,
} from './merchant-server.ts'

export interface TradingServer extends MerchantServer {
  readonly clock: ManualClock
  /** What resolves trade URLs. */
  readonly tradeUrls: PlatformDouble
  /** Bots and inventories. */
  readonly platform: ScriptedPlatform
  /** Market B. */
  readonly supplier: ScriptedSupplier
  /** Items that a quick-buy may name, by id, and what differs from them in its phase alone. */
  readonly items: Map<string, ItemForSale>
  readonly siblings: Map<string, ItemForSale>
  readonly tokens: WsTokens
  /** Whether workers live. */
  readonly workers: { areSilent: boolean }
  /** The trades that were read for views of events, by each read. */
  readonly tradesOfEvents: readonly string[][]
}

/** A catalogue without items: prices of sells are proven with sell-appraisal. */
const NO_ITEMS = {
  version: 1,
  find: () => null,
  list: () => ({ entries: [], total: 0 }),
} as unknown as CatalogueView

const SECOND = 1000

export async function startTradingServer(db: Db): Promise<TradingServer> {
  const clock = manualClock(START)
  const tradeUrls = platformDouble()
  const platform = scriptedPlatform()
  const supplier = scriptedSupplier()
  const items = new Map<string, ItemForSale>()
  const siblings = new Map<string, ItemForSale>()
  const workers = { areSilent: false }
  const resolveTradeUrl = createTradeUrlResolver({
    platform: tradeUrls,
    clock,
    readTradeUrl: (text) => readTradeUrl(text, HOST),
  })
  const buying = { ...testBuyDeps({ db, clock }), resolveTradeUrl }
  const selling = { ...sellDeps(db, clock, platform), resolveTradeUrl }
  const nowMs = (): number => clock.now().getTime()
  const limiter = createLimiter({ windowMs: 60 * SECOND, nowMs, shared: null })
  const limits = { limiter, scale: 1 }
  const heavyReads = createHeavyReads({ db, atOnce: 2, waiting: 8, waitMs: 10_000 })
  const tokens = createWsTokens(createSecretBox([randomBytes(KEY_BYTES)]))
  const unexpected: unknown[] = []
  const tradesOfEvents: string[][] = []
  const watch = await watchEvents({ db, onError: (error) => unexpected.push(error) })
  const operations: Partial<MerchantOperations> = {
    ...createUsersOperations({
      db,
      heavyReads,
      clock,
      openBusiness: [],
      closeBusiness: [cancelOrdersOf],
    }),
    ...createTradeUrlsOperations({ db, clock, resolveTradeUrl }),
    buy: createBuyOperation({ buy: createBuy(buying) }),
    quickBuy: createQuickBuyOperation({
      quickBuy: createQuickBuy({
        ...buying,
        findItem: (id) => items.get(id) ?? null,
        findSibling: (_, phase) => siblings.get(phase) ?? null,
        findSeller: (wanted) => testFindSeller(db, wanted),
      }),
    }),
    ...createMarketOrderOperations({
      ...{ db, clock },
      placeMarketOrder: createPlaceMarketOrder({
        ...{ db, clock, resolveTradeUrl, isPaused: createPauseReader(db, clock) },
        getItem: (wanted) => {
          const { id } = chooseItem(
            {
              findItem: (itemId) => items.get(itemId) ?? null,
              findSibling: (_, phase) => siblings.get(phase) ?? null,
            },
            wanted,
          )
          return { id, marketHashName: 'AK-47 | Redline (Field-Tested)' }
        },
        areWorkersSilent: async () => workers.areSilent,
      }),
    }),
    ...createCancelOperations({
      db,
      cancelBuy: createCancelBuy({
        db,
        clock,
        marketOf: ({ market }) => (market === supplier.id ? supplier : null),
        patienceMs: 10 * SECOND,
        concurrency: 4,
        onCase: (what) => void unexpected.push(what),
      }),
      cancelSell: (trade) => cancelSell({ db, clock }, trade),
    }),
    ...createSellingOperations({
      view: NO_ITEMS,
      clock,
      appraisal: selling,
      sell: createSell(selling),
    }),
    ...createEventOperations({
      db,
      heavyReads,
      clock,
      watch,
      renderEvents: createEventRenderer({
        entries: merchantEvents,
        readers: {
          deposit: (ids) => readDeposits(db, ids),
          market_order: (ids) => readOrders(db, ids),
          trade: (ids) => {
            tradesOfEvents.push([...ids])
            return readTrades(db, ids)
          },
          withdrawal: async () => [],
          custody_deposit: async () => [],
          account: async () => [],
        },
        isReadFailure: () => false,
        onFailed: (_, error) => void unexpected.push(error),
      }),
    }),
    getTradeTimeline: createTimelineOperation({ db }),
    lookUpTrades: createTradeLookupOperation({ db }),
    getMerchantLimits: createLimitsOperation(limits),
    issueWsToken: createWsTokenOperation({ tokens, clock }),
  }
  const rateLimits = createRateLimits({ ...limits, addressLimiter: limiter, nowMs })
  const server = await startMerchantServer({ db, clock, operations, rateLimits })
  const close = async (): Promise<void> => {
    await server.close()
    await watch.stop()
    if (unexpected.length > 0) throw new AggregateError(unexpected, 'unexpected during the test')
  }
  const scripted = { tradeUrls, platform, supplier, items, siblings, workers }
  return { ...server, ...scripted, close, clock, tokens, tradesOfEvents }
}

export interface Trader {
  readonly id: string
  readonly key: string
  readonly client: Client
  /** Its trade URL, which is also the primary one unless it has none. */
  readonly tradeUrl: string
  /** The platform account of its trade URL. */
  readonly platformId: string
}

const FIRST_PLATFORM_ID = 76_561_197_960_265_728n

/** A merchant with 100.00 USD that trades for itself: a service fee of 3%, and no merchant fee. */
export async function givenTrader(
  { server, db }: Edge<TradingServer>,
  { balance = 10_000n, hasTradeUrl = true } = {},
): Promise<Trader> {
  const { id, key } = await merchantWithKey(db, { balance })
  const client = server.as(key)
  const partner = randomInt(1, 2 ** 31)
  const tradeUrl = tradeUrlOf(partner)
  if (hasTradeUrl) await client.post('/user/settings/tradeurls', { url: tradeUrl })
  return { id, key, client, tradeUrl, platformId: String(FIRST_PLATFORM_ID + BigInt(partner)) }
}

export const tradeUrlOf = (partner: number, token = 'accept00'): string =>
  `https://${HOST}/tradeoffer/new/?partner=${partner}&token=${token}`

/** The same trade URL as people paste it. */
export const pasted = (tradeUrl: string): string =>
  ` ${tradeUrl.replace(HOST, `WWW.${HOST.toUpperCase()}`).replace('?', '?l=english&')}&for_item=730_2_1#x\n`

/** A sub-user of this merchant that may read and not trade; the header that acts for it. */
export async function givenSuspended({ client }: Trader): Promise<{ 'on-behalf-of': string }> {
  await client.post('/merchant/users', { externalId: 'suspended' })
  await client.post('/merchant/users/suspended/suspend')
  return { 'on-behalf-of': 'suspended' }
}

/** An answer’s status and key. */
export const refusalOf = ({ status, key }: Answer): [number, string | undefined] => [status, key]

const SWITCH_MARKET = sql(
  'testing.switch_market',
  `update catalog.market set online = $1 where id = 'market_b'`,
)
/** Runs while market B does not answer. */
export async function whileAway<Value>(
  { db }: Edge<TradingServer>,
  run: () => Promise<Value>,
): Promise<Value> {
  await db.query(SWITCH_MARKET, [false])
  try {
    return await run()
  } finally {
    await db.query(SWITCH_MARKET, [true])
  }
}

/** Runs while an operator has paused trading. */
export async function whilePaused<Value>(
  { server: { clock }, db }: Edge<TradingServer>,
  run: () => Promise<Value>,
): Promise<Value> {
  await pauseTrading(db, clock, 'test')
  clock.advance(SECOND)
  try {
    return await run()
  } finally {
    await resumeTrading(db, clock, 'test')
    clock.advance(SECOND)
  }
}
