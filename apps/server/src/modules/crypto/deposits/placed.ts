// A placed order in the terms of our row.
import { type Attos, parseDecimal } from '#kernel/decimal'
import type { OrderDetails } from './order-details.ts'
import type { OnrampOrder, PlacedGatewayOrder } from './ports.ts'

export interface Placed {
  readonly providerOrderId: string | null
  readonly details: OrderDetails
  readonly address: string | null
  /** Null: as it was asked for. */
  readonly payAmount: Attos | null
  readonly expiresAt: Date | null
  /** A look-up of the order shows all of it once more. */
  readonly isFoundAgain: boolean
}

export const placedByGateway = (order: PlacedGatewayOrder): Placed => ({
  providerOrderId: order.prepayId,
  details: {
    ...order.address,
    whitelabelUrl: order.whitelabelUrl,
    qrContent: order.qrContent,
  },
  address: order.address.address,
  payAmount: parseDecimal(order.payAmount),
  expiresAt: order.expiresAt,
  isFoundAgain: order.whitelabelUrl === null,
})

/** After a lost answer the payment page is unknown: a look-up does not show it. */
export const placedByOnramp = ({
  providerOrderId,
  recognitionId,
  widgetUrl,
}: Pick<OnrampOrder, 'providerOrderId' | 'recognitionId'> & {
  readonly widgetUrl?: string
}): Placed => ({
  providerOrderId,
  details: { recognitionId, ...(widgetUrl === undefined ? {} : { widgetUrl }) },
  address: null,
  payAmount: null,
  expiresAt: null,
  isFoundAgain: false,
})
