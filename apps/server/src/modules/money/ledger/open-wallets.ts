import type { Tx } from '#infra/database/db'
import type { Currency } from '#kernel/money'
import { openAccounts } from './store.ts'

/**
 * Opens the wallets of a new account: spot and the escrow behind it, and earnings for a merchant. What is
 * open already stays as it is.
 */
export function openWallets(
  tx: Tx,
  { ownerId, currency, earnings }: { ownerId: string; currency: Currency; earnings: boolean },
): Promise<void> {
  const kinds = ['spot', 'escrow', ...(earnings ? (['earnings'] as const) : [])] as const
  return openAccounts(tx, ownerId, kinds, currency)
}
