import { createHash } from 'node:crypto'

/** A strong validator (RFC 9110, section 8.8.3) of these bytes. */
export const etagOf = (bytes: Buffer): string =>
  `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
