import { type Queryable, sql, type Tx } from '#infra/database/db'

/** Whose views: of a person within one account. */
export interface ViewHolder {
  readonly personId: string
  readonly accountId: string
}

export interface SavedView {
  readonly id: string
  readonly list: string
  readonly name: string
  readonly query: string
}

const COLUMNS = 'id, list, name, query'

const LIST = sql(
  'people.list_views',
  `select ${COLUMNS} from people.saved_view where person_id = $1 and account_id = $2 and list = $3
   order by lower(name), id limit 100`,
)
/** By name. */
export const findViews = (
  db: Queryable,
  { personId, accountId }: ViewHolder,
  list: string,
): Promise<SavedView[]> => db.query<SavedView>(LIST, [personId, accountId, list])

const SAVE = sql(
  'people.save_view',
  `insert into people.saved_view (id, person_id, account_id, list, name, query, created_at)
   select $1, m.person_id, m.account_id, $4, $5, $6, $7 from people.membership m
   where m.person_id = $2 and m.account_id = $3 and m.ended_at is null for share of m
   on conflict on constraint saved_view_name_once do update set query = excluded.query
   returning ${COLUMNS}`,
)
/** Replaces the query of a view with this name. Null once the membership has ended. */
export const upsertView = async (
  tx: Tx,
  {
    id,
    personId,
    accountId,
    list,
    name,
    query,
    at,
  }: ViewHolder & SavedView & { readonly at: Date },
): Promise<SavedView | null> => {
  const values = [id, personId, accountId, list, name, query, at]
  const [row] = await tx.query<SavedView>(SAVE, values)
  return row ?? null
}

const RENAME = sql(
  'people.rename_view',
  `update people.saved_view set name = $4 where id = $3 and person_id = $1 and account_id = $2 returning ${COLUMNS}`,
)
export const renameViewRow = async (
  db: Queryable,
  { personId, accountId }: ViewHolder,
  { id, name }: { readonly id: string; readonly name: string },
): Promise<SavedView | null> => {
  const [row] = await db.query<SavedView>(RENAME, [personId, accountId, id, name])
  return row ?? null
}

const DELETE = sql(
  'people.delete_view',
  `delete from people.saved_view where id = $3 and person_id = $1 and account_id = $2 returning ${COLUMNS}`,
)
export const deleteViewRow = async (
  db: Queryable,
  { personId, accountId }: ViewHolder,
  id: string,
): Promise<SavedView | null> => {
  const [row] = await db.query<SavedView>(DELETE, [personId, accountId, id])
  return row ?? null
}
