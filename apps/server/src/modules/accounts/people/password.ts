// Passwords: argon2id (RFC 9106) with the parameters that OWASP's cheat sheet gives as its first choice,
// stored in the PHC string format so that they can change.
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'
import { createFairTurns } from '#infra/limits/fair-turns'
import { refuse } from '#kernel/refusal'

const MEMORY_KIB = 19_456
const PASSES = 2
const PARALLELISM = 1
const TAG_BYTES = 32
const SALT_BYTES = 16

/**
 * A hash takes a thread and 19 MiB for some 30 ms. On the smallest machine one of two processors is left to
 * requests and the database. With the one of `KNOWN_AT_ONCE` these are never all of Node's four threads,
 * which also compress answers, read files and resolve names.
 */
export const AT_ONCE = Math.min(2, Math.max(1, Math.floor(availableParallelism() / 2)))
/** Beside these: unauthenticated callers of many networks may take all of their own, and none of these. */
const KNOWN_AT_ONCE = 1
/** Log-ins of one source; each takes one turn for both of its hashes. */
const WAITING_PER_SOURCE = 5
const WAITING = 128

const BOUNDS = { atOnce: AT_ONCE, waitingPerSource: WAITING_PER_SOURCE, waiting: WAITING }

const MIN_PASSWORD_LENGTH = 10

export interface Passwords {
  hash(password: string, source: HashSource): Promise<string>
  /**
   * Whether it is each of `stored`, all in one turn. False also for a null, after the same work: the duration
   * shows nothing.
   */
  matches(
    password: string,
    stored: readonly (string | null)[],
    source: HashSource,
  ): Promise<readonly boolean[]>
}

/** The network of an unauthenticated caller; or a person with a session or a known browser. */
export type HashSource = string | { readonly known: string }

/**
 * Sources take turns, unauthenticated callers and known persons each in a queue of their own. Refuses
 * RATE_LIMITED when too many turns of a source, or of its queue, wait already.
 */
export function createPasswords(): Passwords {
  const ofUnauthenticated = createFairTurns(BOUNDS, refuseBusy)
  const ofKnown = createFairTurns({ ...BOUNDS, atOnce: KNOWN_AT_ONCE }, refuseBusy)
  const inTurn = <T>(source: HashSource, work: () => Promise<T>): Promise<T> =>
    typeof source === 'string' ? ofUnauthenticated(source, work) : ofKnown(source.known, work)
  const unknown = randomBytes(SALT_BYTES)
  const matchesOne = async (password: string, stored: string | null): Promise<boolean> => {
    const known = stored === null ? null : parse(stored)
    const parameters = known ?? { memory: MEMORY_KIB, passes: PASSES, parallelism: PARALLELISM }
    const tag = await derive(password, known?.salt ?? unknown, parameters)
    return known !== null && timingSafeEqual(tag, known.tag)
  }
  return {
    hash: (password, source) =>
      inTurn(source, async () => {
        const salt = randomBytes(SALT_BYTES)
        const parameters = { memory: MEMORY_KIB, passes: PASSES, parallelism: PARALLELISM }
        return format(parameters, salt, await derive(password, salt, parameters))
      }),
    matches: (password, stored, source) =>
      inTurn(source, async () => {
        const results: boolean[] = []
        for (const each of stored) results.push(await matchesOne(password, each))
        return results
      }),
  }
}

/** Refuses PASSWORD_TOO_WEAK: too short, among the most common ones, or the address itself. */
export async function refuseWeakPassword(password: string, email: string): Promise<void> {
  const text = password.normalize('NFKC').toLowerCase()
  const [localPart = ''] = email.toLowerCase().split('@')
  const isShort = [...password].length < MIN_PASSWORD_LENGTH
  const isAddress = text === email.toLowerCase() || text === localPart
  const isUniform = new Set(text).size < 4
  if (isShort || isAddress || isUniform || (await commonPasswords()).has(text)) {
    refuse('PASSWORD_TOO_WEAK')
  }
}

let common: Promise<ReadonlySet<string>> | null = null

/** Read when the first password is chosen: 50,000 texts that most processes never need. */
function commonPasswords(): Promise<ReadonlySet<string>> {
  common ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set<string>(dictionary['passwords-common']),
  )
  return common
}

interface Parameters {
  readonly memory: number
  readonly passes: number
  readonly parallelism: number
}

const derive = (password: string, salt: Buffer, parameters: Parameters): Promise<Buffer> =>
  promisify(argon2)('argon2id', {
    ...parameters,
    message: password.normalize('NFKC'),
    nonce: salt,
    tagLength: TAG_BYTES,
  })

const unpadded = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')

const format = ({ memory, passes, parallelism }: Parameters, salt: Buffer, tag: Buffer): string =>
  `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(tag)}`

const FORM =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/

function parse(
  stored: string,
): (Parameters & { readonly salt: Buffer; readonly tag: Buffer }) | null {
  const [, memory, passes, parallelism, salt, tag] = FORM.exec(stored) ?? []
  if (salt === undefined || tag === undefined) return null
  return {
    ...{ memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  }
}

const refuseBusy = (): never =>
  refuse('RATE_LIMITED', {
    ...{ scope: 'ip', policy: 'password-hashes', limit: WAITING_PER_SOURCE },
    ...{ windowSeconds: 1, retryAfterSeconds: 1 },
  })
