// A wallet: one owner's money of one kind, in one currency.
import type { Cents, Currency } from '#kernel/money'

/** What an owner sees. Escrow is a ledger account too, but not a wallet. */
export type WalletKind = 'spot' | 'earnings'

export interface Wallet {
  /** The id that the owner is shown. */
  readonly id: string
  readonly ownerId: string
  readonly kind: WalletKind
  readonly currency: Currency
  readonly balance: Cents
}
