// Merchants' users who buy, quick-buy, cancel and sell, whatever happens, and write down what they were told.
import assert from 'node:assert/strict'
import { sql } from '../../apps/server/src/infra/db.ts'
import type { Installation } from '../faults/installation.ts'
import { type Answer, type Client, createClient } from '../support/client.ts'
import { tradeUrl } from '../support/trading.ts'

type Operation = 'buy' | 'quickBuy' | 'sell'

/** One wish under one external id for ever. */
export interface Wish {
  readonly operation: Operation
  readonly externalId: string
  readonly behalf: string
  readonly body: Readonly<Record<string, unknown>>
  /** `unknown`: sent, and nobody said what became of it. */
  outcome: 'new' | 'acknowledged' | 'refused' | 'unknown'
  tradeId: string | null
  refusal: string | null
}

export interface User {
  readonly name: string
  readonly partner: number
}

export interface Traffic {
  readonly wishes: readonly Wish[]
  /** Answers to cancels, by key or `canceled`. */
  readonly cancels: ReadonlyMap<string, number>
  /** Sends a wish again, under its own external id. */
  send(wish: Wish): Promise<void>
  stop(): Promise<void>
}

const CLIENTS = 6
const MEAN_PAUSE_MS = 1500
const DEADLINE_MS = 10_000
/** By tenth: how often what is done. */
const ACTIONS = [...'bbbqqsssccc'] as const
const BUY_TOKENS = [
  ...Array.from({ length: 9 }, () => 'accept00'),
  'declin00',
  'expire00',
  'slowly00',
  'rvuser00',
  'rvsupp00',
  'banned00',
] as const
const SELL_TOKENS = [
  'accept00',
  'accept00',
  'accept00',
  'declin00',
  'rvuser00',
  'expire00',
] as const
const LEAST_MILLS = 200
const MOST_MILLS = 6000

const FOR_SALE = sql(
  'soak_for_sale',
  `select market, raw_id, item_id, price_mills::int as price_mills from catalog.listing
   where live and not taken and price_mills between $1 and $2 order by random() limit 100`,
)

interface Listing {
  readonly market: string
  readonly raw_id: string
  readonly item_id: string
  readonly price_mills: number
}

