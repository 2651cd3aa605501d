// The list of what exists, in three forms: a file of our own form, a file of the public form, or the folder
// of the public form, of which every file is one part of the list.
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { ListReading } from '#ports/catalog'
import { type Download, describe, discard, download } from '../shared/download.ts'
import { readJsonElements } from '../shared/json-elements.ts'
import { fieldsOf, own, textOf } from '../shared/reader.ts'
import { type ListedItem, readItem } from './item.ts'
import { isPublicRow, readPublicItem } from './public-item.ts'

const DEADLINE_MS = 120_000
const MAX_BYTES = 256 * 1024 * 1024
const MOST_EXAMPLES = 20

/** Of a folder of the public form. */
const PUBLIC_FILES = [
  ...['skins_not_grouped', 'stickers', 'sticker_slabs', 'keychains', 'crates', 'keys', 'agents'],
  ...['patches', 'graffiti', 'music_kits', 'collectibles', 'tools', 'base_weapons', 'highlights'],
  'pets',
] as const
type PublicFile = (typeof PUBLIC_FILES)[number]

interface ItemListRequest {
  /** A folder ends in a slash. */
  readonly url: string
  /** What the last reading answered; null reads in any case. */
  readonly etag: string | null
  /** Of a folder, only these. */
  readonly files?: readonly PublicFile[]
}

/**
 * Reads the list and hands over item by item; null when nothing changed since `etag`. Throws when the
 * list cannot be had whole or holds nothing: half a catalogue would look like things that ceased to be.
 */
export async function readItemList(
  { url, etag, files = PUBLIC_FILES }: ItemListRequest,
  take: (listed: ListedItem) => void,
): Promise<ListReading | null> {
  const isFolder = url.endsWith('/')
  const addresses = isFolder ? files.map((file) => `${url}${file}.json`) : [url]
  const tags = etag === null ? [] : isFolder ? tagsOf(etag) : [etag]
  if (isFolder && (await isUnchanged(addresses, tags))) return null
  const reading = { unreadable: 0, examples: [] as string[] }
  const found: string[] = []
  let read = 0
  for (const address of addresses) {
    // Of a folder every file is needed as soon as one has changed.
    const file = await open(address, isFolder ? null : (tags[0] ?? null))
    if (file === null) return null
    found.push(file.etag)
    const [, name] = /([^/]*)\.json$/.exec(new URL(address).pathname) ?? []
    for await (const row of readJsonElements(file.chunks)) {
      const listed = isPublicRow(row) ? readPublicItem(row, name) : readItem(row)
      if (listed === 'not traded') continue
      if (listed === null) {
        reading.unreadable += 1
        if (reading.examples.length < MOST_EXAMPLES) reading.examples.push(nameOf(row))
        continue
      }
      read += 1
      take(listed)
    }
  }
  if (read === 0) throw new Error(`${hostOf(url)}: the item list holds nothing`)
  return { ...reading, etag: isFolder ? JSON.stringify(found) : (found[0] ?? '') }
}

/** One conditional request a file, until one has changed. */
async function isUnchanged(
  addresses: readonly string[],
  tags: readonly string[],
): Promise<boolean> {
  if (tags.length !== addresses.length || tags.includes('')) return false
  for (const [at, address] of addresses.entries()) {
    const file = await open(address, tags[at] ?? null)
    if (file === null) continue
    await file.abandon()
    return false
  }
  return true
}

function tagsOf(etag: string): readonly string[] {
  try {
    const tags: unknown = JSON.parse(etag)
    return Array.isArray(tags) ? tags.map(String) : []
  } catch {
    return []
  }
}

interface OpenFile {
  readonly chunks: AsyncIterable<string>
  readonly etag: string
  abandon(): Promise<void>
}

/** Null: it has not changed since `etag`. */
async function open(address: string, etag: string | null): Promise<OpenFile | null> {
  if (address.startsWith('file:')) return openLocal(fileURLToPath(address))
  const answer = await download({
    url: address,
    headers: { accept: 'application/json', ...(etag ? { 'if-none-match': etag } : {}) },
    deadlineMs: DEADLINE_MS,
    maxBytes: MAX_BYTES,
  })
  // The rest of the address may be secret.
  const where = `${hostOf(address)}: no item list`
  if (answer.kind === 'failed') throw new Error(`${where}: ${answer.detail}`)
  if (answer.status === 200) return openAnswer(answer)
  await discard(answer)
  if (answer.status === 304 && etag) return null
  throw new Error(`${where}: status ${answer.status}`)
}

const openAnswer = (answer: Extract<Download, { kind: 'answer' }>): OpenFile => ({
  chunks: answer.chunks,
  etag: answer.headers.etag ?? '',
  abandon: () => discard(answer),
})

/** For an operator's own file; the service itself reads addresses only. */
async function openLocal(path: string): Promise<OpenFile> {
  const { size } = await stat(path).catch((error: unknown) => {
    throw new Error(`no item list: ${describe(error)}`)
  })
  if (size > MAX_BYTES) throw new Error(`the file is larger than ${MAX_BYTES} bytes`)
  const chunks = createReadStream(path, { encoding: 'utf8' })
  return { chunks, etag: '', abandon: async () => void chunks.destroy() }
}

const hostOf = (url: string): string => `CATALOG_URL (${new URL(url).host || 'a file'})`

/** By what a person finds the row again. */
function nameOf(row: unknown): string {
  const fields = fieldsOf(row)
  if (fields === null) return JSON.stringify(row).slice(0, 80)
  const name = ['marketHashName', 'market_hash_name', 'name', 'id']
    .map((key) => textOf(own(fields, key)))
    .find((text) => text !== null)
  return name?.slice(0, 80) ?? JSON.stringify(row).slice(0, 80)
}
