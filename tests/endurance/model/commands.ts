// What merchants, users, suppliers and bad luck may do next, at random. Each command does one thing, says
// what that may lead to, and then everything that can be seen is held against the model.
import assert from 'node:assert/strict'
import type { Trade } from '@tradepost/contract'
import fc from 'fast-check'
import type { Refused } from '../../support/client.ts'
import { MARKETS, type MarketId } from '../../support/sandbox.ts'
import { centsOf, readTrade, tradeUrl } from '../../support/trading.ts'
import { until } from '../../support/until.ts'
import { compare, type Environment } from './environment.ts'
import type { End, Model, ModelTrade } from './model.ts'

export type Command = fc.AsyncCommand<Model, Environment>

/** By the token of a trade URL: how an item ends without a disturbance. */
const END_OF: Readonly<Record<string, readonly End[]>> = {
  accept00: ['completed'],
  slowly00: ['completed'],
  declin00: ['declined'],
  rvuser00: ['reverted:user'],
  rvsupp00: ['reverted:supplier'],
  // Whatever is done to its offer is added then; what is left at the end is accepted.
  manual00: ['completed'],
}
const BUY_TOKENS = Object.keys(END_OF)
const SELL_TOKENS = ['accept00', 'declin00', 'rvuser00', 'manual00']

const FAILING_WORDS = [
  'reject:sold_out',
  'reject:price_changed',
  'reject:no_funds',
  'http_500',
  'lost_reply_not_placed',
  'seller_cancels',
]
const HARMLESS_WORDS = ['lost_reply_placed', 'http_500+placed', 'slow:600', 'success_without_id']

const OPEN = ['initiated', 'pending', 'active', 'hold']

/** What is done, and what the model learns of it. Everything is compared afterwards. */
function command(
  name: string,
  run: (model: Model, environment: Environment) => Promise<void>,
  check: (model: Model) => boolean = () => true,
): Command {
  return {
    check: (model) => check(model as Model),
    run: async (model, environment) => {
      await run(model, environment)
      await compare(model, environment)
    },
    toString: () => name,
  }
}

const accountAt = (model: Model, index: number): string => {
  const names = [...model.accounts.keys()]
  return names[index % names.length] as string
}

const tradeAt = (model: Model, index: number): ModelTrade => {
  const trades = [...model.trades.values()]
  return trades[index % trades.length] as ModelTrade
}

const hasTrades = ({ trades }: Model): boolean => trades.size > 0

const fund = (index: number, cents: number): Command =>
  command(`fund(${index}, ${cents})`, async (model, { installation: { merchant }, prefix }) => {
    const account = accountAt(model, index)
    const before = centsOf((await merchant.get('getWallet', { behalf: account })).balance)
    const call = {
      params: { id: account },
      body: { amount: (cents / 100).toFixed(2) },
      idempotencyKey: `${prefix}fund-${model.nextId++}`,
    }
    const first = await merchant.get('fundSubUser', call)
    const again = await merchant.get('fundSubUser', call)
    assert.deepEqual(again, { ...first, idempotent: true }, 'a replay answers the first answer')
    const entry = model.accounts.get(account)
    assert.ok(entry)
    if (entry.currency === 'USD') entry.fundedCents += cents
    else entry.fundedCents += await creditOf(merchant, account, first.transactionId)
    assert.ok(before >= 0)
  })

/** What one row of the ledger brought, where the rate of exchange is the service's own. */
async function creditOf(
  merchant: Environment['installation']['merchant'],
  account: string,
  rowId: string,
): Promise<number> {
  const { items } = await merchant.get('listWalletLedger', { behalf: account })
  const row = items.find(({ id }) => id === rowId)
  assert.ok(row, 'the ledger shows the row that the answer names')
  return centsOf(row.amount)
}

const defund = (index: number, cents: number): Command =>
  command(`defund(${index}, ${cents})`, async (model, { installation: { merchant }, prefix }) => {
    const account = accountAt(model, index)
    const { data, error } = await merchant.call('defundSubUser', {
      params: { id: account },
      body: { amount: (cents / 100).toFixed(2) },
      idempotencyKey: `${prefix}defund-${model.nextId++}`,
    })
    if (error) {
      assertTooPoor(error)
      return
    }
    assert.ok(data)
    const entry = model.accounts.get(account)
    assert.ok(entry)
    entry.fundedCents += await creditOf(merchant, account, data.transactionId)
  })

