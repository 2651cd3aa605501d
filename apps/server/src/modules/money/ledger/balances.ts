import type { Queryable } from '#infra/database/db'
import { assertDefined } from '#kernel/assert'
import type { Cents } from '#kernel/money'
import { readWallets } from './store.ts'
import type { Wallet, WalletKind } from './wallet.ts'

export { readWallets }

/** The wallet of a kind; an owner without one is a fault of ours. */
export async function readWallet(
  db: Queryable,
  ownerId: string,
  kind: WalletKind = 'spot',
): Promise<Wallet> {
  const wallets = await readWallets(db, [ownerId])
  return assertDefined(
    wallets.find((wallet) => wallet.kind === kind),
    `${kind} wallet of ${ownerId}`,
  )
}

export const readBalance = async (
  db: Queryable,
  ownerId: string,
  kind: WalletKind = 'spot',
): Promise<Cents> => (await readWallet(db, ownerId, kind)).balance
