import { type Queryable, sql, type Tx } from '#infra/database/db'

export type RemovalOutcome = 'removed' | 'stopped' | 'factor_used' | 'not_possible'

export interface FactorRemoval {
  readonly id: string
  readonly personId: string
  /** Where it was asked from. */
  readonly address: string
  readonly askedAt: Date
  readonly announcedAt: Date | null
  readonly removesAt: Date
}

const COLUMNS = `id, person_id "personId", address, asked_at "askedAt", announced_at "announcedAt", removes_at "removesAt"`

const INSERT = sql(
  'people.insert_factor_removal',
  `insert into people.factor_removal (id, person_id, address, asked_at, removes_at, next_at) values ($1, $2, $3, $4, $5, $6)`,
)
export const insertRemoval = async (
  tx: Tx,
  { nextAt, ...removal }: Omit<FactorRemoval, 'announcedAt'> & { readonly nextAt: Date },
): Promise<void> => {
  const { id, personId, address, askedAt, removesAt } = removal
  await tx.query(INSERT, [id, personId, address, askedAt, removesAt, nextAt])
}

const FIND = sql(
  'people.find_factor_removal',
  `select ${COLUMNS} from people.factor_removal where person_id = $1 and outcome is null for no key update`,
)
/** The one that waits, locked until the transaction ends. */
export const lockRemoval = async (tx: Tx, personId: string): Promise<FactorRemoval | null> => {
  const [row] = await tx.query<FactorRemoval>(FIND, [personId])
  return row ?? null
}

const COUNT = sql(
  'people.count_factor_removals',
  `select count(*)::int n from people.factor_removal where person_id = $1 and asked_at > $2`,
)
export const countRemovals = async (
  db: Queryable,
  personId: string,
  after: Date,
): Promise<number> => {
  const [row] = await db.query<{ n: number }>(COUNT, [personId, after])
  return row?.n ?? 0
}

const DUE = sql(
  'people.find_due_factor_removals',
  `select person_id "personId" from people.factor_removal where next_at <= $1 order by next_at limit $2`,
)
/** The persons of those that are due. */
export const findDueRemovals = async (
  db: Queryable,
  { now, limit }: { readonly now: Date; readonly limit: number },
): Promise<string[]> =>
  (await db.query<{ personId: string }>(DUE, [now, limit])).map(({ personId }) => personId)

const ANNOUNCE = sql(
  'people.announce_factor_removal',
  `update people.factor_removal set announced_at = $2, removes_at = $3, next_at = $3 where id = $1 and outcome is null`,
)
export const markAnnounced = async (
  tx: Tx,
  { id, at, removesAt }: { readonly id: string; readonly at: Date; readonly removesAt: Date },
): Promise<void> => {
  await tx.query(ANNOUNCE, [id, at, removesAt])
}

const END = sql(
  'people.end_factor_removal',
  `with ended as (
     update people.factor_removal set outcome = $2, ended_at = $3, next_at = null
     where person_id = $1 and outcome is null returning person_id),
   link as (
     update people.mail_token t set used_at = $3 from ended e
     where t.person_id = e.person_id and t.purpose = 'keep_factor' and t.used_at is null)
   select person_id from ended`,
)
/** The one that waits, with the links that stop it; false when there is none. */
export const endRemoval = async (
  tx: Tx,
  {
    personId,
    outcome,
    at,
  }: { readonly personId: string; readonly outcome: RemovalOutcome; readonly at: Date },
): Promise<boolean> => (await tx.query(END, [personId, outcome, at])).length > 0
