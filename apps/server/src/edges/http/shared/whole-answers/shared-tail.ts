// One long answer whose beginning differs from request to request and whose rest is shared. Compressed
// too: a deflate stream may begin with a block that is stored as it is (RFC 1951, 3.2.4) and ends on a
// byte, and so does each segment of the rest, deflated by itself. They are put together in one gzip member.
// A segment whose entries are as they were is not written again: of thousands of prices few move between two
// answers.
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { constants, crc32, deflateRaw } from 'node:zlib'
import { inChunks } from '#infra/limits/in-chunks'

export interface Segment {
  /** While these are the same, so is the text. */
  versions(): readonly unknown[]
  text(): string
}

/** What it is made of never changes. */
export const fixed = (text: string): Segment => ({ versions: () => [text], text: () => text })

/** A millisecond or two: a request that comes meanwhile waits for several. */
const ENTRIES_A_TURN = 100

/** The texts of entries with a comma between two; between two segments other requests are served. */
export async function* segmentsOf<Entry>(
  entries: readonly Entry[],
  {
    versionOf = (entry) => entry,
    textOf,
  }: {
    /** The same for entries with the same text in the same place; the entry itself where it is not said. */
    readonly versionOf?: (entry: Entry) => unknown
    readonly textOf: (entry: Entry) => string
  },
): AsyncGenerator<Segment> {
  let before = ''
  for await (const piece of inChunks(entries, ENTRIES_A_TURN)) {
    const comma = before
    yield {
      versions: () => piece.map((entry) => versionOf(entry)),
      text: () => comma + piece.map((entry) => textOf(entry)).join(','),
    }
    before = ','
  }
}

/** A segment as it leaves. */
interface Packed {
  readonly versions: readonly unknown[]
  readonly plain: Buffer
  readonly deflated: Buffer
}

export interface SharedTail {
  /** Of the shared rest alone. Weak, because no two answers have the same bytes. */
  readonly etag: string
  /** Both parts as they are. Never joined: a copy for each request cost ten times what sending it does. */
  plain(head: Buffer): readonly Buffer[]
  /** One gzip member, in parts. A head has at most 65,535 bytes. */
  gzip(head: Buffer): readonly Buffer[]
  /** For the next one, which takes over what is the same. */
  readonly packed: readonly Packed[]
}

/** Prepares the rest of an answer: the data, and what closes the answer behind it. */
export async function prepareTail(
  segments: AsyncIterable<Segment>,
  closing: string,
  before: readonly Packed[] = [],
): Promise<SharedTail> {
  const hash = createHash('sha256')
  const packed: Packed[] = []
  let tailCrc = 0
  let length = 0
  for await (const segment of segments) {
    const one = await packedAs(segment, before[packed.length])
    packed.push(one)
    hash.update(one.plain)
    tailCrc = crc32(one.plain, tailCrc)
    length += one.plain.length
  }
  const end = Buffer.from(closing)
  hash.update(end)
  tailCrc = crc32(end, tailCrc)
  length += end.length
  const plain = [...packed.map((one) => one.plain), end]
  const deflated = [...packed.map((one) => one.deflated), await deflate(end, constants.Z_FINISH)]
  const shift = createCrcShift(length)

  return {
    etag: `W/"${hash.digest('base64url').slice(0, 22)}"`,
    plain: (head) => [head, ...plain],
    gzip: (head) => {
      const trailer = Buffer.alloc(8)
      trailer.writeUInt32LE((shift(crc32(head)) ^ tailCrc) >>> 0, 0)
      trailer.writeUInt32LE((head.length + length) >>> 0, 4)
      const start = Buffer.concat([GZIP_HEADER, storedBlock(head.length), head])
      return [start, ...deflated, trailer]
    },
    packed,
  }
}

/** Versions and text are of one moment: nothing runs between the two. */
async function packedAs(segment: Segment, before: Packed | undefined): Promise<Packed> {
  const versions = segment.versions()
  if (before !== undefined && isSame(before.versions, versions)) return before
  const plain = Buffer.from(segment.text())
  return { versions, plain, deflated: await deflate(plain, constants.Z_SYNC_FLUSH) }
}

const isSame = (before: readonly unknown[], now: readonly unknown[]): boolean =>
  before.length === now.length && now.every((version, i) => version === before[i])

const deflateOnThread = promisify(deflateRaw)
/** On a thread of the pool; level 5 is within 3% of level 9's size at half its time. */
const deflate = (bytes: Buffer, finishFlush: number): Promise<Buffer> =>
  deflateOnThread(bytes, { level: 5, finishFlush })

/** RFC 1952: deflate, no name, no time, unknown system. */
const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255])

/** The beginning of a stored block that is not the last: type, length, its complement. */
function storedBlock(length: number): Buffer {
  if (length > 0xffff) throw new RangeError('a stored block has at most 65,535 bytes')
  const block = Buffer.alloc(5)
  block.writeUInt16LE(length, 1)
  block.writeUInt16LE(~length & 0xffff, 3)
  return block
}

/**
 * What becomes of a CRC-32 when `length` zero bytes follow: a linear map over GF(2), put together from
 * squares as in zlib's crc32_combine. The CRC of two parts is the first's, shifted by the length of the
 * second, plus the second's.
 */
function createCrcShift(length: number): (crc: number) => number {
  // One zero bit: shift right, and subtract the polynomial when a one fell out.
  let step = Array.from({ length: 32 }, (_, bit) => (bit === 0 ? 0xedb88320 : 1 << (bit - 1)))
  let total = Array.from({ length: 32 }, (_, bit) => 1 << bit)
  for (let bits = BigInt(length) * 8n; bits > 0n; bits >>= 1n) {
    if ((bits & 1n) === 1n) total = total.map((column) => apply(step, column))
    step = step.map((column) => apply(step, column))
  }
  return (crc) => apply(total, crc)
}

function apply(matrix: readonly number[], vector: number): number {
  let sum = 0
  for (let bit = 0; bit < 32; bit++) {
    if ((vector >>> bit) & 1) sum ^= matrix[bit] as number
  }
  return sum
}
