// Made from the contract by `npm run generate -w @tradepost/sdk`. Do not edit.

export interface CreateTradeUrlBody {
  url: string
}

export interface DeleteTradeUrlResponse {
  id: string
  deleted: true
}

export interface TradeUrl {
  id: string
  url: string
  platformId: string
  personaName: string
  avatarUrl: string
  profileUrl: string
  isPrimary: boolean
  createdAt: string
}

export interface UpdateTradeUrlBody {
  /** Another trade URL becomes primary only by being named here. */
  isPrimary: true
}
