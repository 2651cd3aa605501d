// Every page of the partner interface: a partner with 10,000 children and a million orders beside one with
// 100 children and ten thousand, and then the pages of one child that has all orders of its partner. All
// have a thousand orders a day: the history of the large ones is longer.

import { openDb } from '../../apps/server/src/infra/database/db.ts'
import { systemClock } from '../../apps/server/src/infra/process/clock.ts'
import { keepFigures } from '../../apps/server/src/modules/trading/trades/index.ts'
import { keyOfChild, seedChildren } from '../installation/children.ts'
import { ORIGINAL } from '../installation/installation.ts'
import { seedTrades } from '../installation/trades.ts'
import type { Helper } from '../ipc.ts'
import type { LoadMethods } from '../load/process.ts'
import { compare, rateOf, type Side, scatterOf } from '../rounds.ts'
import { type Bench, describeRounds, type Line, loadOf, type RunRow, requestOf } from './row.ts'
import { onTwoSizes, openPlace, type Place } from './two-sizes.ts'

/** Of what is heavy one is read for a tenant and eight wait: a tenth is refused. */
const CONNECTIONS = 9
const MAX_TIMES_SLOWER = 1.5
const ORDERS_OF_EACH = 100
const SMALL = 10_000
const EVERY_SECONDS = 86.4

const OF_CHILD = [
  '/v1/user/orders',
  '/v1/user/orders?page=4&limit=25',
  '/v1/user/transactions',
  '/v1/user/transactions?page=8',
  '/v1/user/transactions/stats',
  '/v1/user/ledger',
  '/v1/user/ledger?page=10',
  '/v1/user/ledger?type=refund',
  '/v1/user/wallet',
]
const OF_LONG_ACCOUNT = [
  '/v1/user/orders?limit=25',
  '/v1/user/transactions?limit=25',
  '/v1/user/transactions/stats',
  '/v1/user/ledger',
]
const OF_PARTNER = ['/v1/partner/stats', '/v1/user', '/v1/user/orders', '/v1/user/ledger']

export const runPartnerPages: RunRow = async (bench) => [
  ...(await measurePages(bench, {
    large: bench.isQuick ? 30_000 : 1_000_000,
    ordersOfEach: ORDERS_OF_EACH,
    pages: [
      ...OF_CHILD.map((path) => ({ path, of: 'childKey' as const })),
      ...OF_PARTNER.map((path) => ({ path, of: 'partnerKey' as const })),
    ],
  })),
  ...(await measurePages(bench, {
    large: bench.isQuick ? 30_000 : 300_000,
    ordersOfEach: null,
    pages: OF_LONG_ACCOUNT.map((path) => ({ path, of: 'childKey' as const })),
  })),
]

interface Pages {
  readonly large: number
  /** Null: one child has all of them. */
  readonly ordersOfEach: number | null
  readonly pages: readonly { readonly path: string; readonly of: 'childKey' | 'partnerKey' }[]
}

const measurePages = (bench: Bench, { large, ordersOfEach, pages }: Pages): Promise<Line[]> => {
  const open = (count: number) => () =>
    openPartner(bench, { count, children: ordersOfEach === null ? 1 : count / ordersOfEach })
  return onTwoSizes(bench, { small: open(SMALL), big: open(large) }, async (sizes) => {
    const lines: Line[] = []
    for (const page of pages) {
      const side = (place: Partner) => sideOf(place, sizes.load, { ...page, ...bench })
      const compared = await compare({ ours: side(sizes.big), peer: side(sizes.small) }, bench)
      const slower = rateOf(compared.peer) / rateOf(compared.ours)
      const who = page.of === 'childKey' ? 'a child' : 'the partner'
      const each =
        ordersOfEach === null ? 'all orders are one child’s' : `${ordersOfEach} orders a child`
      lines.push({
        path: `\`GET ${page.path}\` of ${who}, ${large.toLocaleString('en')} orders${ordersOfEach === null ? ' of its own' : ''}`,
        ours: describeRounds(compared.ours),
        peer: `${SMALL.toLocaleString('en')} orders: ${describeRounds(compared.peer)}`,
        ratio: `× ${slower.toFixed(2)} slower`,
        aim: `≤ × ${MAX_TIMES_SLOWER}`,
        reached: slower <= MAX_TIMES_SLOWER,
        scatter: scatterOf(compared),
        note: `${each}, ${CONNECTIONS} connections; the books audits are clean`,
        rounds: { ours: compared.ours, peer: compared.peer },
      })
    }
    return lines
  })
}

interface Partner extends Place {
  readonly childKey: string
  readonly partnerKey: string
}

async function openPartner(
  bench: Bench,
  { count, children }: { readonly count: number; readonly children: number },
): Promise<Partner> {
  const { say, installation } = bench
  const fill = async (url: string): Promise<void> => {
    await seedChildren(url, { count: children, say })
    say(`writing ${count.toLocaleString('en')} orders`)
    await seedTrades(url, { count, buyers: children, everySeconds: EVERY_SECONDS, say })
    const db = openDb({ url, poolSize: 2, applicationName: 'bench partner' })
    try {
      await keepFigures(db, { at: systemClock.now(), signal: AbortSignal.timeout(600_000) })
    } finally {
      await db.close()
    }
  }
  const name = `bench_partner_${count}_${children}`
  const place = await openPlace(bench, { from: ORIGINAL, name, fill })
  return { ...place, childKey: await keyOfChild(place.url), partnerKey: installation.partnerKey }
}

function sideOf(
  place: Partner,
  load: Helper<LoadMethods>,
  {
    path,
    of,
    isQuick,
  }: {
    readonly path: string
    readonly of: 'childKey' | 'partnerKey'
    readonly isQuick: boolean
  },
): Side {
  const durationMs = isQuick ? 500 : 2000
  const requests = [requestOf('GET', path, { 'x-api-key': place[of] })]
  const { port, pid } = place.api
  return {
    pid,
    run: (index) =>
      loadOf(load, {
        ...{ port, connections: CONNECTIONS, requests },
        durationMs: index < 0 ? durationMs / 2 : durationMs,
      }),
  }
}