/** Users with money, each linked to a person of the platform with much to sell. */
export async function openUsers(
  { merchant, sandbox }: Installation,
  count: number,
): Promise<User[]> {
  const users = Array.from({ length: count }, (_, i) => ({
    name: `user-${i}`,
    partner: 70_000_001 + i,
  }))
  for (const { name, partner } of users) {
    await merchant.get('createSubUser', { body: { externalId: name } })
    const body = { amount: '4000.00' }
    await merchant.get('fundSubUser', { params: { id: name }, body, idempotencyKey: `f-${name}` })
    const url = tradeUrl('accept00', partner)
    await merchant.get('createTradeUrl', { behalf: name, body: { url } })
    const platformId = (76_561_197_960_265_728n + BigInt(partner)).toString()
    const answer = await fetch(`${sandbox.url}/control/inventories/${platformId}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ count: 300 }),
      signal: AbortSignal.timeout(20_000),
    })
    assert.ok(answer.ok, await answer.text())
  }
  return users
}

export function startTraffic(
  installation: Installation,
  users: readonly User[],
  throwDice: () => number,
): Traffic {
  const { apis, merchant, db } = installation
  const clients = apis
    .baseUrls()
    .map((baseUrl) => createClient({ baseUrl, apiKey: merchant.apiKey }))
  const pick = <Value>(values: readonly Value[]): Value =>
    values[Math.floor(throwDice() * values.length)] as Value
  const wishes: Wish[] = []
  const cancels = new Map<string, number>()
  let stopped = false
  let shelf: Listing[] = []
  const pausing = new Set<() => void>()

  const takeListing = async (): Promise<Listing> => {
    if (shelf.length === 0) shelf = await db.query<Listing>(FOR_SALE, [LEAST_MILLS, MOST_MILLS])
    const listing = shelf.pop()
    assert.ok(listing, 'there is something for sale')
    return listing
  }
  const wish = async (
    operation: Operation,
    user: User,
    body: Readonly<Record<string, unknown>>,
  ): Promise<void> => {
    const externalId = `soak-${wishes.length + 1}`
    const made: Wish = {
      operation,
      externalId,
      behalf: user.name,
      body: { externalId, ...body },
      outcome: 'new',
      tradeId: null,
      refusal: null,
    }
    wishes.push(made)
    await sendWish(pick(clients), made)
    // Half of those that know nothing ask again at once, where the others wait for quieter times.
    if (made.outcome === 'unknown' && throwDice() < 0.5) await sendWish(pick(clients), made)
  }
  const buy = async (user: User): Promise<void> => {
    const count = throwDice() < 0.8 ? 1 : 3
    const listings = await Promise.all(Array.from({ length: count }, takeListing))
    await wish('buy', user, {
      tradeUrl: tradeUrl(pick(BUY_TOKENS), user.partner),
      items: listings.map(({ market, raw_id }) => ({
        listingRawId: `${market}:${raw_id}`,
        maxPrice: '900.00',
      })),
    })
  }
  const quickBuy = async (user: User): Promise<void> => {
    const { item_id, price_mills } = await takeListing()
    await wish('quickBuy', user, {
      tradeUrl: tradeUrl(pick(BUY_TOKENS), user.partner),
      itemId: item_id,
      maxPrice: ((price_mills * 1.5) / 1000).toFixed(2),
      amount: 1 + Math.floor(throwDice() * 5),
      delivery: 'standard',
    })
  }
  const sell = async (user: User): Promise<void> => {
    const { data } = await pick(clients).call('getSellInventory', {
      behalf: user.name,
      deadlineMs: DEADLINE_MS,
    })
    const accepted = data?.items.filter((item) => item.accepted) ?? []
    const from = Math.floor(throwDice() * accepted.length)
    const items = accepted.slice(from, from + 1 + Math.floor(throwDice() * 5))
    if (items.length === 0) return
    await wish('sell', user, {
      tradeUrl: tradeUrl(pick(SELL_TOKENS), user.partner),
      items: items.map(({ assetid, price }) => ({ assetid, price: price.toFixed(2) })),
    })
  }
  const cancel = async (): Promise<void> => {
    const target = pick(wishes.slice(-12))
    if (!target?.tradeId) return
    const { data, error } = await pick(clients).call('cancelTrade', {
      behalf: target.behalf,
      params: { tradeId: target.tradeId },
      deadlineMs: DEADLINE_MS,
    })
    const key = error?.key ?? ((data?.cancelled ?? 0) > 0 ? 'canceled' : 'not canceled')
    cancels.set(key, (cancels.get(key) ?? 0) + 1)
  }
  const act = async (): Promise<void> => {
    const user = pick(users)
    const action = pick(ACTIONS)
    if (action === 'b') await buy(user)
    else if (action === 'q') await quickBuy(user)
    else if (action === 's') await sell(user)
    else await cancel()
  }
  const pause = (): Promise<void> =>
    new Promise((resolve) => {
      const go = (): void => {
        clearTimeout(timer)
        pausing.delete(go)
        resolve()
      }
      const timer = setTimeout(go, throwDice() * 2 * MEAN_PAUSE_MS)
      pausing.add(go)
    })
  let broken: unknown = null
  const goOn = async (): Promise<void> => {
    while (!stopped) {
      try {
        await act()
      } catch (error) {
        // Servers and databases die here all the time; a broken promise is something else.
        if (error instanceof assert.AssertionError) {
          broken = error
          return
        }
      }
      await pause()
    }
  }
  const going = Array.from({ length: CLIENTS }, goOn)
  return {
    wishes,
    cancels,
    send: (again) => sendWish(merchant, again),
    stop: async () => {
      stopped = true
      for (const go of pausing) go()
      await Promise.all(going)
      if (broken) throw broken
    },
  }
}

/** After these the same request may still succeed: nothing was done. */
const PASSING = ['MARKET_UNAVAILABLE', 'PLATFORM_UNAVAILABLE', 'SERVICE_DISABLED', 'RATE_LIMITED']

async function sendWish(client: Client, wish: Wish): Promise<void> {
  const { operation, behalf, body } = wish
  let answer: Answer<{ readonly id: string }>
  try {
    answer = await client.call(operation, { behalf, body, deadlineMs: DEADLINE_MS })
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error
    wish.outcome = 'unknown'
    return
  }
  const { data, error } = answer
  if (data) {
    if (wish.tradeId !== null) assert.equal(data.id, wish.tradeId, `${wish.externalId}: two trades`)
    wish.outcome = 'acknowledged'
    wish.tradeId = data.id
  } else if (error) {
    wish.refusal = error.key
    const saysNothing = error.key === 'INTERNAL_ERROR'
    // A refusal in passing says nothing of an earlier send of the same wish.
    const saysLittle = wish.outcome === 'unknown' && PASSING.includes(error.key)
    wish.outcome = saysNothing || saysLittle ? 'unknown' : 'refused'
  }
}
