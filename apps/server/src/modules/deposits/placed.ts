// A placed order in the terms of our row.
import { type Attos, parseDecimal } from '#kernel/decimal'
import type { OrderDetails } from './order-details.ts'
import type { PlacedGatewayOrder } from './ports.ts'

export interface Placed {
  readonly providerOrderId: string | null
  readonly details: OrderDetails
  readonly address: string | null
  /** Null: as it was asked for. */
  readonly payAmount: Attos | null
  readonly expiresAt: Date | null
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
})

export const placedByOnramp = ({
  providerOrderId,
  widgetUrl,
}: {
  readonly providerOrderId: string | null
  readonly widgetUrl: string | null
}): Placed => ({
  providerOrderId,
  details: widgetUrl === null ? {} : { widgetUrl },
  address: null,
  payAmount: null,
  expiresAt: null,
})
