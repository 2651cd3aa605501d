// Ten thousand sockets but one with filters of their own, on one process, beside one socket that gets
// everything, on another process of the same database: both follow the same changes at the same time.
import { join } from 'node:path'
import { readBuyers } from '../installation/buyers.ts'
import { readRows } from '../installation/installation.ts'
import { startHelper } from '../ipc.ts'
import type { SocketsMethods } from '../load/sockets.ts'
import { cpuSecondsOf } from '../machine.ts'
import { median } from '../rounds.ts'
import type { LiveDriverMethods } from '../servers/live-driver.ts'
import { buyersDatabase } from './buyers-database.ts'
import { CLIENT_PROCESSES, openAll, SOCKETS_EACH } from './live.ts'
import { lineOf } from './million-figures.ts'
import type { RunRow } from './row.ts'

const NAME = 'bench_filter_sockets'
const SOCKETS = { quick: 500, full: 9999 }
const CHANGES_PER_SECOND = 20
const WINDOW_MS = { quick: 3000, full: 10_000 }
/** Frames of the last changes are on their way when all changes are written. */
const REST_MS = 1000
const MOST_TIMES = 10

export const runFilterSockets: RunRow = async (bench) => {
  const { installation, rounds, isQuick, say } = bench
  const sockets = isQuick ? SOCKETS.quick : SOCKETS.full
  const windowMs = isQuick ? WINDOW_MS.quick : WINDOW_MS.full
  const url = await installation.clone(await buyersDatabase(bench), NAME)
  // All are one merchant's, the one that gets everything as well.
  const settings = { LIVE_SOCKETS_PER_MERCHANT: String(SOCKETS.full + 1) }
  const [filtered, plain] = [
    await installation.startApi(url, settings),
    await installation.startApi(url, settings),
  ]
  const driver = startHelper<LiveDriverMethods>(`${import.meta.dirname}/../servers/live-driver.ts`)
  const clients = Array.from({ length: CLIENT_PROCESSES + 1 }, () =>
    startHelper<SocketsMethods>(`${import.meta.dirname}/../load/sockets.ts`),
  )
  const [everything, ...filters] = clients as [(typeof clients)[0], ...typeof clients]
  try {
    await driver.call('open', url)
    const secrets = join(installation.dataFolder, 'secrets.key')
    const [other, ...rest] = await readBuyers(url)
    const buyers = rest.slice(0, Math.ceil(sockets / SOCKETS_EACH))
    const accounts = Array.from({ length: sockets }, (_, i) => buyers[i % buyers.length]).flatMap(
      (buyer) => buyer ?? [],
    )
    say(`opening ${sockets.toLocaleString('en')} sockets with filters`)
    const paths = await driver.call('paths', secrets, accounts, await scopesOf(url, sockets))
    await openAll(filters, { port: filtered.port, paths, isGreeted: true })
    const all = await driver.call('paths', secrets, other === undefined ? [] : [other])
    await everything.call('open', plain.port, all, true)

    const times: number[] = []
    const cores = { filtered: [] as number[], plain: [] as number[] }
    let frames = { filtered: 0, plain: 0 }
    for (let round = -1; round < rounds; round++) {
      for (const client of clients) await client.call('reset')
      const before = [cpuSecondsOf(filtered.pid), cpuSecondsOf(plain.pid)] as const
      const startedAt = performance.now()
      await driver.call('drive', CHANGES_PER_SECOND, windowMs)
      await new Promise((resolve) => setTimeout(resolve, REST_MS))
      const seconds = (performance.now() - startedAt) / 1000
      const used = [
        cpuSecondsOf(filtered.pid) - before[0],
        cpuSecondsOf(plain.pid) - before[1],
      ] as const
      // The first round changes prices that filters were written for, and warms up.
      if (round < 0) continue
      times.push(used[0] / used[1])
      cores.filtered.push(used[0] / seconds)
      cores.plain.push(used[1] / seconds)
      const read = await Promise.all(filters.map((client) => client.call('read')))
      frames = {
        filtered: read.reduce((sum, one) => sum + one.frames, 0),
        plain: (await everything.call('read')).frames,
      }
      say(`round ${round + 1}: × ${times.at(-1)?.toFixed(2)}`)
    }
    const ratio = median(times)
    return [
      lineOf({
        path: `live market, ${sockets.toLocaleString('en')} sockets with filters of their own, ${CHANGES_PER_SECOND} changes a second: CPU of the process`,
        ours: `${median(cores.filtered).toFixed(3)} of a core`,
        peer: `one socket that gets everything: ${median(cores.plain).toFixed(3)} of a core`,
        ratio: `× ${ratio.toFixed(2)}`,
        aim: `< × ${MOST_TIMES}`,
        reached: ratio < MOST_TIMES && frames.filtered > 0 && frames.plain > 0,
        note: `${frames.filtered.toLocaleString('en')} frames in the last round, the peer ${frames.plain.toLocaleString('en')}`,
      }),
    ]
  } finally {
    await Promise.all([driver, ...clients].map((helper) => helper.stop()))
    await Promise.all([filtered.stop(), plain.stop()])
    await installation.drop(NAME)
  }
}

interface Kind {
  readonly itemId: string
  readonly weapon: string | null
  readonly exterior: string | null
}

/**
 * All different. Of ten, seven name an item and a price, one an item and a wear, one a weapon with its
 * exterior, one prices alone, of which each change fits a few.
 */
async function scopesOf(url: string, count: number): Promise<string[]> {
  const items = await readRows<Kind>(url, ITEMS)
  return Array.from({ length: count }, (_, i) => {
    const { itemId, weapon, exterior } = items[i % items.length] as Kind
    const price = (0.01 + i / 100).toFixed(2)
    const query: Record<string, string> =
      i % 10 < 7
        ? { itemId, minPrice: price }
        : i % 10 === 7
          ? { itemId, maxWear: (0.1 + (i / count) * 0.9).toFixed(4) }
          : i % 10 === 8
            ? {
                ...(weapon === null ? { itemId } : { weapon }),
                ...(exterior !== null && { exterior }),
                minPrice: price,
              }
            : { minPrice: (1000 + i / 100).toFixed(2), maxPrice: (1001 + i / 100).toFixed(2) }
    return `scope=filter&${new URLSearchParams(query)}`
  })
}

const ITEMS = `
  select i.id "itemId", i.weapon, i.exterior from catalog.item i
  where exists (select from catalog.listing l where l.item_id = i.id and l.live and not l.taken)
  order by hashtext(i.id)`
