import { randomBytes } from 'node:crypto'

import type { SignatureForm } from './ports.ts'

/**
 * `whsec_` and 32 random bytes: 43 characters of base64url, or 44 of base64, which the libraries of Standard
 * Webhooks read.
 */
export const newSecret = (form: SignatureForm = 'service'): string =>
  `whsec_${randomBytes(32).toString(form === 'standard' ? 'base64' : 'base64url')}`
