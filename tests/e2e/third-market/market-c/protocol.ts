// What market C says of a listing and of an order.

export interface Listed {
  readonly id: string
  readonly marketHashName: string
  readonly priceMills: number
}

export interface ListedOrder {
  readonly id: string
  readonly customId: string
  /** ISO 8601 */
  readonly placedAt: string
  readonly paidMills: number
  readonly state: 'sent' | 'delivered'
}
