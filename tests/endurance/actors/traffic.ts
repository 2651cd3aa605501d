// Users who buy, quick-buy, sell and cancel while everything fails around them, and record every response.
import assert from 'node:assert/strict'
import { sql } from '../../../apps/server/src/infra/database/db.ts'
import { createClient } from '../../support/client.ts'
import { tradeUrl } from '../../support/trading.ts'
import { until } from '../../support/until.ts'
import { type Dice, pickWith } from '../dice.ts'
import type { Installation, Keeper } from '../worlds/installation.ts'
import { startClients } from './clients.ts'
import { type Operation, reasonOf, sendRequest, type TrackedRequest } from './requests.ts'
import type { User } from './users.ts'

export interface Traffic {
  readonly requests: readonly TrackedRequest[]
  /** Requests that had no conclusive answer at their first attempt, with what came instead. */
  readonly failures: readonly string[]
  /** Answers to cancels, by key or `canceled`. */
  readonly cancels: ReadonlyMap<string, number>
  /** How often the outcome of an attempt was unknown. */
  unknown(): number
  /** How many attempts were given up or cut off. */
  unanswered(): number
  /** Users do not pause between two requests until the returned function is called. */
  hurry(): () => void
  /** Sends a request again, under its own external id. */
  send(request: TrackedRequest): Promise<void>
  stop(): Promise<void>
}

type Action = Operation | 'cancel'

/** What users do, and how. */
export interface Habits {
  readonly clients: number
  readonly meanPauseMs: number
  /** A request without an answer is given up after so long. */
  readonly deadlineMs: number
  /** Those that are named more often are done more often; so of the others. */
  readonly actions: readonly Action[]
  readonly buyTokens: readonly string[]
  readonly sellTokens: readonly string[]
  readonly itemsOfABuy: readonly number[]
  /** How many of all buys are of a listing that an earlier request has named. */
  readonly contestedShare: number
}

const repeat = <Value>(value: Value, times: number): Value[] => Array(times).fill(value)

export const HABITS: Habits = {
  clients: 6,
  meanPauseMs: 1500,
  deadlineMs: 10_000,
  actions: [
    ...repeat('buy' as const, 3),
    ...repeat('quickBuy' as const, 2),
    ...repeat('sell' as const, 3),
    ...repeat('cancel' as const, 3),
  ],
  buyTokens: [
    ...repeat('accept00', 9),
    ...['declin00', 'expire00', 'slowly00', 'rvuser00', 'rvsupp00', 'banned00'],
  ],
  sellTokens: [...repeat('accept00', 3), 'declin00', 'rvuser00', 'expire00'],
  itemsOfABuy: [...repeat(1, 4), 3],
  contestedShare: 0,
}

/** Users who take their time, or never answer. */
const SLOW = ['slowly00', 'expire00']
/** The same, where every user answers an offer within a second. */
export const PROMPT_HABITS: Habits = {
  ...HABITS,
  buyTokens: HABITS.buyTokens.filter((token) => !SLOW.includes(token)),
  sellTokens: HABITS.sellTokens.filter((token) => !SLOW.includes(token)),
}

const LEAST_MILLS = 200
const MOST_MILLS = 6000
const FOR_SALE = sql(
  'endurance_for_sale',
  `select market || ':' || raw_id as "listingRawId", item_id as "itemId", price_mills::int as "priceMills"
   from catalog.listing where live and not taken and price_mills between $1 and $2
   order by random() limit 100`,
)

interface Listing {
  readonly listingRawId: string
  readonly itemId: string
  readonly priceMills: number
}

export interface TrafficOptions {
  readonly throwDice: Dice
  readonly habits?: Habits
  /** What is bought, each once, until there is none left; by default what the catalogue has. */
  readonly listingRawIds?: readonly string[]
}

