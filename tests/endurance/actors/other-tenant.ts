// Another merchant, who reads and buys as merchants do: what it notices of the attack is measured. It is a
// process of its own, so that the attacker's work does not count as the service's, and it measures how late
// its own timers are, because all of them share the cores of one machine.
import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { openDb } from '../../../apps/server/src/infra/database/db.ts'
import { type Client, createClient } from '../../support/client.ts'
import { tradeUrl } from '../../support/trading.ts'
import { type ForSale, listForSaleAt } from './hostile/races.ts'

export const MEASURED = ['reads', 'buys', 'timers'] as const
export type Measured = (typeof MEASURED)[number]

/** Milliseconds by the name of the phase. */
export type Samples = Readonly<Record<Measured, ReadonlyMap<string, readonly number[]>>>

/** A buy that was answered with a trade. */
export interface Acknowledged {
  readonly externalId: string
  readonly tradeId: string
}

export interface OtherTenantReport {
  readonly samples: Samples
  readonly acknowledged: readonly Acknowledged[]
  /** Buys that were refused, by the key of the refusal. */
  readonly refused: ReadonlyMap<string, number>
}

export interface OtherTenant {
  /** Of its process; undefined when it could not be started. */
  readonly pid: number | undefined
  /** What begins and ends under this name counts for it; null leaves it out. */
  measureAs(name: string | null): void
  /** Stops it, and returns all that it saw. */
  stop(): Promise<OtherTenantReport>
}

interface Message {
  readonly wrong?: string
  readonly samples?: readonly (readonly [Measured, readonly (readonly [string, number[]])[]])[]
  readonly acknowledged?: readonly Acknowledged[]
  readonly refused?: readonly (readonly [string, number])[]
}

interface Order {
  readonly measureAs?: string | null
  readonly end?: true
}

interface Pace {
  readonly readEveryMs: number
  readonly buyEveryMs: number
}
/**
 * The usual one is 100 tokens a minute for reads and 250 for buys, of the 360 of the highest tier: a 99th
 * percentile of buys takes hundreds of them.
 */
const PACES: Readonly<Record<string, Pace>> = {
  usual: { readEveryMs: 600, buyEveryMs: 1200 },
  hurried: { readEveryMs: 100, buyEveryMs: 600 },
}
const TIMER_MS = 50
/** Of the two markets one takes far fewer calls in a minute. */
const ONE_AT_MARKET_B_OF = 8
const READS = ['getWallet', 'listMerchantTrades', 'searchMarket', 'listMerchantLedger'] as const
/** What a buy of a listing that others want may be refused with. */
const REFUSALS = [
  'LISTING_NOT_FOUND',
  'PRICE_MISMATCH',
  'MARKET_UNAVAILABLE',
  'PLATFORM_UNAVAILABLE',
  'TRADEURL_INVALID_TOKEN',
]
const LISTINGS_AT_ONCE = 200
const FILE = fileURLToPath(import.meta.url)

export function startOtherTenant(
  { baseUrl, apiKey }: Pick<Client, 'baseUrl' | 'apiKey'>,
  {
    isHurried,
    databaseUrl,
    onFound,
  }: {
    /** It may do more than the limits of the highest tier: more samples in the same time. */
    readonly isHurried: boolean
    readonly databaseUrl: string
    readonly onFound: (what: string, error: unknown) => void
  },
): OtherTenant {
  const args = [baseUrl, apiKey, databaseUrl, isHurried ? 'hurried' : 'usual']
  // In a session of its own it is no part of what gives way.
  const child = fork(FILE, args, { detached: true })
  let ended: Message = {}
  child.on('message', (sent: Message) => {
    if (sent.wrong !== undefined) onFound('the other tenant', sent.wrong)
    else ended = sent
  })
  return {
    pid: child.pid,
    measureAs: (name) => send(child, { measureAs: name }),
    stop: async () => {
      send(child, { end: true })
      if (child.exitCode === null) await once(child, 'exit')
      const samples = new Map((ended.samples ?? []).map(([what, by]) => [what, new Map(by)]))
      const of = (what: Measured) => samples.get(what) ?? new Map()
      return {
        samples: { reads: of('reads'), buys: of('buys'), timers: of('timers') },
        acknowledged: ended.acknowledged ?? [],
        refused: new Map(ended.refused),
      }
    },
  }
}

