// What is waited for, counted and said of a catalogue of a million listings.

import { readFileSync, rmSync } from 'node:fs'
import { readRows, runScript } from '../installation/installation.ts'
import { memoryOf } from '../machine.ts'
import type { OurProcess } from '../servers/tradepost.ts'
import type { Line } from './row.ts'

const READ_TIMEOUT_MS = 1_800_000
const MEMORY_AIMS_MB = { 'all-in-one': 1_200, api: 900, worker: 500 }

export async function untilFound(
  api: OurProcess,
  apiKey: string,
  startedAt: number,
): Promise<number> {
  await until('a search that finds something', async () => {
    const answer = await fetch(`http://127.0.0.1:${api.port}/market/search?inStock=true&limit=1`, {
      headers: { 'api-key': apiKey },
    })
    const body = await answer.text()
    return answer.ok && /"price":\{"standard":\d/.test(body)
  })
  return performance.now() - startedAt
}

export async function untilRead(url: string, startedAt: number): Promise<number> {
  await until('both markets read', async () => {
    const [row] = await readRows<{ count: string }>(
      url,
      'select count(*) from catalog.market where snapshot_at is not null',
    )
    return row?.count === '2'
  })
  return performance.now() - startedAt
}

export async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const startedAt = performance.now()
  while (performance.now() - startedAt < READ_TIMEOUT_MS) {
    if (await isSo()) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`waited in vain for ${what}`)
}

/** The least that a read of so much could be; how many listings there are; bytes of the table for each. */
export async function copyOf(
  url: string,
): Promise<[copyMs: number, live: number, bytesEach: number]> {
  const [size] = await readRows<{ live: string; bytes: string }>(
    url,
    `select (select count(*) from catalog.listing where live) live,
       pg_total_relation_size('catalog.listing') bytes`,
  )
  const live = Number(size?.live ?? 0)
  const [row] = await readRows<{ file: string }>(
    url,
    `select current_setting('data_directory') || '/bench-copy' file`,
  )
  await runScript(url, 'create table bench_copy (like catalog.listing including all)')
  const startedAt = performance.now()
  await runScript(
    url,
    `copy catalog.listing to '${row?.file}'`,
    `copy bench_copy from '${row?.file}'`,
  )
  const copyMs = performance.now() - startedAt
  await runScript(url, 'drop table bench_copy')
  rmSync(row?.file ?? '', { force: true })
  return [copyMs, live, Number(size?.bytes ?? 0) / live]
}

interface SnapshotRead {
  readonly durationMs: number
  readonly inserted: number
  readonly updated: number
  readonly removed: number
}

export const snapshotsIn = (logFile: string): SnapshotRead[] =>
  readFileSync(logFile, 'utf8')
    .split('\n')
    .filter((line) => line.includes('"event":"market_snapshot"'))
    .map((line) => JSON.parse(line) as SnapshotRead)

export function memoryLine(
  role: keyof typeof MEMORY_AIMS_MB,
  { pid }: OurProcess,
  size: number,
  when = 'after the first read',
): Line {
  const { residentMb, peakMb } = memoryOf(pid)
  const aim = MEMORY_AIMS_MB[role]
  return lineOf({
    path: `resident memory of ${role === 'all-in-one' ? '`npm start`' : `\`npm run start:${role}\``}, ${when}, ${listings(size)}`,
    ours: `${Math.round(residentMb)} MB`,
    aim: `≤ ${aim} MB`,
    reached: residentMb <= aim,
    note: `at its highest ${Math.round(peakMb)} MB`,
  })
}

export const listings = (count: number): string => `${count.toLocaleString('en')} listings`
export const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(1)} s`
export const secondsSince = (startedAt: number): number => (performance.now() - startedAt) / 1000

export const lineOf = (
  line: Pick<Line, 'path' | 'ours' | 'aim' | 'reached'> & Partial<Line>,
): Line => ({
  peer: '',
  ratio: '',
  scatter: null,
  note: '',
  rounds: null,
  ...line,
})
