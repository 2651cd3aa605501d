// Who is asked about trade URLs: workers know, and write it down for the others.
import type { Db, Queryable } from '#infra/database/db'
import { readStoredValue, writeStoredValue } from '#infra/database/stored-values'
import type { TradeUrlSource } from './ports.ts'

const VALUE_NAME = 'trade-url-source'

export const writeTradeUrlSource = (db: Db, by: TradeUrlSource): Promise<void> =>
  db.transaction((tx) => writeStoredValue(tx, VALUE_NAME, { by }))

/** Null before the first worker has run. */
export async function readTradeUrlSource(db: Queryable): Promise<TradeUrlSource | null> {
  const stored = await readStoredValue<{ readonly by: TradeUrlSource }>(db, VALUE_NAME)
  return stored?.by ?? null
}
