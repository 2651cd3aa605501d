// What the payer needs of an order at a provider, as it is stored beside it: no money among it.
export interface OrderDetails {
  /** Gateway: where to pay. */
  readonly network?: string
  readonly token?: string
  readonly fullCurrType?: string
  readonly address?: string
  readonly whitelabelUrl?: string | null
  readonly qrContent?: string | null
  /** On-ramp: the deposit's id as the provider shows it. */
  readonly recognitionId?: string
  /** On-ramp: the page where the card is charged, and where it returns to. */
  readonly widgetUrl?: string
  readonly redirectUrl?: string | null
}
