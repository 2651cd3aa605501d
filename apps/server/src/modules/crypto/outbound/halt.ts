// Stops a wallet when what its chain shows is not what we made.
import type { OutboundDeps } from './deps.ts'
import { setWalletState, type Wallet } from './store/wallets.ts'

/** A foreign transaction is believed after so many blocks without a receipt of ours. */
export const FOREIGN_BLOCKS = 10n

/**
 * Nothing is signed or sent from the wallet until an operator reopens it; an alarm, once. Nothing happens in
 * another state than `from`.
 */
export async function halt(
  { db, clock, onAlarm }: Pick<OutboundDeps, 'db' | 'clock' | 'onAlarm'>,
  { chain, keyRef }: Pick<Wallet, 'chain' | 'keyRef'>,
  { from = 'open', reason }: { readonly from?: 'open' | 'reopening'; readonly reason: string },
): Promise<void> {
  const change = { from: [from], to: 'halted', reason, at: clock.now() } as const
  if ((await setWalletState(db, { chain, keyRef }, change)) === null) return
  onAlarm('outbound_wallet_halted', { chain, keyRef, reason })
}
