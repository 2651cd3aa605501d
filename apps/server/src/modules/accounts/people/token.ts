// Secrets that a person carries: session cookies and links in mails. 256 random bits cannot be guessed, so a
// plain SHA-256 is enough to store.
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

export interface NewToken {
  /** Shown once, kept nowhere. */
  readonly token: string
  readonly hash: Buffer
}

export function newToken(): NewToken {
  const token = randomBytes(32).toString('base64url')
  return { token, hash: hashToken(token) }
}

export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest()

/** Who has the session's cookie can compute it; a page of another origin has neither. */
export const csrfTokenOf = (sessionToken: string): string =>
  createHmac('sha256', sessionToken).update('csrf').digest('base64url')

export function isCsrfToken(sessionToken: string, given: string): boolean {
  const expected = Buffer.from(csrfTokenOf(sessionToken))
  const bytes = Buffer.from(given)
  return bytes.length === expected.length && timingSafeEqual(bytes, expected)
}
