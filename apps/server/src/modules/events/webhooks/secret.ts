import { randomBytes } from 'node:crypto'

/** `whsec_` and 43 base64url characters: 32 random bytes. */
export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64url')}`
