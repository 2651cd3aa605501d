// Time-based one-time passwords (RFC 6238) with the parameters that every authenticator app knows: SHA-1,
// six digits, steps of 30 seconds. One step of either side is accepted for clocks that differ.
import { Secret, TOTP } from 'otpauth'
import type { SecretBox } from '#infra/process/secrets'
import type { PersonRow } from './store/people.ts'

const STEP_SECONDS = 30
const SECRET_BYTES = 20
const ISSUER = 'Tradepost'

export interface TotpSetup {
  /** Base 32, to type by hand. */
  readonly secret: string
  /** `otpauth://`, for a QR code. */
  readonly uri: string
  readonly sealed: string
}

export function newTotp(secrets: SecretBox, person: { id: string; email: string }): TotpSetup {
  const secret = new Secret({ size: SECRET_BYTES })
  const uri = new TOTP({ issuer: ISSUER, label: person.email, secret }).toString()
  return { secret: secret.base32, uri, sealed: secrets.seal(secret.base32, contextOf(person.id)) }
}

/**
 * The time step whose code this is; null for a wrong code. The caller spends the step, so that it
 * works once.
 */
export function totpStepOf({
  secrets,
  person: { id, sealedTotpSecret },
  code,
  at,
}: {
  readonly secrets: SecretBox
  readonly person: Pick<PersonRow, 'id' | 'sealedTotpSecret'>
  readonly code: string
  readonly at: Date
}): number | null {
  if (sealedTotpSecret === null || !/^\d{6}$/.test(code)) return null
  const secret = Secret.fromBase32(secrets.open(sealedTotpSecret, contextOf(id)))
  const delta = new TOTP({ secret }).validate({ token: code, timestamp: at.getTime(), window: 1 })
  return delta === null ? null : Math.floor(at.getTime() / 1000 / STEP_SECONDS) + delta
}

const contextOf = (personId: string): string => `totp ${personId}`
