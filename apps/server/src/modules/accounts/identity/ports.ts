// What identity needs from the game platform: the account behind a trade URL.

export interface ParsedTradeUrl {
  /** 32-bit account id. */
  readonly partner: number
  readonly token: string
  /** 64-bit id of the same account, decimal. */
  readonly platformId: string
  /** The one spelling under which it is stored and compared. */
  readonly canonical: string
}

export interface Persona {
  readonly platformId: string
  readonly personaName: string
  readonly avatarUrl: string
  readonly profileUrl: string
}

export type TradeUrlAnswer =
  | {
      readonly kind: 'resolved'
      readonly persona: Persona
      readonly holdDays: number
      readonly probation: boolean
      /** When it has to be asked for again; left out: after the usual time. */
      readonly goodUntil?: Date
    }
  /** Token wrong or expired, profile or inventory private. */
  | { readonly kind: 'refused'; readonly detail: string }
  | {
      readonly kind: 'unavailable'
      readonly detail: string
      readonly retryAfterMs?: number
      /** None of our accounts could ask: another source may. */
      readonly isUnasked?: true
    }

/** Who says what is behind a trade URL: our accounts on the platform, a market, or neither. */
export type TradeUrlSource = 'bots' | 'market_b' | 'none'

/** Of a look-up for a tenant: the platform counts all together, and no tenant takes those of another. */
export interface LookUpContext {
  readonly requestId: string
  readonly tenantId: string
}

export interface GamePlatform {
  resolveTradeUrl(url: ParsedTradeUrl, context: LookUpContext): Promise<TradeUrlAnswer>
}
