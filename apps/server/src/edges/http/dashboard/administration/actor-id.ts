import type { Queryable } from '#infra/database/db'
import { findPersonId } from '#people'

/** Persons are known by their e-mail address; in the log they have their id. */
export const actorIdOf = async (db: Queryable, typed: string): Promise<string> =>
  (typed.includes('@') ? await findPersonId(db, typed) : null) ?? typed
