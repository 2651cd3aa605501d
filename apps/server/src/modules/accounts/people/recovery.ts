// Recovery codes: ten codes of 50 bits, shown once; each replaces a lost second factor once.
import { randomBytes } from 'node:crypto'
import type { Tx } from '#infra/database/db'
import type { SecretBox } from '#infra/process/secrets'
import { hasFactor, type Person } from './person.ts'
import { countRecoveryCodes, replaceRecoveryCodes } from './store/people.ts'

const CODES = 10
/** Without I, L, O and U, as in Crockford's base 32: what is read aloud is typed right. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const CODE_LENGTH = 10

export interface RecoveryCodes {
  /** Shown once. */
  readonly codes: readonly string[]
  readonly signatures: readonly string[]
}

export function newRecoveryCodes(secrets: SecretBox, personId: string): RecoveryCodes {
  const plain = Array.from({ length: CODES }, newCode)
  return {
    codes: plain.map((code) => `${code.slice(0, 5)}-${code.slice(5)}`),
    signatures: plain.map((code) => signatureOf(secrets, personId, code)),
  }
}

/** With a person's first factor come codes, shown once; null where there are some already. */
export async function firstRecoveryCodes(
  tx: Tx,
  secrets: SecretBox,
  personId: string,
): Promise<readonly string[] | null> {
  if ((await countRecoveryCodes(tx, personId)) > 0) return null
  const { codes, signatures } = newRecoveryCodes(secrets, personId)
  await replaceRecoveryCodes(tx, personId, signatures)
  return codes
}

/** Codes replace a factor: with the last factor they go too. */
export async function forgetUselessRecoveryCodes(
  tx: Tx,
  person: Pick<Person, 'id' | 'twoFactorMethod' | 'passkeys'>,
): Promise<void> {
  if (!hasFactor(person)) await replaceRecoveryCodes(tx, person.id, [])
}

/** Of a code as a person types it: in any case, with or without its hyphen. Null for another form. */
export function recoverySignature(
  secrets: SecretBox,
  personId: string,
  typed: string,
): string | null {
  const code = typed.toUpperCase().replace(/[\s-]/g, '')
  return FORM.test(code) ? signatureOf(secrets, personId, code) : null
}

const FORM = new RegExp(`^[${ALPHABET}]{${CODE_LENGTH}}$`)

const newCode = (): string =>
  Array.from(randomBytes(CODE_LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join('')

const signatureOf = (secrets: SecretBox, personId: string, code: string): string =>
  secrets.sign(`${personId} ${code}`, 'recovery code')
