import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'

/** 32 MiB and about a tenth of a second for each guess. */
const COST = { N: 32_768, r: 8, p: 1 } as const
const MAX_MEMORY_BYTES = 64 * 1024 * 1024
const HASH_BYTES = 32

/** A password as it is stored: the parameters and the salt beside the hash, so that they can change. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const hash = await derive(password, salt, COST)
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64'), hash.toString('base64')].join(
    '$',
  )
}

/** Whether a password is the stored one. A stored text of another form matches nothing. */
export async function isPassword(password: string, stored: string): Promise<boolean> {
  const [name, N, r, p, salt, hash] = stored.split('$')
  if (name !== 'scrypt' || !salt || !hash) return false
  const expected = Buffer.from(hash, 'base64')
  if (expected.length !== HASH_BYTES) return false
  const cost = { N: Number(N), r: Number(r), p: Number(p) }
  return timingSafeEqual(await derive(password, Buffer.from(salt, 'base64'), cost), expected)
}

// Node's own promisify loses the overload with options.
const derive = (
  password: string,
  salt: Buffer,
  cost: Pick<ScryptOptions, 'N' | 'r' | 'p'>,
): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    scrypt(
      password.normalize(),
      salt,
      HASH_BYTES,
      { ...cost, maxmem: MAX_MEMORY_BYTES },
      (error, hash) => (error ? reject(error) : resolve(hash)),
    )
  })
