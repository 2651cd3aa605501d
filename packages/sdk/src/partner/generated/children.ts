// Made from the contract by `npm run generate -w @tradepost/sdk`. Do not edit.

export interface ChildResponse {
  /** The id of an account’s first API key, which names the account here. */
  apiKeyId: string
  /** Of a new child only, and shown this once. */
  apiKey?: string
  email: string
  /** The e-mail address while no name was given. */
  name: string
  /** The dashboard log-in of that e-mail address. */
  linkedUserId: string | null
  status: UserStatus
  /** For people, and free to change. */
  message: string
}

export interface CreateChildBody {
  email: string
  name?: string | undefined
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
      toEmail: string
      amountCents: number
      idempotencyKey: string
      toApiKeyId?: undefined
    }
  | {
      /** The id of an account’s first API key, which names the account here. */
      toApiKeyId: string
      amountCents: number
      idempotencyKey: string
      toEmail?: undefined
    }

export interface TransferResponse {
  /** The id of an account’s first API key, which names the account here. */
  partnerApiKeyId?: string
  /** The id of an account’s first API key, which names the account here. */
  userApiKeyId?: string
  amountCents?: number
  /** For people, and free to change. */
  message: string
}

export type UserStatus = 'active' | 'suspended' | 'deleted'
