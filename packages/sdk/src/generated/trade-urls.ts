// Made from the contract by `npm run generate -w @tradepost/sdk`. Do not edit.

export interface CreateTradeUrlBody {
  /**
   * As the platform shows it: https, its host, `partner` and `token` once each. What else is in it
   * is dropped; it is stored, compared and answered in one form.
   */
  url: string
}

export interface DeleteTradeUrlResponse {
  /** The id of this object. */
  id: string
  /** True. */
  deleted: true
}

export interface TradeUrl {
  /** The id of this object. */
  id: string
  /** The trade URL in its canonical form. */
  url: string
  /** The 64-bit id of the platform account. */
  platformId: string
  /** The name of the platform account. */
  personaName: string
  /** The picture of the platform account. */
  avatarUrl: string
  /** The page of the platform account. */
  profileUrl: string
  /** Whether it is used when a buy names no trade URL. */
  isPrimary: boolean
  /** When it was created. */
  createdAt: string
}

export interface UpdateTradeUrlBody {
  /** Another trade URL becomes primary only by being named here. */
  isPrimary: true
}
