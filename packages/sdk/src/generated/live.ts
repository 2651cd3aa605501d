// Made from the contract by `npm run generate -w @tradepost/sdk`. Do not edit.

export interface WsTokenBody {
  /** `market` opens /market/live, `user` opens /user/live. `["market"]` when left out. */
  scopes?: readonly ('market' | 'user')[] | undefined
}

export interface WsTokenResponse {
  /** For the query of the socket’s address. Keep it secret. */
  token: string
  /** The channels that the token opens. */
  scopes: ('market' | 'user')[]
  /** When it expires. */
  expiresAt: string
  /** Seconds, 300. A socket stays open beyond it. */
  expiresIn: number
}