const send = (child: ChildProcess, order: Order): void => {
  if (child.connected) child.send(order)
}

// ---------------------------------------------------------------- the process of the other tenant

async function live(merchant: Client, databaseUrl: string, pace: Pace): Promise<void> {
  const db = openDb({ url: databaseUrl, poolSize: 1, applicationName: 'attack, other tenant' })
  const samples = new Map<Measured, Map<string, number[]>>(
    MEASURED.map((what) => [what, new Map<string, number[]>()]),
  )
  const acknowledged: Acknowledged[] = []
  const refused = new Map<string, number>()
  let name: string | null = null
  let isOver = false
  process.on('message', (order: Order) => {
    if (order.measureAs !== undefined) name = order.measureAs
    if (order.end) isOver = true
  })
  process.on('disconnect', () => process.exit(0))

  /** Milliseconds count only when the phase is the same at the end. */
  const measure = async <Result>(what: Measured, work: () => Promise<Result>): Promise<Result> => {
    const measured = name
    const startedAt = performance.now()
    const result = await work()
    const tookMs = performance.now() - startedAt - (what === 'timers' ? TIMER_MS : 0)
    if (measured !== null && measured === name) {
      const by = samples.get(what) as Map<string, number[]>
      const of = by.get(measured) ?? []
      by.set(measured, of)
      of.push(Math.max(0, tookMs))
    }
    return result
  }
  const repeat = async (everyMs: number, work: (i: number) => Promise<void>): Promise<void> => {
    for (let i = 0; !isOver; i++) {
      await work(i).catch((error: unknown) => {
        process.send?.({ wrong: error instanceof Error ? error.message : String(error) })
      })
      await sleep(everyMs)
    }
  }
  const supply = { market_a: [] as ForSale[], market_b: [] as ForSale[] }
  const buy = async (i: number): Promise<void> => {
    const market = i % ONE_AT_MARKET_B_OF === 0 ? 'market_b' : 'market_a'
    if (supply[market].length === 0) {
      supply[market] = await listForSaleAt(db, market, LISTINGS_AT_ONCE)
    }
    const listing = supply[market].pop()
    assert.ok(listing, `${market} has something for sale`)
    const externalId = `other-tenant-${i}`
    const { data, error, status } = await measure('buys', () =>
      buyOf(merchant, listing, externalId),
    )
    if (data) acknowledged.push({ externalId, tradeId: data.id })
    else {
      const key = error?.key ?? String(status)
      refused.set(key, (refused.get(key) ?? 0) + 1)
      assert.ok(REFUSALS.includes(key), `a buy is answered ${status} ${key}`)
    }
  }
  const read = async (i: number): Promise<void> => {
    const route = READS[i % READS.length] ?? 'getWallet'
    const { status, error } = await measure('reads', () => merchant.call(route))
    assert.equal(status, 200, `${route} is answered ${status} ${error?.key}`)
  }
  await Promise.all([
    repeat(pace.readEveryMs, read),
    repeat(pace.buyEveryMs, buy),
    repeat(0, () => measure('timers', () => sleep(TIMER_MS))),
  ])
  await db.close()
  const report: Message = {
    samples: [...samples].map(([what, by]) => [what, [...by]]),
    acknowledged,
    refused: [...refused],
  }
  process.send?.(report, () => process.exit(0))
}

const buyOf = (merchant: Client, { market, raw_id }: ForSale, externalId: string) =>
  merchant.call('buy', {
    body: {
      externalId,
      tradeUrl: tradeUrl('accept00', 90_000_001),
      items: [{ listingRawId: `${market}:${raw_id}`, maxPrice: '900.00' }],
    },
  })

if (process.argv[1] === FILE) {
  const [baseUrl = '', apiKey = '', databaseUrl = '', paceName = ''] = process.argv.slice(2)
  const pace = PACES[paceName]
  assert.ok(pace, 'the other tenant has a pace')
  await live(createClient({ baseUrl, apiKey }), databaseUrl, pace)
}
