// Market A's whole listing book: an index that names the columns, and files of bare arrays. Keyless and
// not counted in the call budget. Every build has new file names, and the old ones disappear.
import type { MarketId, SourceListing } from '#ports/catalog'
import { type Download, describe, discard, download } from '../shared/download.ts'
import { type GameBook, stickerFace } from '../shared/game-book.ts'
import { readJsonElements } from '../shared/json-elements.ts'
import { phaseOf } from '../shared/phase.ts'
import {
  fieldsOf,
  flagOf,
  idOf,
  integerOf,
  listOf,
  own,
  parseJson,
  percentOf,
  priceOf,
  smallIntegerOf,
  textOf,
  wearOf,
} from '../shared/reader.ts'

export interface ExportIndex {
  readonly madeAtMs: number
  readonly columns: ReadonlyMap<string, number>
  readonly files: readonly string[]
}

/** The file that the index named is gone: the market has built its export anew. */
export class ExportRebuilt extends Error {}

const MARKET: MarketId = 'market_a'
const INDEX_DEADLINE_MS = 20_000
const INDEX_MAX_BYTES = 1_048_576
const FILE_DEADLINE_MS = 120_000
const FILE_MAX_BYTES = 256 * 1024 * 1024
const MOST_FILES = 1_000
const NEEDED_COLUMNS = ['price', 'id', 'market_hash_name']

/** Throws when the market is away or says something else than an index. */
export async function readExportIndex(
  baseUrl: string,
  signal: AbortSignal,
  deadlineMs = INDEX_DEADLINE_MS,
): Promise<ExportIndex> {
  const url = `${baseUrl}/api/full-export/USD.json`
  const text = await wholeText(
    await download({ url, deadlineMs, maxBytes: INDEX_MAX_BYTES, signal }),
  )
  return parseExportIndex(parseJson(text))
}

export function parseExportIndex(body: unknown): ExportIndex {
  const fields = fieldsOf(body)
  if (fields === null || flagOf(own(fields, 'success')) !== true) {
    throw new Error('market A has no export index')
  }
  if (own(fields, 'currency') !== 'USD') throw new Error('market A exports another currency')
  const names = (listOf(own(fields, 'format')) ?? []).map(textOf)
  const columns = new Map(names.flatMap((name, at) => (name === null ? [] : [[name, at]])))
  for (const name of NEEDED_COLUMNS) {
    if (!columns.has(name)) throw new Error(`market A's export has no column ${name}`)
  }
  const files = (listOf(own(fields, 'items')) ?? []).map(textOf)
  const isPlain = (name: string | null): name is string =>
    name !== null && /^[\w-]{1,100}\.json$/.test(name)
  if (files.length > MOST_FILES || !files.every(isPlain)) {
    throw new Error("market A's export names strange files")
  }
  return { madeAtMs: Number(integerOf(own(fields, 'time')) ?? 0n) * 1000, columns, files }
}

/** The rows of one file; null for a row that cannot be read. */
export async function* readExportFile(
  baseUrl: string,
  file: string,
  {
    index,
    book,
    signal,
  }: { readonly index: ExportIndex; readonly book: GameBook; readonly signal: AbortSignal },
): AsyncGenerator<SourceListing | null, void, undefined> {
  const answer = await download({
    url: `${baseUrl}/api/full-export/${file}`,
    deadlineMs: FILE_DEADLINE_MS,
    maxBytes: FILE_MAX_BYTES,
    signal,
  })
  if (answer.kind === 'failed') throw new Error(`market A's export failed: ${answer.detail}`)
  if (answer.status !== 200) {
    await discard(answer)
    if (answer.status === 404) throw new ExportRebuilt('an export file is gone')
    throw new Error(`market A's export answered ${answer.status}`)
  }
  for await (const row of readJsonElements(answer.chunks)) {
    yield readExportRow(listOf(row) ?? [], index.columns, book)
  }
}

export function readExportRow(
  row: readonly unknown[],
  columns: ReadonlyMap<string, number>,
  book: GameBook,
): SourceListing | null {
  const cell = (name: string): unknown => {
    const at = columns.get(name)
    return at === undefined ? undefined : row[at]
  }
  const rawId = idOf(cell('id'))
  const priceMills = priceOf(cell('price'))
  const marketHashName = textOf(cell('market_hash_name'))
  if (rawId === null || priceMills === null || marketHashName === null) return null
  return {
    market: MARKET,
    rawId,
    marketHashName,
    phase: phaseOf(textOf(cell('phase'))),
    priceMills,
    assetId: idOf(cell('asset')),
    classId: idOf(cell('classid')),
    instanceId: integerOf(cell('instanceid'))?.toString() ?? null,
    wear: wearOf(cell('float')),
    paintSeed: naturalOf(cell('paintseed')),
    paintIndex: naturalOf(cell('paintindex')),
    stickers: stickersOf(textOf(cell('stickers')) ?? '', book),
    charm: null,
    inspectToken: null,
    // The documents do not explain `type`; a bot delivers at once, any other seller is a person.
    delivery: textOf(cell('type')) === 'bot' ? 'instant' : 'standard',
    chance: percentOf(cell('chance_to_transfer')),
  }
}

/** `id|id`, in the order of their slots on the weapon; the market does not state their wear. */
export function stickersOf(ids: string, book: GameBook): SourceListing['stickers'] {
  return ids
    .split('|')
    .slice(0, 10)
    .flatMap((id, slot) => {
      const stickerId = smallIntegerOf(id)
      // An empty slot counts; numbers beyond the game's are asset ids, which name nothing.
      return stickerId === null || stickerId <= 0
        ? []
        : { ...stickerFace(book, stickerId), slot, wear: null }
    })
}

async function wholeText(answer: Download): Promise<string> {
  if (answer.kind === 'failed') throw new Error(`market A does not answer: ${answer.detail}`)
  if (answer.status !== 200) {
    await discard(answer)
    throw new Error(`market A answered ${answer.status}`)
  }
  let text = ''
  try {
    for await (const chunk of answer.chunks) text += chunk
  } catch (error) {
    throw new Error(`market A's answer broke off: ${describe(error)}`)
  }
  return text
}

function naturalOf(value: unknown): number | null {
  const integer = smallIntegerOf(value)
  return integer !== null && integer >= 0 ? integer : null
}
