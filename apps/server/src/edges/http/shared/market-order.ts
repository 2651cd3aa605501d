// The body of a market order and of its change, as the module takes them: keys and persons share it.
import type { MarketOrderBody, MarketOrderChangeBody } from '@tradepost/contract'
import type { MarketOrderChange, WantedOrder } from '#bidding'
import { assertDefined } from '#kernel/assert'
import { parseAmount } from '#kernel/money'

export const wantedOf = (body: MarketOrderBody, requestId: string): WantedOrder => ({
  requestId,
  externalId: body.externalId,
  itemId: body.itemId,
  maxPrice: amountOf(body.maxPrice),
  quantity: body.quantity,
  filters: filtersOf(body),
  tradeUrl: body.tradeUrl ?? null,
  expiresAt: timeOf(body.expiresAt),
})

export const changeOf = (body: MarketOrderChangeBody): MarketOrderChange => ({
  maxPrice: body.maxPrice === undefined ? null : amountOf(body.maxPrice),
  quantity: body.quantity ?? null,
  expiresAt: timeOf(body.expiresAt),
})

const amountOf = (text: string) =>
  assertDefined(parseAmount(text), 'an amount of the contract’s form')

const timeOf = (text: string | undefined): Date | null =>
  text === undefined ? null : new Date(text)

const filtersOf = ({ delivery, minWear, maxWear, paintSeeds, phase }: MarketOrderBody) => ({
  ...(delivery !== undefined && { delivery }),
  ...(minWear !== undefined && { minWear }),
  ...(maxWear !== undefined && { maxWear }),
  ...(paintSeeds !== undefined && { paintSeeds }),
  ...(phase !== undefined && { phase }),
})
