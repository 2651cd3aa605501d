// Our accounts at the markets: what they have, what waits for it, and what closes them.
import { coverDaysOf, listAccounts, type MarketAccount, readFigures } from '#buying'
import type { Db } from '#infra/database/db'

export interface SupplierAccount extends MarketAccount {
  /** Balance less reserve and what has left or is under way since; null while no balance is known. */
  readonly spendableMills: bigint | null
  readonly waiting: number
  readonly waitingMills: bigint
  readonly coverDays: number | null
}

export const readSupplierAccounts = async (db: Db): Promise<SupplierAccount[]> =>
  Promise.all(
    (await listAccounts(db)).map(async (account) => {
      const { spendableMills, waiting, waitingMills } = await readFigures(db, {
        market: account.market,
        account: account.name,
      })
      const coverDays = coverDaysOf(account)
      return { ...account, spendableMills, waiting, waitingMills, coverDays }
    }),
  )
