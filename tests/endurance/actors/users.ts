// Merchants' users who buy, quick-buy, cancel and sell during all faults, and record every response.
import assert from 'node:assert/strict'
import { sql } from '../../../apps/server/src/infra/database/db.ts'
import { wasNotRead } from '../../support/answers.ts'
import { type Answer, type Client, createClient } from '../../support/client.ts'
import { tradeUrl, untilServed } from '../../support/trading.ts'
import type { Installation, Keeper } from '../worlds/installation.ts'

type Operation = 'buy' | 'quickBuy' | 'sell'

/** One request under its own external id. */
export interface TrackedRequest {
  readonly operation: Operation
  readonly externalId: string
  readonly behalf: string
  readonly body: Readonly<Record<string, unknown>>
  /** `unknown`: sent without a conclusive response. */
  outcome: 'new' | 'acknowledged' | 'refused' | 'unknown'
  tradeId: string | null
  refusal: string | null
}

export interface User {
  readonly name: string
  readonly partner: number
}

export interface Traffic {
  readonly requests: readonly TrackedRequest[]
  /** Requests that had no conclusive answer at their first attempt, with what came instead. */
  readonly failures: readonly string[]
  /** Answers to cancels, by key or `canceled`. */
  readonly cancels: ReadonlyMap<string, number>
  /** Sends a request again, under its own external id. */
  send(request: TrackedRequest): Promise<void>
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
/** Of these users some take their time, or never answer. */
const SLOW = ['slowly00', 'expire00']
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
  { merchant, sandbox }: Pick<Installation, 'merchant' | 'sandbox'>,
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
    await untilServed(`the trade URL of ${name} is known`, () =>
      merchant.call('createTradeUrl', { behalf: name, body: { url } }),
    )
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

export interface TrafficOptions {
  readonly throwDice: () => number
  /** Every user answers an offer within a second. */
  readonly isPrompt?: boolean
}

export function startTraffic(
  installation: Pick<Installation, 'merchant' | 'db'> & { readonly apis: Pick<Keeper, 'baseUrls'> },
  users: readonly User[],
  { throwDice, isPrompt = false }: TrafficOptions,
): Traffic {
  const { apis, merchant, db } = installation
  const clients = apis
    .baseUrls()
    .map((baseUrl) => createClient({ baseUrl, apiKey: merchant.apiKey }))
  const pick = <Value>(values: readonly Value[]): Value =>
    values[Math.floor(throwDice() * values.length)] as Value
  const pickToken = (tokens: readonly string[]): string =>
    pick(isPrompt ? tokens.filter((token) => !SLOW.includes(token)) : tokens)
  const requests: TrackedRequest[] = []
  const failures: string[] = []
  const cancels = new Map<string, number>()
  let stopped = false
  let supply: Listing[] = []
  const pausing = new Set<() => void>()

  const takeListing = async (): Promise<Listing> => {
    if (supply.length === 0) supply = await db.query<Listing>(FOR_SALE, [LEAST_MILLS, MOST_MILLS])
    const listing = supply.pop()
    assert.ok(listing, 'there is something for sale')
    return listing
  }
  const request = async (
    operation: Operation,
    user: User,
    body: Readonly<Record<string, unknown>>,
  ): Promise<void> => {
    const externalId = `soak-${requests.length + 1}`
    const made: TrackedRequest = {
      operation,
      externalId,
      behalf: user.name,
      body: { externalId, ...body },
      outcome: 'new',
      tradeId: null,
      refusal: null,
    }
    requests.push(made)
    const failure = await sendRequest(pick(clients), made)
    if (failure !== null) failures.push(`${operation} ${externalId}: ${failure}`)
    // Half of those that know nothing ask again at once, where the others wait for quieter times.
    if (made.outcome === 'unknown' && throwDice() < 0.5) await sendRequest(pick(clients), made)
  }
  const buy = async (user: User): Promise<void> => {
    const count = throwDice() < 0.8 ? 1 : 3
    const listings = await Promise.all(Array.from({ length: count }, takeListing))
    await request('buy', user, {
      tradeUrl: tradeUrl(pickToken(BUY_TOKENS), user.partner),
      items: listings.map(({ market, raw_id }) => ({
        listingRawId: `${market}:${raw_id}`,
        maxPrice: '900.00',
      })),
    })
  }
  const quickBuy = async (user: User): Promise<void> => {
    const { item_id, price_mills } = await takeListing()
    await request('quickBuy', user, {
      tradeUrl: tradeUrl(pickToken(BUY_TOKENS), user.partner),
      itemId: item_id,
      maxPrice: ((price_mills * 1.5) / 1000).toFixed(2),
      amount: 1 + Math.floor(throwDice() * 5),
      delivery: 'standard',
    })
  }
  const sell = async (user: User): Promise<void> => {
    const { data, error } = await pick(clients).call('getSellInventory', {
      behalf: user.name,
      deadlineMs: DEADLINE_MS,
    })
    if (error) failures.push(`inventory: ${error.key}`)
    const accepted = data?.items.filter((item) => item.accepted) ?? []
    const from = Math.floor(throwDice() * accepted.length)
    const items = accepted.slice(from, from + 1 + Math.floor(throwDice() * 5))
    if (items.length === 0) return
    await request('sell', user, {
      tradeUrl: tradeUrl(pickToken(SELL_TOKENS), user.partner),
      items: items.map(({ assetid, price }) => ({ assetid, price: price.toFixed(2) })),
    })
  }
  const cancel = async (): Promise<void> => {
    const target = pick(requests.slice(-12))
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
        failures.push(reasonOf(error))
      }
      await pause()
    }
  }
  const going = Array.from({ length: CLIENTS }, goOn)
  return {
    ...{ requests, failures, cancels },
    send: async (again) => {
      await sendRequest(merchant, again)
    },
    stop: async () => {
      stopped = true
      for (const go of pausing) go()
      await Promise.all(going)
      if (broken) throw broken
    },
  }
}

/** After these the same request may still succeed: nothing was done. */
const TRANSIENT = ['MARKET_UNAVAILABLE', 'PLATFORM_UNAVAILABLE', 'SERVICE_DISABLED', 'RATE_LIMITED']

const reasonOf = (error: unknown): string => {
  const { cause } = error as { readonly cause?: unknown }
  return cause === undefined ? String(error) : `${error}, ${cause}`
}

/** Why its outcome is unknown; null where it is known. */
async function sendRequest(client: Client, request: TrackedRequest): Promise<string | null> {
  const { operation, behalf, body } = request
  let answer: Answer<{ readonly id: string }>
  try {
    answer = await client.call(operation, { behalf, body, deadlineMs: DEADLINE_MS })
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error
    request.outcome = 'unknown'
    return reasonOf(error)
  }
  const { data, error } = answer
  if (data) {
    if (request.tradeId !== null)
      assert.equal(data.id, request.tradeId, `${request.externalId}: two trades`)
    request.outcome = 'acknowledged'
    request.tradeId = data.id
  } else if (error) {
    request.refusal = error.key
    const saysNothing = error.key === 'INTERNAL_ERROR' || wasNotRead(answer)
    // A transient refusal says nothing about an earlier attempt of the same request.
    const saysLittle = request.outcome === 'unknown' && TRANSIENT.includes(error.key)
    request.outcome = saysNothing || saysLittle ? 'unknown' : 'refused'
  }
  return request.outcome === 'unknown' ? request.refusal : null
}
