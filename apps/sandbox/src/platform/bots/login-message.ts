// The two messages of the log-in by refresh token, in the wire format of protocol buffers: a few
// fields, so a reader of its own serves better here than a compiler for the whole language.

export interface LoginRequest {
  readonly refreshToken: string
  readonly mayRenew: boolean
}

const TEXT = 2
const FIXED_64 = 1
const VARINT = 0

/** `refresh_token` = 1, `steamid` = 2 (fixed64), `renewal_type` = 3. Null for what is no such message. */
export function readLoginRequest(bytes: Buffer): LoginRequest | null {
  let refreshToken = ''
  let mayRenew = false
  let at = 0
  const varint = (): number => {
    let value = 0
    for (let shift = 0; at < bytes.length; shift += 7) {
      const byte = bytes[at++] ?? 0
      value += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80) return value
    }
    return Number.NaN
  }
  while (at < bytes.length) {
    const key = varint()
    const kind = key & 7
    if (kind === VARINT) {
      const value = varint()
      if (key >> 3 === 3) mayRenew = value === 1
    } else if (kind === FIXED_64) {
      at += 8
    } else if (kind === TEXT) {
      const length = varint()
      if (!(length <= bytes.length - at)) return null
      if (key >> 3 === 1) refreshToken = bytes.toString('utf8', at, at + length)
      at += length
    } else return null
  }
  return at > bytes.length || refreshToken === '' ? null : { refreshToken, mayRenew }
}

/** `access_token` = 1, `refresh_token` = 2. */
export function writeLoginAnswer(answer: {
  readonly accessToken: string
  readonly refreshToken: string | null
}): Buffer {
  const fields = [text(1, answer.accessToken)]
  if (answer.refreshToken !== null) fields.push(text(2, answer.refreshToken))
  return Buffer.concat(fields)
}

function text(field: number, value: string): Buffer {
  const bytes = Buffer.from(value)
  const length: number[] = []
  for (let rest = bytes.length; ; rest >>= 7) {
    length.push(rest > 0x7f ? (rest & 0x7f) | 0x80 : rest)
    if (rest <= 0x7f) break
  }
  return Buffer.concat([Buffer.from([(field << 3) | TEXT, ...length]), bytes])
}
