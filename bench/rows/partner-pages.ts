// Every page of the partner interface: a partner with 10,000 children and a million orders beside one with
// 100 children and ten thousand. Both have a thousand orders a day: the large one's history is longer. Each
// size is a database with an API process of its own; both run, one at a time is asked.
import { systemClock } from '../../apps/server/src/infra/clock.ts'
import { openDb } from '../../apps/server/src/infra/db.ts'
import { keepFigures } from '../../apps/server/src/modules/trades/index.ts'
import type { Helper } from '../ipc.ts'
import type { LoadMethods } from '../load/process.ts'
import { compare, rateOf, type Side, scatterOf } from '../rounds.ts'
import type { OurProcess } from '../servers/tradepost.ts'
import { keyOfChild, seedChildren } from '../world/children.ts'
import { seedTrades } from '../world/trades.ts'
import { auditBooks, ORIGINAL } from '../world/world.ts'
import {
  type Bench,
  describeRounds,
  type Line,
  loadOf,
  type RunRow,
  requestOf,
  startLoad,
} from './row.ts'

const CONNECTIONS = 10
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
const OF_PARTNER = ['/v1/partner/stats', '/v1/user', '/v1/user/orders', '/v1/user/ledger']

export const runPartnerPages: RunRow = async (bench) => {
  const { world, isQuick } = bench
  const large = isQuick ? 30_000 : 1_000_000
  const places: Place[] = []
  const load = startLoad()
  try {
    places.push(await openPlace(bench, SMALL))
    places.push(await openPlace(bench, large))
    const [small, big] = places as [Place, Place]
    const pages = [
      ...OF_CHILD.map((path) => ({ path, of: 'childKey' as const })),
      ...OF_PARTNER.map((path) => ({ path, of: 'partnerKey' as const })),
    ]
    const lines: Line[] = []
    for (const page of pages) {
      const side = (place: Place) => sideOf(place, load, { ...page, isQuick })
      const compared = await compare({ ours: side(big), peer: side(small) }, bench)
      const slower = rateOf(compared.peer) / rateOf(compared.ours)
      const who = page.of === 'childKey' ? 'a child' : 'the partner'
      lines.push({
        path: `\`GET ${page.path}\` of ${who}, ${large.toLocaleString('en')} orders`,
        ours: describeRounds(compared.ours),
        peer: `${SMALL.toLocaleString('en')} orders: ${describeRounds(compared.peer)}`,
        ratio: `× ${slower.toFixed(2)} slower`,
        aim: `≤ × ${MAX_TIMES_SLOWER}`,
        reached: slower <= MAX_TIMES_SLOWER,
        scatter: scatterOf(compared),
        note: `${ORDERS_OF_EACH} orders a child, ${CONNECTIONS} connections; the books audits are clean`,
        rounds: { ours: compared.ours, peer: compared.peer },
      })
    }
    for (const place of places) await auditBooks(place.url)
    return lines
  } finally {
    await Promise.all([load.stop(), ...places.map(({ api }) => api.stop())])
    for (const { name } of places) await world.drop(name)
  }
}

interface Place {
  readonly name: string
  readonly url: string
  readonly api: OurProcess
  readonly childKey: string
  readonly partnerKey: string
}

async function openPlace({ world, say }: Bench, count: number): Promise<Place> {
  const name = `bench_partner_${count}`
  const buyers = count / ORDERS_OF_EACH
  const url = await world.clone(ORIGINAL, name)
  await seedChildren(url, { count: buyers, say })
  say(`writing ${count.toLocaleString('en')} orders`)
  await seedTrades(url, { count, buyers, everySeconds: EVERY_SECONDS, say })
  const db = openDb({ url, poolSize: 2, applicationName: 'bench partner' })
  try {
    await keepFigures(db, { at: systemClock.now(), signal: AbortSignal.timeout(600_000) })
  } finally {
    await db.close()
  }
  const childKey = await keyOfChild(url)
  return { name, url, api: await world.startApi(url), childKey, partnerKey: world.partnerKey }
}

function sideOf(
  place: Place,
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
