// Market B's whole listing book as one CSV file, made anew each minute and streamed: 1.3 million rows.
import type { SourceListing } from '#ports/catalog'
import { readCsvRows } from '../shared/csv.ts'
import { type Download, discard, download } from '../shared/download.ts'
import type { GameBook } from '../shared/game-book.ts'
import { pause } from '../shared/pause.ts'
import { isLocked, isSold, readSnapshotRow } from './listing.ts'
import { retryAfterMs } from './purchase-answer.ts'
import type { MarketBSettings } from './settings.ts'

const DEADLINE_MS = 300_000
const MAX_BYTES = 1024 * 1024 * 1024
const ATTEMPTS = 10
const NEEDED_COLUMNS = ['item_id', 'name', 'price']

export type SnapshotSettings = Pick<MarketBSettings, 'baseUrl' | 'manualSellers'>

/** The rows, null for one that cannot be read. Throws when the market is away. */
export async function* readSnapshot(
  settings: SnapshotSettings,
  book: GameBook,
  signal: AbortSignal,
): AsyncGenerator<SourceListing | null, void, undefined> {
  const answer = await openSnapshot(settings, signal)
  let columns: ReadonlyMap<string, number> | null = null
  let rows = 0
  for await (const row of readCsvRows(answer.chunks)) {
    if (columns === null) {
      columns = columnsOf(row)
      continue
    }
    rows += 1
    const known = columns
    const cell = (name: string): string | undefined => {
      const at = known.get(name)
      return at === undefined ? undefined : row[at]
    }
    if (isLocked(cell('unlock_at'))) continue
    const listing = readSnapshotRow(cell, book)
    if (listing === null || isSold(listing, settings)) yield listing
  }
  // A market that suddenly sells nothing at all has lost its data, not its sellers.
  if (rows === 0) throw new Error("market B's snapshot is empty")
}

/** New columns are appended now and then, so they are found by name. */
export function columnsOf(header: readonly string[]): ReadonlyMap<string, number> {
  const columns = new Map(header.map((name, at) => [name.trim().replace(/^\uFEFF/, ''), at]))
  for (const name of NEEDED_COLUMNS) {
    if (!columns.has(name)) throw new Error(`market B's snapshot has no column ${name}`)
  }
  return columns
}

/** The file may not be ready yet, or be asked for too often: the market says when to come again. */
async function openSnapshot(
  { baseUrl, manualSellers }: SnapshotSettings,
  signal: AbortSignal,
): Promise<Extract<Download, { kind: 'answer' }>> {
  const url = `${baseUrl}/v1/prices/snapshot?format=csv&game=csgo${manualSellers ? '&include_manual=1' : ''}`
  for (let attempt = 1; ; attempt++) {
    const answer = await download({ url, deadlineMs: DEADLINE_MS, maxBytes: MAX_BYTES, signal })
    if (answer.kind === 'failed') throw new Error(`market B does not answer: ${answer.detail}`)
    if (answer.status === 200) return answer
    await discard(answer)
    const isEarly = answer.status === 429 || answer.status === 503
    if (!isEarly || attempt >= ATTEMPTS || signal.aborted) {
      throw new Error(`market B's snapshot answered ${answer.status}`)
    }
    const { status, headers } = answer
    await pause(retryAfterMs({ status, headers, text: '', body: undefined }), signal)
  }
}
