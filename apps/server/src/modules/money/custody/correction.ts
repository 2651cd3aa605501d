// Makes the account of a wallet of ours what its chain shows: by an opening what it held before the books
// knew of it, by a loss what left it without a transaction of ours.
import { sql, type Tx } from '#infra/database/db'
import type { BaseUnits, ChainName, TokenSymbol } from '#kernel/chain'
import { post, readBalance } from './store.ts'

export interface Correction {
  readonly id: string
  readonly kind: 'opening' | 'loss'
  readonly chain: ChainName
  readonly token: TokenSymbol
  readonly role: 'hot_wallet' | 'gas_station'
  /** The other account of the posting. */
  readonly counterpart: 'capital' | 'unexplained'
  /** More than zero: an opening adds them to the wallet, a loss takes them. */
  readonly units: BaseUnits
  /** The balance of the account when the posting was planned. */
  readonly booked: BaseUnits
}

const LOCK = sql(
  'custody.lock_corrections',
  "select pg_advisory_xact_lock(hashtextextended('custody.correction', 0))",
)

/**
 * False, and nothing is posted, when the account has moved since the posting was planned: another correction
 * may have booked the same units.
 */
export async function postCorrection(
  tx: Tx,
  { id, kind, chain, token, role, counterpart, units, booked }: Correction,
  at: Date,
): Promise<boolean> {
  await tx.query(LOCK)
  if ((await readBalance(tx, role, { chain, token })) !== booked) return false
  const sides =
    kind === 'opening' ? { debit: role, credit: counterpart } : { debit: counterpart, credit: role }
  const what = { key: `${kind}:${id}`, reason: kind, refId: id, chain, token, units }
  await post(tx, [{ ...what, ...sides }], at)
  return true
}
