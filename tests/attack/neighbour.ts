// Another merchant, who reads and buys as merchants do: what it notices of the attack is measured. Its reads
// are sent by a process of their own, so that the attacker's work does not count as the service's.
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Db } from '../../apps/server/src/infra/db.ts'
import { type Client, createClient } from '../support/client.ts'
import { tradeUrl } from '../support/trading.ts'
import { listForSale } from './races.ts'

export interface Percentiles {
  readonly count: number
  readonly p50: number
  readonly p95: number
  readonly p99: number
}

export interface Neighbour {
  /** Reads that begin and end under this name count for it; null leaves them out. */
  measureAs(name: string | null): void
  readonly tradeIds: readonly string[]
  /** What was measured, in milliseconds, by name. */
  stop(): Promise<ReadonlyMap<string, readonly number[]>>
}

type Said =
  | { readonly wrong: string }
  | { readonly samples: readonly (readonly [string, number[]])[] }

const READ_EVERY_MS = 250
const BUY_EVERY_MS = 8000
const READS = ['getWallet', 'listMerchantTrades', 'searchMarket', 'listMerchantLedger'] as const
const FILE = fileURLToPath(import.meta.url)

export function startNeighbour(
  merchant: Client,
  { db, onFound }: { readonly db: Db; readonly onFound: (what: string, error: unknown) => void },
): Neighbour {
  const reader = fork(FILE, [merchant.baseUrl, merchant.apiKey])
  let ended: ReadonlyMap<string, readonly number[]> | undefined
  reader.on('message', (said: Said) => {
    if ('wrong' in said) onFound('a read of the neighbour', said.wrong)
    else ended = new Map(said.samples)
  })
  const tradeIds: string[] = []
  const buy = async (externalId: string): Promise<void> => {
    const [listing] = await listForSale(db, 1)
    if (listing === undefined) return
    const { data, status, error } = await merchant.call('buy', {
      body: {
        externalId,
        tradeUrl: tradeUrl('accept00', 90_000_001),
        items: [{ listingRawId: `${listing.market}:${listing.raw_id}`, maxPrice: '900.00' }],
      },
    })
    assert.ok(status < 500 || status === 503, `it is answered ${status} ${error?.key}`)
    if (data) tradeIds.push(data.id)
  }
  let buys = 0
  let buying = Promise.resolve()
  const timer = setInterval(() => {
    buying = buying
      .then(() => buy(`neighbour-${++buys}`))
      .catch((error: unknown) => onFound('a buy of the neighbour', error))
  }, BUY_EVERY_MS)
  return {
    measureAs: (name) => reader.send({ measureAs: name }),
    tradeIds,
    stop: async () => {
      clearInterval(timer)
      await buying
      reader.send({ end: true })
      if (reader.exitCode === null) await once(reader, 'exit')
      return ended ?? new Map()
    },
  }
}

export function percentilesOf(samples: readonly number[]): Percentiles {
  const sorted = samples.toSorted((left, right) => left - right)
  const at = (share: number): number =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0)
  return { count: sorted.length, p50: at(0.5), p95: at(0.95), p99: at(0.99) }
}

/** The process that reads. */
async function readOn(merchant: Client): Promise<void> {
  const samples = new Map<string, number[]>()
  let name: string | null = null
  let isOver = false
  process.on('message', (order: { measureAs?: string | null; end?: boolean }) => {
    if (order.measureAs !== undefined) name = order.measureAs
    if (order.end) isOver = true
  })
  process.on('disconnect', () => process.exit(0))
  for (let i = 0; !isOver; i++) {
    const measured: string | null = name
    const startedAt = performance.now()
    try {
      const read = READS[i % READS.length] ?? 'getWallet'
      const { status, error } = await merchant.call(read)
      const tookMs = performance.now() - startedAt
      assert.equal(status, 200, `${read} is answered ${status} ${error?.key}`)
      if (measured !== null && measured === name) {
        const of = samples.get(measured) ?? []
        samples.set(measured, of)
        of.push(tookMs)
      }
    } catch (error) {
      process.send?.({ wrong: (error as Error).message } satisfies Said)
    }
    await new Promise((resolve) => setTimeout(resolve, READ_EVERY_MS))
  }
  process.send?.({ samples: [...samples] } satisfies Said, () => process.exit(0))
}

if (process.argv[1] === FILE) {
  const [baseUrl = '', apiKey = ''] = process.argv.slice(2)
  await readOn(createClient({ baseUrl, apiKey }))
}
