// Frames of a WebSocket (RFC 6455), made once and written to many. What a server sends is not masked, so
// the same bytes are good for every socket.

/** One event as a frame, with the listing that it is about. */
export interface Frame {
  readonly id: bigint
  readonly bytes: Buffer
}

/** The frames of one tick, and the segments of memory in which they stand one after the other. */
export interface Tick {
  readonly segments: readonly Buffer[]
  readonly frames: readonly Frame[]
}

export interface FrameText {
  readonly id: bigint
  readonly text: string
}

/** A frame that is made when its bytes are first asked for, and then kept. */
export function frameMadeLate(id: bigint, textOf: () => string): Frame {
  let bytes: Buffer | null = null
  return {
    id,
    get bytes() {
      bytes ??= textFrame(textOf())
      return bytes
    },
  }
}

/** A text message in one frame. */
export function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text)
  const bytes = Buffer.allocUnsafe(headerLength(length) + length)
  writeFrame(bytes, 0, text, length)
  return bytes
}

export function joinFrames(texts: readonly FrameText[]): Tick {
  const lengths = texts.map(({ text }) => Buffer.byteLength(text))
  const total = lengths.reduce((sum, length) => sum + headerLength(length) + length, 0)
  const whole = Buffer.allocUnsafe(total)
  let at = 0
  const frames = texts.map(({ id, text }, i) => {
    const from = at
    at = writeFrame(whole, at, text, lengths[i] as number)
    return { id, bytes: whole.subarray(from, at) }
  })
  return { segments: [whole], frames }
}

/** The same of frames that others get as well, which are not copied. */
export const tickOfMade = (frames: readonly Frame[]): Tick => ({
  segments: frames.map(({ bytes }) => bytes),
  frames,
})

/** The whole message, and it is text. */
const FIN_TEXT = 0x81

const headerLength = (length: number): number => (length < 126 ? 2 : length < 65_536 ? 4 : 10)

function writeFrame(bytes: Buffer, at: number, text: string, length: number): number {
  bytes[at] = FIN_TEXT
  const start = at + headerLength(length)
  if (length < 126) bytes[at + 1] = length
  else if (length < 65_536) {
    bytes[at + 1] = 126
    bytes.writeUInt16BE(length, at + 2)
  } else {
    bytes[at + 1] = 127
    bytes.writeBigUInt64BE(BigInt(length), at + 2)
  }
  return start + bytes.write(text, start, length)
}
