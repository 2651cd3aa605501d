// Who is asked about trade URLs: workers know, and write it down for the others.
import type { Db, Queryable } from '#infra/database/db'
import { readFact, writeFact } from '#infra/database/facts'
import type { TradeUrlSource } from './ports.ts'

const FACT = 'trade-url-source'

export const writeTradeUrlSource = (db: Db, by: TradeUrlSource): Promise<void> =>
  db.transaction((tx) => writeFact(tx, FACT, { by }))

/** Null before the first worker has run. */
export async function readTradeUrlSource(db: Queryable): Promise<TradeUrlSource | null> {
  const fact = await readFact<{ readonly by: TradeUrlSource }>(db, FACT)
  return fact?.by ?? null
}
