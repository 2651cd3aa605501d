import { type Queryable, sql } from '#infra/db'

const AUDIT = sql('trades.audit', 'select invariant, detail from trades.audit() limit 100')
/** The broken promises of trades, none when all is well. */
export const auditTrades = (db: Queryable): Promise<{ invariant: string; detail: string }[]> =>
  db.query(AUDIT)