function assertTooPoor({ key, meta }: Refused): void {
  assert.equal(key, 'INSUFFICIENT_BALANCE')
  assert.ok(Number(meta?.requiredCents) > Number(meta?.availableCents), 'it says by how much')
}

/** A refusal leaves nothing behind; which ones are possible depends on what was done before. */
function assertRefusable(model: Model, error: Refused): void {
  if (error.key === 'INSUFFICIENT_BALANCE') assertTooPoor(error)
  else if (error.key === 'MARKET_UNAVAILABLE') assert.ok(model.marketsWereAway, error.message)
  else assert.ok(['LISTING_NOT_FOUND', 'NO_LISTING_AT_PRICE'].includes(error.key), error.key)
}

const buy = (index: number, market: MarketId, token: string, count: number): Command =>
  command(`buy(${index}, ${market}, ${token}, ${count})`, async (model, environment) => {
    const { merchant } = environment.installation
    const account = accountAt(model, index)
    const externalId = `${environment.prefix}buy-${model.nextId++}`
    const body = {
      externalId,
      tradeUrl: tradeUrl(token, environment.partnerOf(account)),
      items: Array.from({ length: count }, () => ({
        listingRawId: `${market}:${environment.supplies[market].take().id}`,
        maxPrice: '900.00',
      })),
    }
    const { data, error } = await merchant.call('buy', { behalf: account, body })
    if (error) {
      assertRefusable(model, error)
      return
    }
    assert.ok(data)
    assert.equal(data.itemCount, count)
    const trade = { id: data.id, externalId, account, token, body, itemCount: count }
    remember(model, { ...trade, type: 'buy', maxPriceCents: null })
  })

const quickBuy = (index: number, token: string, amount: number): Command =>
  command(`quickBuy(${index}, ${token}, ${amount})`, async (model, environment) => {
    const { merchant } = environment.installation
    const account = accountAt(model, index)
    const externalId = `${environment.prefix}quick-${model.nextId++}`
    const found = await merchant.get('searchMarket', {
      behalf: account,
      query: { inStock: true, sort: 'priceAsc', minPrice: '1.00', maxPrice: '9.00', limit: 50 },
    })
    const item = found.items[model.nextId % Math.max(1, found.items.length)]
    if (!item) return
    const body = {
      externalId,
      tradeUrl: tradeUrl(token, environment.partnerOf(account)),
      itemId: item.id,
      maxPrice: '9.50',
      amount,
      delivery: 'standard',
    }
    const { data, error } = await merchant.call('quickBuy', { behalf: account, body })
    if (error) {
      assertRefusable(model, error)
      return
    }
    assert.ok(data)
    assert.equal(data.requestedCount, amount)
    assert.ok(data.itemCount >= 1 && data.itemCount <= amount)
    const trade = { id: data.id, externalId, account, token, body, itemCount: data.itemCount }
    remember(model, { ...trade, type: 'buy', maxPriceCents: 950 })
  })

const sell = (index: number, token: string, count: number): Command =>
  command(`sell(${index}, ${token}, ${count})`, async (model, environment) => {
    const { merchant } = environment.installation
    const account = accountAt(model, index)
    const externalId = `${environment.prefix}sell-${model.nextId++}`
    const from = model.nextId % 20
    const items = (environment.sellable.get(account) ?? []).slice(from, from + count)
    if (items.length === 0) return
    const body = {
      externalId,
      tradeUrl: tradeUrl(token, environment.partnerOf(account)),
      items: items.map(({ assetid, price }) => ({ assetid, price: price.toFixed(2) })),
    }
    const { data, error } = await merchant.call('sell', { behalf: account, body })
    if (error) {
      // In an open sell, or gone to a bot, or changed hands with a new id.
      const gone = ['SELL_ITEM_NOT_ACCEPTED', 'SELL_ITEM_NOT_FOUND', 'PRICE_MISMATCH']
      assert.ok([...gone, 'SELL_NO_BOT_AVAILABLE'].includes(error.key), error.key)
      return
    }
    assert.ok(data)
    const trade = { id: data.id, externalId, account, token, body, itemCount: items.length }
    remember(model, { ...trade, type: 'sell', maxPriceCents: null })
  })

