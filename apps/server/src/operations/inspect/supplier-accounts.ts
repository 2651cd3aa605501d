// Our accounts at the markets: what they have, what waits for it, and what closes them.
import { coverDaysOf, listAccounts, listPlaced, type MarketAccount, readFigures } from '#buying'
import type { Db } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'

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

export interface PacedAccount extends SupplierAccount {
  /** Orders that were begun with it in a minute, of the last ten. */
  readonly placedPerMinute: number
}

export async function readPacedAccounts({
  db,
  clock,
}: {
  readonly db: Db
  readonly clock: Clock
}): Promise<PacedAccount[]> {
  const accounts = await readSupplierAccounts(db)
  const markets = [...new Set(accounts.map(({ market }) => market))]
  const at = clock.now()
  const rates = await Promise.all(markets.map((market) => listPlaced(db, market, at)))
  return accounts.map((one) => {
    const rate = rates[markets.indexOf(one.market)]?.find(({ account }) => account === one.name)
    return { ...one, placedPerMinute: rate?.perMinute ?? 0 }
  })
}
