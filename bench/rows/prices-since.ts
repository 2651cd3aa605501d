// GET /market/prices since a version, after a minute in which the markets alone did something: its bytes
// beside those of the whole list.
import { request } from 'undici'
import { median } from '../rounds.ts'
import { lineOf } from './million-figures.ts'
import type { RunRow } from './row.ts'

/** Twenty changes of listings a second at the two markets, of 50,000 listings. */
const MINUTE_MS = { quick: 5000, full: 60_000 }
const MINUTES = 3
/** After a start the markets are read whole, on a slow machine for longer than a minute. */
const MOST_SETTLING = 10
const MOST_SHARE = 0.05

export const runPricesSince: RunRow = async ({ installation, isQuick, say }) => {
  const process = await installation.startAllInOne()
  try {
    const read = async (query: string, encoding: string) => {
      const url = `http://127.0.0.1:${process.port}/market/prices?limit=-1${query}`
      const headers = { 'api-key': installation.apiKey, 'accept-encoding': encoding }
      const answer = await request(url, { headers })
      const body = Buffer.from(await answer.body.arrayBuffer())
      if (answer.statusCode !== 200) throw new Error(body.toString().slice(0, 500))
      return body
    }
    const whole = await read('', 'gzip')
    const minuteMs = isQuick ? MINUTE_MS.quick : MINUTE_MS.full
    let { version } = dataOf(await read('', 'identity'))
    const nextMinute = async () => {
      await new Promise((resolve) => setTimeout(resolve, minuteMs))
      const since = `&since=${encodeURIComponent(version)}`
      const [delta, list] = [await read(since, 'identity'), await read('', 'identity')]
      const { items, full = false, version: next } = dataOf(delta)
      version = next
      return { since, changed: items.length, full, share: delta.length / list.length }
    }
    // The first minute is that of the start, even where its changes fit into a delta.
    let settling = 0
    for (let full = true; full; settling++) {
      if (settling === MOST_SETTLING) throw new Error('the markets were not read to their end')
      full = (await nextMinute()).full
    }
    const shares: number[] = []
    const plain: number[] = []
    let changed = 0
    for (let minute = 1; minute <= MINUTES; minute++) {
      const { since, full, ...one } = await nextMinute()
      if (full) throw new Error('more changed in a minute than a delta may have')
      changed = one.changed
      plain.push(one.share)
      shares.push((await read(since, 'gzip')).length / whole.length)
      say(`minute ${minute}: ${changed} items, ${percent(one.share)}`)
    }
    const share = Math.max(median(plain), median(shares))
    return [
      lineOf({
        path: '`GET /market/prices?since=` after a quiet minute: bytes',
        ours: `${percent(median(plain))} of the whole list, ${percent(median(shares))} with gzip`,
        aim: `< ${percent(MOST_SHARE)}`,
        reached: share < MOST_SHARE,
        note: `${MINUTES} minutes of 20 changes a second at the markets; ${changed} items changed in the last`,
      }),
    ]
  } finally {
    await process.stop()
  }
}

interface Prices {
  readonly version: string
  readonly items: readonly unknown[]
  readonly full?: boolean
}
const dataOf = (body: Buffer): Prices => (JSON.parse(body.toString()) as { data: Prices }).data

const percent = (share: number): string => `${(share * 100).toFixed(2)}%`