function remember(model: Model, trade: Omit<ModelTrade, 'ends' | 'isDisturbed' | 'last'>): void {
  const ends = new Set(END_OF[trade.token] ?? [])
  model.trades.set(trade.id, { ...trade, ends, isDisturbed: false, last: null })
  // A word that was said before may meet this purchase.
  if (trade.type === 'buy' && model.failingWords > 0) ends.add('failed')
}

const ROUTE_OF = { buy: 'buy', quick: 'quickBuy', sell: 'sell' } as const
const routeOf = ({ externalId }: ModelTrade): (typeof ROUTE_OF)[keyof typeof ROUTE_OF] =>
  ROUTE_OF[/-(buy|quick|sell)-\d+$/.exec(externalId)?.[1] as keyof typeof ROUTE_OF]

/** The same again answers the same, whatever has become of it; another body under its name is refused. */
const replay = (index: number): Command =>
  command(
    `replay(${index})`,
    async (model, { installation: { merchant } }) => {
      const trade = tradeAt(model, index)
      const route = routeOf(trade)
      const again = await merchant.get(route, { behalf: trade.account, body: trade.body })
      assert.equal(again.id, trade.id)
      assert.equal(again.itemCount, trade.itemCount)
      assert.equal(again.status, 'initiated', 'a replay answers the first answer')
      const other = {
        ...(trade.body as object),
        tradeUrl: tradeUrl('accept00', 60_000_001),
      }
      const { error } = await merchant.call(route, { behalf: trade.account, body: other })
      // Of a sell the trade URL is looked at first.
      const expected = ['IDEMPOTENCY_CONFLICT', 'TRADEURL_PLATFORM_MISMATCH']
      assert.ok(expected.includes(error?.key ?? ''), error?.key)
    },
    hasTrades,
  )

const cancelTrade = (index: number): Command =>
  command(
    `cancelTrade(${index})`,
    async (model, { installation: { merchant } }) => {
      const trade = tradeAt(model, index)
      trade.ends.add('canceled')
      const { data, error } = await merchant.call('cancelTrade', {
        behalf: trade.account,
        params: { tradeId: trade.id },
      })
      if (error) {
        assert.equal(error.key, 'TRADE_NOT_CANCELLABLE')
        return
      }
      assert.ok(data)
      assert.equal(data.requested, data.items.length)
      assert.equal(data.cancelled + data.failed, data.requested)
      const now = await readTrade(merchant, trade.id)
      for (const { itemId, status } of data.items) {
        const item = now.items.find(({ id }) => id === itemId)
        if (status === 'cancelled') assert.equal(item?.status, 'canceled', 'canceled is canceled')
      }
    },
    hasTrades,
  )

const cancelItem = (index: number): Command =>
  command(
    `cancelItem(${index})`,
    async (model, { installation: { merchant } }) => {
      const trade = tradeAt(model, index)
      const item = (await readTrade(merchant, trade.id)).items[0]
      assert.ok(item)
      trade.ends.add('canceled')
      const { data, error } = await merchant.call('cancelItem', {
        behalf: trade.account,
        params: { tradeId: trade.id, itemId: item.id },
      })
      if (error) {
        assert.ok(['TRADE_NOT_CANCELLABLE', 'TRADE_CANCEL_TOO_SOON'].includes(error.key))
      } else if (data?.status === 'cancelled') {
        const now = await readTrade(merchant, trade.id)
        assert.equal(now.items.find(({ id }) => id === item.id)?.status, 'canceled')
      }
    },
    hasTrades,
  )

const isManual = (trade: ModelTrade): boolean =>
  trade.token === 'manual00' && OPEN.includes(trade.last?.status ?? 'initiated')
const manualAt = (model: Model, index: number): ModelTrade => {
  const trades = [...model.trades.values()].filter(isManual)
  return trades[index % trades.length] as ModelTrade
}
const hasManual = ({ trades }: Model): boolean => [...trades.values()].some(isManual)

const OFFER_ENDS = { accept: 'completed', decline: 'declined', expire: 'declined' } as const

/** A user who was waited for decides, once the offer is there. */
const decide = (index: number, verb: keyof typeof OFFER_ENDS): Command =>
  command(
    `decide(${index}, ${verb})`,
    async (model, environment) => {
      const trade = manualAt(model, index)
      const offerIds = await untilOffered(environment, trade)
      for (const offerId of offerIds) {
        trade.ends.add(OFFER_ENDS[verb])
        // It may have been decided by an earlier command, or canceled by its seller.
        await environment.installation.sandbox.control.moveOffer(offerId, verb).catch(tooLate)
      }
    },
    hasManual,
  )

