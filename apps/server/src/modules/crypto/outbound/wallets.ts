// What an operator does with a wallet.
import type { Queryable } from '#infra/database/db'
import type { ChainName, Hex } from '#kernel/chain'
import type { KeyRef } from './ports.ts'
import { setWalletState, type Wallet } from './store/wallets.ts'

type WalletKey = { readonly chain: ChainName; readonly keyRef: KeyRef }

/** Stops signing and sending from a wallet in whichever state it is; null when there is none. */
export const haltWallet = (
  db: Queryable,
  wallet: WalletKey,
  { reason, at }: { readonly reason: string; readonly at: Date },
): Promise<Wallet | null> =>
  setWalletState(db, wallet, {
    from: ['open', 'reopening', 'halted'],
    to: 'halted',
    reason,
    at,
  })

/**
 * Lets a worker open a halted wallet: it compares the wallet with the chain first. `foreignHashes` are the
 * transactions that took nonces of ours, in lower case. Null when it is not halted.
 */
export const reopenWallet = (
  db: Queryable,
  wallet: WalletKey,
  change: {
    readonly reason: string
    readonly foreignHashes: readonly Hex[]
    readonly at: Date
  },
): Promise<Wallet | null> =>
  setWalletState(db, wallet, { from: ['halted'], to: 'reopening', ...change })
