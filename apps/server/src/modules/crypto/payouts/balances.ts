// What a merchant has in payout custody, in kind.
import { readBalances } from '#custody'
import type { Queryable, Snapshot } from '#infra/database/db'
import type { ChainName, TokenSymbol } from '#kernel/chain'
import { readPendingUnits, readUnitsOfUser } from './store/deposits.ts'
import type { MerchantSettings } from './store/merchants.ts'

export interface CustodyBalance {
  readonly chain: ChainName
  readonly token: TokenSymbol
  /** Of a sub-user this may be negative: attribution limits nothing. */
  readonly units: bigint
  /** Arrived and not confirmed. */
  readonly pendingUnits: bigint
}

/** Each chain and token that has something; with a user, that user's deposits less its withdrawals. */
export async function readCustody(
  at: Snapshot,
  merchantId: string,
  userId: string | null,
): Promise<CustodyBalance[]> {
  const units =
    userId === null
      ? (await readBalances(at, merchantId)).filter(({ role }) => role === 'merchant')
      : await readUnitsOfUser(at, merchantId, userId)
  const pending = await readPendingUnits(at, merchantId, userId)
  const found = new Map<string, CustodyBalance>()
  const add = (
    { chain, token }: { chain: string; token: string },
    more: { units: bigint; pendingUnits: bigint },
  ): void => {
    const key = `${chain}:${token}`
    const known = found.get(key) ?? { chain, token, units: 0n, pendingUnits: 0n }
    found.set(key, {
      ...known,
      units: known.units + more.units,
      pendingUnits: known.pendingUnits + more.pendingUnits,
    })
  }
  for (const one of units) add(one, { units: one.units, pendingUnits: 0n })
  for (const one of pending) add(one, { units: 0n, pendingUnits: one.units })
  return [...found.values()]
}

/**
 * The merchant’s withdrawals are approved at its webhook endpoint, whichever that becomes: it has or had
 * payout custody, and no other address for approvals.
 */
export async function isApprovedAtEndpoint(
  db: Queryable,
  merchantId: string,
  { callback }: Pick<MerchantSettings, 'callback'>,
): Promise<boolean> {
  if (callback !== null) return false
  return (await readBalances(db, merchantId)).some(({ role }) => role === 'merchant')
}