const revert = (index: number, by: 'user' | 'supplier'): Command =>
  command(
    `revert(${index}, ${by})`,
    async (model, environment) => {
      const trade = manualAt(model, index)
      if (trade.type === 'sell' && by === 'supplier') return
      const offerIds = await untilOffered(environment, trade)
      for (const offerId of offerIds) {
        trade.ends.add(`reverted:${by}`)
        const { control } = environment.installation.sandbox
        await control.moveOffer(offerId, 'accept').catch(tooLate)
        await control.revertOffer(offerId, by).catch(tooLate)
      }
    },
    hasManual,
  )

function tooLate(error: unknown): void {
  assert.match(String(error), /: 4\d\d /, 'the environment refuses what is no longer possible')
}

/** The offers of a trade, once each of its items that goes on has one. */
export const untilOffered = (
  { installation: { merchant } }: Environment,
  { id }: ModelTrade,
): Promise<string[]> =>
  until(
    `${id} is offered or over`,
    async () => {
      const trade: Trade = await readTrade(merchant, id)
      const waiting = trade.items.filter(
        ({ status }) => status === 'initiated' || status === 'pending',
      )
      if (waiting.length > 0) return null
      const open = trade.items.filter(({ status }) => OPEN.includes(status))
      return [...new Set(open.flatMap(({ offerId }) => offerId ?? []))]
    },
    { everyMs: 150 },
  )

const script = (market: MarketId, word: string): Command =>
  command(`script(${market}, ${word})`, async (model, { installation }) => {
    if (FAILING_WORDS.includes(word)) {
      model.failingWords++
      for (const trade of model.trades.values()) {
        if (trade.type === 'buy') trade.ends.add('failed')
      }
    }
    await installation.sandbox.control.script(market, word)
  })

/** Away for as long as it takes the service to notice, or not quite. */
const blink = (market: MarketId): Command =>
  command(`blink(${market})`, async (model, { installation: { sandbox } }) => {
    model.marketsWereAway = true
    await sandbox.control.setMarket(market, { online: false })
    await sandbox.control.setMarket(market, { online: true })
  })

const kill = (role: 'workers' | 'apis'): Command =>
  command(`kill(${role})`, async (model, { installation }) => {
    // A call that was under way may never have been made: then the purchase fails, and says so.
    for (const trade of model.trades.values()) {
      if (OPEN.includes(trade.last?.status ?? 'initiated')) trade.isDisturbed = true
    }
    model.marketsWereAway = true
    for (const pid of installation[role].pids()) process.kill(pid, 'SIGKILL')
    await until('those that were killed are gone', () => installation[role].pids().length === 0)
    await installation[role].revive()
  })

const index = fc.nat(30)
const market = fc.constantFrom(...MARKETS)

/** Any next step. Trading outweighs trouble, and trouble outweighs disaster. */
export const anyCommand: readonly fc.Arbitrary<Command>[] = [
  fc.tuple(index, fc.integer({ min: 1, max: 30_000 })).map((args) => fund(...args)),
  fc.tuple(index, fc.integer({ min: 1, max: 30_000 })).map((args) => defund(...args)),
  ...Array.from({ length: 3 }, () =>
    fc
      .tuple(index, market, fc.constantFrom(...BUY_TOKENS), fc.integer({ min: 1, max: 3 }))
      .map((args) => buy(...args)),
  ),
  ...Array.from({ length: 2 }, () =>
    fc
      .tuple(index, fc.constantFrom(...BUY_TOKENS), fc.integer({ min: 1, max: 4 }))
      .map((args) => quickBuy(...args)),
  ),
  ...Array.from({ length: 2 }, () =>
    fc
      .tuple(index, fc.constantFrom(...SELL_TOKENS), fc.integer({ min: 1, max: 3 }))
      .map((args) => sell(...args)),
  ),
  index.map(replay),
  index.map(cancelTrade),
  index.map(cancelItem),
  fc.tuple(index, fc.constantFrom('accept', 'decline', 'expire')).map((args) => decide(...args)),
  fc.tuple(index, fc.constantFrom('user', 'supplier')).map((args) => revert(...args)),
  fc
    .tuple(market, fc.constantFrom(...FAILING_WORDS, ...HARMLESS_WORDS))
    .map((args) => script(...args)),
  market.map(blink),
  fc.constantFrom('workers', 'apis').map(kill),
]
