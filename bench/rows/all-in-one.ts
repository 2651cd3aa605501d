// `npm start` on a data folder that is there: how soon it answers and what memory it holds with 50,000
// listings for sale.

import { readRows } from '../installation/installation.ts'
import { memoryOf } from '../machine.ts'
import { median } from '../rounds.ts'
import type { Line, RunRow } from './row.ts'

const READY_AIM_MS = 15_000
const MEMORY_AIM_MB = 600
/** The markets send changes all the time; by then memory has settled. */
const SETTLE_MS = 10_000

export const runAllInOne: RunRow = async ({ installation, rounds, isQuick, say }) => {
  const readyMs: number[] = []
  const residentMb: number[] = []
  const peakMb: number[] = []
  for (let round = 0; round < (isQuick ? 1 : rounds); round++) {
    const started = await installation.startAllInOne()
    try {
      const moreMs = await untilReady(started.port)
      await new Promise((resolve) => setTimeout(resolve, isQuick ? 2000 : SETTLE_MS))
      const memory = memoryOf(started.pid)
      readyMs.push(started.readyMs + moreMs)
      residentMb.push(memory.residentMb)
      peakMb.push(memory.peakMb)
      say(`ready in ${seconds(started.readyMs + moreMs)}, ${Math.round(memory.residentMb)} MB`)
    } finally {
      await started.stop()
    }
  }
  const [count] = await readRows<{ live: string }>(
    (await installation.database()).url,
    'select count(*) live from catalog.listing where live',
  )
  const listings = Number(count?.live ?? 0).toLocaleString('en')
  return [
    lineOf({
      path: `all-in-one, ready on an initialised data folder (${listings} listings)`,
      ours: seconds(median(readyMs)),
      aim: '< 15 s',
      reached: median(readyMs) < READY_AIM_MS,
      note: `the very first start, which makes database and catalogue, took ${seconds(installation.firstStartMs)}`,
    }),
    lineOf({
      path: `all-in-one, resident memory of the server process (${listings} listings)`,
      ours: `${Math.round(median(residentMb))} MB`,
      aim: '< 600 MB',
      reached: median(residentMb) < MEMORY_AIM_MB,
      note: `${SETTLE_MS / 1000} s after it was ready; at its highest ${Math.round(median(peakMb))} MB`,
    }),
  ]
}

/** A process that says it is ready may still wait for the first heartbeat of a job. */
async function untilReady(port: number): Promise<number> {
  const startedAt = performance.now()
  while (performance.now() - startedAt < 60_000) {
    if ((await fetch(`http://127.0.0.1:${port}/readyz`)).ok) return performance.now() - startedAt
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error('/readyz did not say 200 within a minute')
}

const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(1)} s`

const lineOf = (line: Pick<Line, 'path' | 'ours' | 'aim' | 'reached' | 'note'>): Line => ({
  ...line,
  peer: '',
  ratio: '',
  scatter: null,
  rounds: null,
})
