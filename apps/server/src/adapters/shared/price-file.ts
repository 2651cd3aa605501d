// A market's list of all prices: `{…, "items": [{…}, …]}`, keyless, some megabytes, read while it arrives.
import type { ListedPrice } from '#ports/catalog'
import { discard, download } from './download.ts'
import { readJsonElements } from './json-elements.ts'
import { type Fields, fieldsOf } from './reader.ts'

const DEADLINE_MS = 120_000
const MAX_BYTES = 64 * 1024 * 1024
/** Of what stands before the rows. */
const MAX_HEAD_CHARS = 4096

interface PriceFile {
  readonly prices: readonly ListedPrice[]
  readonly unreadable: number
  /** What stands before the rows. */
  readonly head: Fields
}

/** Throws when the file cannot be had whole. `read` answers null for a row that is none. */
export async function readPriceFile(
  url: string,
  read: (row: Fields) => ListedPrice | null,
  signal: AbortSignal,
): Promise<PriceFile> {
  const answer = await download({ url, deadlineMs: DEADLINE_MS, maxBytes: MAX_BYTES, signal })
  const where = `${new URL(url).host}: no list of prices`
  if (answer.kind === 'failed') throw new Error(`${where}: ${answer.detail}`)
  if (answer.status !== 200) {
    await discard(answer)
    throw new Error(`${where}: status ${answer.status}`)
  }
  const prices: ListedPrice[] = []
  let unreadable = 0
  let head = ''
  async function* noted(chunks: AsyncIterable<string>): AsyncGenerator<string> {
    for await (const chunk of chunks) {
      if (head.length < MAX_HEAD_CHARS) head += chunk.slice(0, MAX_HEAD_CHARS)
      yield chunk
    }
  }
  for await (const row of readJsonElements(noted(answer.chunks))) {
    const fields = fieldsOf(row)
    const price = fields === null ? null : read(fields)
    if (price === null) unreadable += 1
    else prices.push(price)
  }
  return { prices, unreadable, head: headOf(head) }
}

/** The fields before the list, as an object of their own. */
function headOf(text: string): Fields {
  const [before = ''] = text.split(/,?\s*"items"\s*:/, 1)
  try {
    return fieldsOf(JSON.parse(`${before}}`)) ?? {}
  } catch {
    return {}
  }
}
