// Made from the contract by `npm run generate -w @tradepost/sdk`. Do not edit.

export interface ChildResponse {
  /** The id of an account’s first API key, which names the account here. */
  apiKeyId: string
  /** Of a new child only, and shown this once. */
  apiKey?: string
  /** Email address. */
  email: string
  /** The e-mail address while no name was given. */
  name: string
  /** The dashboard log-in of that e-mail address. */
  linkedUserId: string | null
  /** The current status. */
  status: UserStatus
  /** For people, and free to change. */
  message: string
}

export interface CreateChildBody {
  /** Email address. */
  email: string
  /** The name, for people. */
  name?: string | undefined
  /** What it is, for people. */
  description?: string | undefined
}

export interface PartnerStats {
  /** Completed orders. */
  orderAmount: number
  /** Orders under way. */
  pendingOrderAmount: number
  /** What the completed ones cost, in USD. */
  volume: number
  /** What those under way cost, in USD. */
  pendingVolume: number
  /** Partner fees that were paid out, in USD. */
  partnerRevenue: number
  /** Partner fees of orders under way, in USD. */
  pendingPartnerRevenue: number
}

export type TransferBody =
  | {
      /** The child, by its address. */
      toEmail: string
      /** The amount in US cents. */
      amountCents: number
      /** The same key again is the same transfer. */
      idempotencyKey: string
      toApiKeyId?: undefined
    }
  | {
      /** The id of an account’s first API key, which names the account here. */
      toApiKeyId: string
      /** The amount in US cents. */
      amountCents: number
      /** The same key again is the same transfer. */
      idempotencyKey: string
      toEmail?: undefined
    }

export interface TransferResponse {
  /** The id of an account’s first API key, which names the account here. */
  partnerApiKeyId?: string
  /** The id of an account’s first API key, which names the account here. */
  userApiKeyId?: string
  /** The amount in US cents. */
  amountCents?: number
  /** For people, and free to change. */
  message: string
}

export type UserStatus = 'active' | 'suspended' | 'deleted'
