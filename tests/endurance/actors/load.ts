// Buyers who continue while processes are killed, and record every response.
import { AssertionError } from 'node:assert/strict'
import type { BuyResponse } from '@tradepost/contract'
import { createClient } from '../../support/client.ts'
import { tradeUrl } from '../../support/trading.ts'

/** One buy under its own external id. */
export interface TrackedRequest {
  readonly externalId: string
  readonly behalf: string
  readonly listingRawId: string
  readonly token: string
  /** `unknown`: sent without a conclusive response; `unsent`: certainly not sent. */
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
  /** A request that has no answer after so long is given up (6 s). */
  readonly deadlineMs?: number
}

export interface Load {
  readonly requests: readonly TrackedRequest[]
  /** The number of requests with an unknown outcome so far. */
  unknown(): number
  /** The number of requests that were given up or cut off. */
  unanswered(): number
  /** Buyers do not pause between two requests until the returned function is called. */
  hurry(): () => void
  /** Sends a request, for the first time or again. */
  send(request: TrackedRequest): Promise<void>
  stop(): Promise<void>
}

const CLIENTS = 8
const PAUSE_MS = 1200
const DEADLINE_MS = 6000
/** One of this many requests is for a listing that another request has used. */
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
const TRANSIENT = [
  'INTERNAL_ERROR',
  'MARKET_UNAVAILABLE',
  'PLATFORM_UNAVAILABLE',
  'SERVICE_DISABLED',
]

export function startLoad(options: LoadOptions): Load {
  const { throwDice, listings } = options
  const clients = options.baseUrls.map((baseUrl) =>
    createClient({ baseUrl, apiKey: options.apiKey }),
  )
  const pick = <Value>(values: readonly Value[]): Value =>
    values[Math.floor(throwDice() * values.length)] as Value
  const requests: TrackedRequest[] = []
  let unknown = 0
  let unanswered = 0
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

  const send = async (request: TrackedRequest): Promise<void> => {
    try {
      const { data, error } = await pick(clients).call('buy', {
        behalf: request.behalf,
        deadlineMs: options.deadlineMs ?? DEADLINE_MS,
        body: {
          externalId: request.externalId,
          tradeUrl: tradeUrl(request.token),
          items: [{ listingRawId: request.listingRawId, maxPrice: '900.00' }],
        },
      })
      note(request, data, error?.key ?? null)
    } catch (error) {
      if (error instanceof AssertionError) throw error
      unanswered++
      request.outcome = wasNotSent(error) && request.outcome !== 'unknown' ? 'unsent' : 'unknown'
    } finally {
      if (request.outcome === 'unknown') unknown++
    }
  }

  const newRequest = (): TrackedRequest | null => {
    const contested = requests.length > 0 && throwDice() < 1 / CONTESTED_ONE_IN
    const listingRawId = contested ? pick(requests).listingRawId : listings[nextListing++]
    if (listingRawId === undefined) return null
    return {
      externalId: `request-${requests.length + 1}`,
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
      const request = newRequest()
      if (!request) return
      requests.push(request)
      await send(request)
      // Half of those that know nothing ask again at once, where the others wait for quieter times.
      if (request.outcome === 'unknown' && throwDice() < 0.5) await send(request)
      await pause()
    }
  }
  const going = Array.from({ length: CLIENTS }, goOn)

  return {
    requests,
    unknown: () => unknown,
    unanswered: () => unanswered,
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

function note(request: TrackedRequest, receipt: BuyResponse | null, refusal: string | null): void {
  request.refusal = refusal
  if (receipt) {
    if (request.tradeId !== null && request.tradeId !== receipt.id) {
      throw new AssertionError({ message: `${request.externalId} was answered with two trades` })
    }
    request.outcome = 'acknowledged'
    request.tradeId = receipt.id
  } else if (refusal === 'INTERNAL_ERROR') request.outcome = 'unknown'
  else if (TRANSIENT.includes(refusal ?? '') && request.outcome !== 'unknown')
    request.outcome = 'unsent'
  else if (!TRANSIENT.includes(refusal ?? '')) request.outcome = 'refused'
}

/** The connection was refused, so the request was not read. */
const wasNotSent = (error: unknown): boolean =>
  (error as { cause?: { code?: string } }).cause?.code === 'ECONNREFUSED'
