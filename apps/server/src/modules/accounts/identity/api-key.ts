// The form of an API key: `tp_live_` or `tp_test_`, 32 random bytes in 43 base62 digits, and a CRC32 of
// all that in 6. The checksum shows a mistyped or invented key without the database; it
// is no secret. A plain SHA-256 is enough to store: 256 random bits cannot be guessed, and a slow hash
// for each request would be a flood of our own making.
import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

export type KeyEnvironment = 'live' | 'test'

export interface NewKey {
  /** Shown once, kept nowhere. */
  readonly secret: string
  readonly hash: Buffer
  readonly prefix: string
  readonly last4: string
}

export function makeKey(
  environment: KeyEnvironment,
  random: (size: number) => Buffer = randomBytes,
): NewKey {
  const prefix = `tp_${environment}_`
  const head = prefix + base62(BigInt(`0x${random(32).toString('hex')}`), BODY_DIGITS)
  const secret = head + checksumOf(head)
  return { secret, hash: hashKey(secret), prefix, last4: secret.slice(-4) }
}

export const hashKey = (secret: string): Buffer => createHash('sha256').update(secret).digest()

/** Whether a text can be a key of ours: the only ones worth a look into the database. */
export function looksLikeKey(secret: string): boolean {
  if (!FORM.test(secret)) return false
  const head = secret.slice(0, -CHECKSUM_DIGITS)
  return checksumOf(head) === secret.slice(-CHECKSUM_DIGITS)
}

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 62^43 is just above 2^256. */
const BODY_DIGITS = 43
const CHECKSUM_DIGITS = 6
const FORM = /^tp_(?:live|test)_[0-9A-Za-z]{49}$/

const checksumOf = (head: string): string => base62(BigInt(crc32(head)), CHECKSUM_DIGITS)

function base62(value: bigint, digits: number): string {
  let text = ''
  for (let rest = value; text.length < digits; rest /= 62n) text = DIGITS[Number(rest % 62n)] + text
  return text
}
