import { discard, download } from '../shared/download.ts'
import type { Log } from '../shared/feed-counters.ts'
import { readJsonElements } from '../shared/json-elements.ts'
import { type ListedItem, readItem } from './item.ts'

const DEADLINE_MS = 120_000
const MAX_BYTES = 256 * 1024 * 1024

/**
 * Reads the list and hands over item by item; null when nothing changed since `etag`. Throws when the
 * list cannot be had whole or holds nothing: half a catalogue would look like things that ceased to be.
 */
export async function readItemList(
  { url, etag, log }: { readonly url: string; readonly etag: string | null; readonly log: Log },
  take: (listed: ListedItem) => void,
): Promise<{ readonly etag: string } | null> {
  const answer = await download({
    url,
    headers: { accept: 'application/json', ...(etag === null ? {} : { 'if-none-match': etag }) },
    deadlineMs: DEADLINE_MS,
    maxBytes: MAX_BYTES,
  })
  // The rest of the address may be secret.
  const where = `CATALOG_URL (${new URL(url).host})`
  if (answer.kind === 'failed') throw new Error(`${where}: no item list: ${answer.detail}`)
  if (answer.status !== 200) {
    await discard(answer)
    if (answer.status === 304 && etag !== null) return null
    throw new Error(`${where}: no item list: status ${answer.status}`)
  }
  let read = 0
  let dropped = 0
  for await (const row of readJsonElements(answer.chunks)) {
    const listed = readItem(row)
    if (listed === null) dropped += 1
    else {
      read += 1
      take(listed)
    }
  }
  if (read === 0) throw new Error(`${where}: the item list holds nothing`)
  if (dropped > 0) log.warn({ dropped, read }, 'rows of the item list were unreadable')
  return { etag: answer.headers.etag ?? '' }
}