export function startTraffic(
  installation: Pick<Installation, 'merchant' | 'db'> & { readonly apis: Pick<Keeper, 'baseUrls'> },
  users: readonly User[],
  { throwDice, habits = HABITS, listingRawIds }: TrafficOptions,
): Traffic {
  const { apis, merchant, db } = installation
  const { deadlineMs } = habits
  const clients = apis
    .baseUrls()
    .map((baseUrl) => createClient({ baseUrl, apiKey: merchant.apiKey }))
  const pick = pickWith(throwDice)
  const requests: TrackedRequest[] = []
  const failures: string[] = []
  const cancels = new Map<string, number>()
  const named: string[] = []
  const given = listingRawIds && [...listingRawIds]
  let supply: Listing[] = []
  let unknown = 0
  let unanswered = 0

  const takeListing = async (): Promise<Listing> => {
    if (supply.length === 0) supply = await db.query<Listing>(FOR_SALE, [LEAST_MILLS, MOST_MILLS])
    const listing = supply.pop()
    assert.ok(listing, 'there is something for sale')
    return listing
  }
  /** Null: all that was given is bought. */
  const nameListing = async (): Promise<string | null> => {
    if (named.length > 0 && throwDice() < habits.contestedShare) return pick(named)
    const id = given ? given.shift() : (await takeListing()).listingRawId
    if (id === undefined) return null
    named.push(id)
    return id
  }
  const send = async (request: TrackedRequest): Promise<string | null> => {
    const failure = await sendRequest(pick(clients), request, deadlineMs)
    if (failure === null) return null
    if (!failure.isAnswered) unanswered++
    if (request.outcome === 'unknown') unknown++
    return failure.reason
  }
  const request = async (
    operation: Operation,
    { name }: User,
    body: Readonly<Record<string, unknown>>,
  ): Promise<void> => {
    const externalId = `request-${requests.length + 1}`
    const made: TrackedRequest = {
      ...{ operation, externalId, behalf: name, body: { externalId, ...body } },
      ...{ outcome: 'new', tradeId: null, refusal: null },
    }
    requests.push(made)
    const failure = await send(made)
    if (failure !== null) failures.push(`${operation} ${externalId}: ${failure}`)
    // Half of those that know nothing ask again at once, where the others wait for quieter times.
    if (made.outcome === 'unknown' && throwDice() < 0.5) await send(made)
  }
  const acts: Readonly<Record<Action, (user: User) => Promise<void>>> = {
    buy: async (user) => {
      const ids = await Promise.all(Array.from({ length: pick(habits.itemsOfABuy) }, nameListing))
      const items = ids.flatMap((listingRawId) =>
        listingRawId === null ? [] : { listingRawId, maxPrice: '900.00' },
      )
      if (items.length === 0) return
      await request('buy', user, {
        tradeUrl: tradeUrl(pick(habits.buyTokens), user.partner),
        items,
      })
    },
    quickBuy: async (user) => {
      const { itemId, priceMills } = await takeListing()
      await request('quickBuy', user, {
        tradeUrl: tradeUrl(pick(habits.buyTokens), user.partner),
        itemId,
        maxPrice: ((priceMills * 1.5) / 1000).toFixed(2),
        amount: 1 + Math.floor(throwDice() * 5),
        delivery: 'standard',
      })
    },
    sell: async (user) => {
      const call = { behalf: user.name, deadlineMs }
      const { data, error } = await pick(clients).call('getSellInventory', call)
      if (error) failures.push(`inventory: ${error.key}`)
      const accepted = data?.items.filter((item) => item.accepted) ?? []
      const from = Math.floor(throwDice() * accepted.length)
      const items = accepted.slice(from, from + 1 + Math.floor(throwDice() * 5))
      if (items.length === 0) return
      await request('sell', user, {
        tradeUrl: tradeUrl(pick(habits.sellTokens), user.partner),
        items: items.map(({ assetid, price }) => ({ assetid, price: price.toFixed(2) })),
      })
    },
    cancel: async () => {
      const target = pick(requests.slice(-12))
      if (!target?.tradeId) return
      const { data, error } = await pick(clients).call('cancelTrade', {
        behalf: target.behalf,
        params: { tradeId: target.tradeId },
        deadlineMs,
      })
      const key = error?.key ?? ((data?.cancelled ?? 0) > 0 ? 'canceled' : 'not canceled')
      cancels.set(key, (cancels.get(key) ?? 0) + 1)
    },
  }
  const { hurry, stop } = startClients({
    ...{ count: habits.clients, meanPauseMs: habits.meanPauseMs, throwDice },
    act: () => acts[pick(habits.actions)](pick(users)),
    onCutOff: (error) => failures.push(reasonOf(error)),
  })
  return {
    ...{ requests, failures, cancels, hurry, stop },
    unknown: () => unknown,
    unanswered: () => unanswered,
    send: async (again) => {
      await send(again)
    },
  }
}

/** Resolves when so many more requests are acknowledged. */
export async function untilAcknowledged(
  { requests }: Pick<Traffic, 'requests'>,
  count: number,
  deadlineMs?: number,
): Promise<void> {
  const acknowledged = (): number =>
    requests.filter(({ outcome }) => outcome === 'acknowledged').length
  const wanted = acknowledged() + count
  await until(
    `${count} more requests are acknowledged`,
    () => acknowledged() >= wanted,
    deadlineMs === undefined ? {} : { deadlineMs },
  )
}
