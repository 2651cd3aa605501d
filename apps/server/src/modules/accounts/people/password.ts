// Passwords: argon2id (RFC 9106) with the parameters that OWASP's cheat sheet gives as its first choice,
// stored in the PHC string format so that they can change.
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { createFairTurns } from '#infra/limits/fair-turns'
import { createBackgroundThread } from '#infra/process/background-thread'
import { assertDefined } from '#kernel/assert'
import { refuse } from '#kernel/refusal'
import type { Hashing } from './password-thread.ts'

const MEMORY_KIB = 19_456
const PASSES = 2
const PARALLELISM = 1
const TAG_BYTES = 32
const SALT_BYTES = 16

/**
 * A hash takes a thread and 19 MiB for some 30 ms. The threads give way to requests of this process, but not
 * to the database beside it: on the smallest machine one of two processors is left to that.
 */
export const AT_ONCE = Math.max(1, Math.floor(availableParallelism() / 2))
/** Beside these: strangers of many networks may take every slot of their own, and none of these. */
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

/** The network of a visitor; or a person with a session or a known browser, who is no stranger. */
export type HashSource = string | { readonly known: string }

/**
 * Sources take turns, visitors and those who are known each in a queue of their own. Refuses RATE_LIMITED
 * when too many turns of a source, or of its queue, wait already.
 */
export function createPasswords(): Passwords {
  const ofStrangers = createFairTurns(BOUNDS, refuseBusy)
  const ofKnown = createFairTurns({ ...BOUNDS, atOnce: KNOWN_AT_ONCE }, refuseBusy)
  const inTurn = <T>(source: HashSource, work: () => Promise<T>): Promise<T> =>
    typeof source === 'string' ? ofStrangers(source, work) : ofKnown(source.known, work)
  const derive = createDeriving()
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

const THREAD = new URL('./password-thread.ts', import.meta.url)

type Derive = (password: string, salt: Buffer, parameters: Parameters) => Promise<Buffer>

/** A thread for each hash that has its turn. */
function createDeriving(): Derive {
  const idle = Array.from({ length: AT_ONCE + KNOWN_AT_ONCE }, () =>
    createBackgroundThread<Hashing, Uint8Array>(THREAD),
  )
  return async (password, salt, parameters) => {
    const hash = assertDefined(idle.pop(), 'an idle thread')
    try {
      const message = password.normalize('NFKC')
      const asked = { ...parameters, message, nonce: salt, tagLength: TAG_BYTES }
      return Buffer.from(await hash(asked))
    } finally {
      idle.push(hash)
    }
  }
}

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
