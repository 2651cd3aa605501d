// A merchant that buys at a steady rate and sends each buy again, under its externalId, until it is answered.
import type { Client } from '../support/client.ts'
import { type Control, MARKETS, type SandboxListing } from '../support/sandbox.ts'
import { buyRaw } from '../support/trading.ts'

export interface Buys {
  /** When each acknowledgement came, milliseconds of `performance.now()`. */
  readonly acknowledgedAt: readonly number[]
  /** The externalIds of what was acknowledged, with the trade's id. */
  readonly acknowledged: ReadonlyMap<string, string>
  /** What no client may be answered. */
  readonly outsideEnvelope: readonly string[]
  /** Sends no new one, and waits for the answers to all that were sent. */
  stop(): Promise<void>
}

const AGAIN_MS = 250
/** A request that the balancer or a dead process has swallowed. */
const ANSWER_WITHIN_MS = 20_000

export async function startBuys({
  merchant,
  control,
  behalf,
  perSecond,
}: {
  readonly merchant: Client
  readonly control: Control
  readonly behalf: string
  readonly perSecond: number
}): Promise<Buys> {
  const listings = (
    await Promise.all(
      MARKETS.map(async (market) =>
        (await control.listings(market, 1000)).map((listing) => ({ market, ...listing })),
      ),
    )
  )
    .flat()
    .sort((a, b) => a.priceMills - b.priceMills)
  const acknowledgedAt: number[] = []
  const acknowledged = new Map<string, string>()
  const outsideEnvelope: string[] = []
  const underWay = new Set<Promise<void>>()
  let count = 0
  let stopped = false

  const nextListing = (): string => {
    const listing: (SandboxListing & { market: string }) | undefined = listings.shift()
    if (listing === undefined) throw new Error('the sandbox has nothing left to buy')
    return `${listing.market}:${listing.id}`
  }
  const buy = async (externalId: string): Promise<void> => {
    let raw = nextListing()
    for (;;) {
      try {
        const answer = await within(
          ANSWER_WITHIN_MS,
          buyRaw(merchant, { raw: [raw], behalf, externalId }),
        )
        if (answer.data) {
          acknowledgedAt.push(performance.now())
          acknowledged.set(externalId, answer.data.id)
          return
        }
        const key = answer.error?.key
        if (key === undefined) outsideEnvelope.push(`${externalId}: ${answer.status}`)
        // Sold to no one by this: another listing under the same externalId.
        if (key === 'LISTING_NOT_FOUND') raw = nextListing()
        else if (key === 'INTERNAL_ERROR' && answer.headers.get('retry-after') === null)
          outsideEnvelope.push(`${externalId}: no retry-after`)
      } catch (error) {
        // No answer at all: the connection was cut. Anything else is an answer that no client can read.
        if (!isCut(error)) outsideEnvelope.push(`${externalId}: ${String(error)}`)
      }
      await pause(AGAIN_MS)
    }
  }
  const timer = setInterval(() => {
    const work = buy(`drill-${++count}`).finally(() => underWay.delete(work))
    underWay.add(work)
  }, 1000 / perSecond)

  return {
    acknowledgedAt,
    acknowledged,
    outsideEnvelope,
    stop: async () => {
      if (!stopped) clearInterval(timer)
      stopped = true
      await Promise.all(underWay)
    },
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const within = <Value>(ms: number, work: Promise<Value>): Promise<Value> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TypeError(`no answer within ${ms} ms`)), ms)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

/** The client of Node throws a TypeError for every connection that fails. */
const isCut = (error: unknown): boolean => error instanceof TypeError
