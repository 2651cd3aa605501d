// What payouts needs from outside: what is paid on which chain at which price, and the approval callback.
import type { Tx } from '#infra/database/db'
import type { Address, ChainName, TokenSymbol } from '#kernel/chain'
import type { MerchantSettings } from './store/merchants.ts'
import type { Withdrawal } from './withdrawal.ts'

export interface PayableToken {
  /** The contract; null for the native coin. */
  readonly address: Address | null
  readonly decimals: number
  /** US dollars for one token in 1e-8; null while there is no price within its bounds. */
  readonly usdE8: bigint | null
  /** What a transfer costs now, in US cents rounded up; null while the chain does not answer. */
  readonly feeCents: bigint | null
  /** What the hot wallet has now, base units; null while the chain does not answer. */
  readonly hotUnits: bigint | null
}

export interface PayoutNetworks {
  /** Null for a chain that is unknown or switched off, or that does not have the token. */
  find(chain: ChainName, token: TokenSymbol): Promise<PayableToken | null>
  /** The chains that are switched on. */
  listChains(): Promise<readonly ChainName[]>
  /** An address of ours on any chain: deposits, hot wallets, treasury. */
  isOurs(address: Address): Promise<boolean>
  /** The contract of a token that we know. */
  isTokenContract(address: Address): Promise<boolean>
}

export type CallbackAnswer =
  /** `body`: its first 16 KiB. */
  | { readonly kind: 'answered'; readonly status: number; readonly body: string }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'failed'; readonly detail: string }
  /** The cause is on our side: it is tried again, uncounted for the first hour. */
  | { readonly kind: 'deferred'; readonly detail: string }

export interface ApprovalCallback {
  /** False without a usable URL: a disabled endpoint is none. */
  isUsable(merchantId: string, settings: MerchantSettings): Promise<boolean>
  /** Where it would be posted by these settings, as the transaction sees it; null without a usable URL. */
  findUrl(tx: Tx, merchantId: string, settings: MerchantSettings): Promise<string | null>
  /** One signed POST under the approval's webhook-id, with this deadline for everything. */
  post(
    withdrawal: Withdrawal,
    options: { readonly settings: MerchantSettings; readonly deadlineMs: number },
  ): Promise<CallbackPost>
  /** One signed `webhook.test` to the same URL: it asks for no withdrawal, and nothing is stored. */
  test(
    merchantId: string,
    options: {
      readonly settings: MerchantSettings
      readonly at: Date
      readonly deadlineMs: number
    },
  ): Promise<CallbackAnswer>
}

export interface CallbackPost {
  readonly answer: CallbackAnswer
  /** The body that was posted; null without a usable URL. */
  readonly sent: string | null
  /** Where it was posted; null likewise. */
  readonly url: string | null
}
