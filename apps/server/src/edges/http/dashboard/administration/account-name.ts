import { readAccountNames } from '#identity'
import type { Queryable } from '#infra/database/db'

/** As `readAccountNames`, of one account; its id where there is none. */
export const nameOfAccount = async (db: Queryable, id: string): Promise<string> =>
  (await readAccountNames(db, [id])).get(id) ?? id
