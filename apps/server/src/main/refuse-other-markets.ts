import { listMarketIds } from '#catalog'
import type { Db } from '#infra/database/db'
import { CannotStart } from '#infra/process/cannot-start'
import { MARKETS } from '../adapters/markets.ts'

/** The registry and the database name the same markets: adapters come with the code, rows by migration. */
export async function refuseOtherMarkets(db: Db): Promise<void> {
  const known = MARKETS.map(({ id }) => id)
  const stored = await listMarketIds(db)
  const adrift = [
    ...known
      .filter((id) => !stored.includes(id))
      .map((id) => `${id} has no row in the table of markets`),
    ...stored.filter((id) => !known.includes(id)).map((id) => `${id} has no adapter`),
  ]
  if (adrift.length === 0) return
  throw new CannotStart(
    `The markets of this version are not those of the database: ${adrift.join(', ')}.`,
  )
}
