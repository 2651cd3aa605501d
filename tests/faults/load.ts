// Buyers who go on while everything dies around them, and write down what they were told.
import { AssertionError } from 'node:assert/strict'
import type { BuyResponse } from '@tradepost/contract'
import { createClient } from '../support/client.ts'
import { tradeUrl } from '../support/trading.ts'

/** One wish to buy, under one external id for ever. */
export interface Wish {
  readonly externalId: string
  readonly behalf: string
  readonly listingRawId: string
  readonly token: string
  /** `unknown`: sent, and nobody said what became of it; `unsent`: certainly not sent. */
  outcome: 'open' | 'acknowledged' | 'refused' | 'unknown' | 'unsent'
  tradeId: string | null
  refusal: string | null
}

export interface LoadOptions {
  readonly apiKey: string
  /** The addresses of the api processes, dead or alive. */
  readonly baseUrls: readonly string[]
  readonly buyers: readonly string[]
  /** Supplier's listing ids with their markets, to be bought once each. */
  readonly listings: readonly string[]
  readonly throwDice: () => number
}

export interface Load {
  readonly wishes: readonly Wish[]
  /** Wishes of which nobody knows what became of them, so far. */
  unknown(): number
  /** Nobody pauses between two wishes, until the returned function is called. */
  hurry(): () => void
  /** Sends a wish, for the first time or again. */
  send(wish: Wish): Promise<void>
  stop(): Promise<void>
}

const CLIENTS = 8
const PAUSE_MS = 1200
const DEADLINE_MS = 6000
/** One wish in so many goes for a listing that another one has gone for already. */
const CONTESTED_ONE_IN = 10
/** Most accept; the rest make every kind of end. */
const TOKENS = [
  ...Array.from({ length: 8 }, () => 'accept00'),
  'declin00',
  'rvsupp00',
  'rvuser00',
  'banned00',
] as const

/** Refusals after which the same request may succeed. */
const PASSING = ['INTERNAL_ERROR', 'MARKET_UNAVAILABLE', 'PLATFORM_UNAVAILABLE', 'SERVICE_DISABLED']

export function startLoad(options: LoadOptions): Load {
  const { throwDice, listings } = options
  const clients = options.baseUrls.map((baseUrl) =>
    createClient({ baseUrl, apiKey: options.apiKey }),
  )
  const pick = <Value>(values: readonly Value[]): Value =>
    values[Math.floor(throwDice() * values.length)] as Value
  const wishes: Wish[] = []
  let unknown = 0
  let stopped = false
  let nextListing = 0
  let hurried = false
  const pausing = new Set<() => void>()

  const pause = (): Promise<void> =>
    new Promise((resolve) => {
      const go = (): void => {
        clearTimeout(timer)
        pausing.delete(go)
        resolve()
      }
      const timer = setTimeout(go, hurried ? 0 : throwDice() * 2 * PAUSE_MS)
      pausing.add(go)
    })

  const send = async (wish: Wish): Promise<void> => {
    try {
      const { data, error } = await pick(clients).call('buy', {
        behalf: wish.behalf,
        deadlineMs: DEADLINE_MS,
        body: {
          externalId: wish.externalId,
          tradeUrl: tradeUrl(wish.token),
          items: [{ listingRawId: wish.listingRawId, maxPrice: '900.00' }],
        },
      })
      note(wish, data, error?.key ?? null)
    } catch (error) {
      if (error instanceof AssertionError) throw error
      wish.outcome = wasNotSent(error) && wish.outcome !== 'unknown' ? 'unsent' : 'unknown'
    } finally {
      if (wish.outcome === 'unknown') unknown++
    }
  }

  const newWish = (): Wish | null => {
    const contested = wishes.length > 0 && throwDice() < 1 / CONTESTED_ONE_IN
    const listingRawId = contested ? pick(wishes).listingRawId : listings[nextListing++]
    if (listingRawId === undefined) return null
    return {
      externalId: `wish-${wishes.length + 1}`,
      behalf: pick(options.buyers),
      listingRawId,
      token: pick(TOKENS),
      outcome: 'open',
      tradeId: null,
      refusal: null,
    }
  }

  const goOn = async (): Promise<void> => {
    while (!stopped) {
      const wish = newWish()
      if (!wish) return
      wishes.push(wish)
      await send(wish)
      // Half of those that know nothing ask again at once, where the others wait for quieter times.
      if (wish.outcome === 'unknown' && throwDice() < 0.5) await send(wish)
      await pause()
    }
  }
  const going = Array.from({ length: CLIENTS }, goOn)

  return {
    wishes,
    unknown: () => unknown,
    hurry: () => {
      hurried = true
      for (const go of pausing) go()
      return () => {
        hurried = false
      }
    },
    send,
    stop: async () => {
      stopped = true
      for (const go of pausing) go()
      await Promise.all(going)
    },
  }
}

function note(wish: Wish, receipt: BuyResponse | null, refusal: string | null): void {
  wish.refusal = refusal
  if (receipt) {
    if (wish.tradeId !== null && wish.tradeId !== receipt.id) {
      throw new AssertionError({ message: `${wish.externalId} was answered with two trades` })
    }
    wish.outcome = 'acknowledged'
    wish.tradeId = receipt.id
  } else if (refusal === 'INTERNAL_ERROR') wish.outcome = 'unknown'
  else if (PASSING.includes(refusal ?? '') && wish.outcome !== 'unknown') wish.outcome = 'unsent'
  else if (!PASSING.includes(refusal ?? '')) wish.outcome = 'refused'
}

/** Nobody listened, so nobody has read it. */
const wasNotSent = (error: unknown): boolean =>
  (error as { cause?: { code?: string } }).cause?.code === 'ECONNREFUSED'
