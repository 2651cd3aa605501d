import { fieldsOf, listOf, own, parseJson, textOf } from '../shared/reader.ts'

/** What lets us act as one of our accounts. Never stored in clear, never logged. */
export interface BotSecrets {
  readonly platformId: string
  /** Base64, from the phone of the account: answers what asks for a confirmation. */
  readonly identitySecret: string
  /** The one that the operator logged in with; a newer one may have replaced it since. */
  readonly refreshToken: string
}

/** The bots of a JSON list. Throws a sentence that names the position and quotes no value. */
export function parseBotSecrets(json: string): readonly BotSecrets[] {
  const rows = listOf(parseJson(json))
  if (rows === null) throw new Error('the bots are not a JSON list')
  const bots = rows.map((row, index) => {
    const fields = fieldsOf(row) ?? {}
    const platformId = textOf(own(fields, 'platformId'))
    const identitySecret = textOf(own(fields, 'identitySecret'))
    const refreshToken = textOf(own(fields, 'refreshToken'))
    if (platformId === null || !/^7656119\d{10}$/.test(platformId)) {
      throw new Error(`bot ${index + 1} has no platformId of 17 digits`)
    }
    if (identitySecret === null || Buffer.from(identitySecret, 'base64').length !== SECRET_BYTES) {
      throw new Error(`bot ${index + 1} has no identitySecret of ${SECRET_BYTES} bytes in base64`)
    }
    if (refreshToken === null || tokenClaims(refreshToken)?.platformId !== platformId) {
      throw new Error(`bot ${index + 1} has no refreshToken of its own account`)
    }
    return { platformId, identitySecret, refreshToken }
  })
  if (new Set(bots.map(({ platformId }) => platformId)).size !== bots.length) {
    throw new Error('a bot is named twice')
  }
  return bots
}

const SECRET_BYTES = 20

/** What a token says of itself. Its signature is the platform's to check. */
export function tokenClaims(
  token: string,
): { readonly platformId: string; readonly issuedAt: Date; readonly expiresAt: Date } | null {
  const [, claims = '', signature] = token.split('.')
  if (signature === undefined) return null
  const fields = fieldsOf(parseJson(Buffer.from(claims, 'base64url').toString('utf8')))
  if (fields === null) return null
  const platformId = textOf(own(fields, 'sub'))
  const issuedAt = own(fields, 'iat')
  const expiresAt = own(fields, 'exp')
  if (platformId === null || typeof issuedAt !== 'number' || typeof expiresAt !== 'number') {
    return null
  }
  return {
    platformId,
    issuedAt: new Date(issuedAt * 1000),
    expiresAt: new Date(expiresAt * 1000),
  }
}
