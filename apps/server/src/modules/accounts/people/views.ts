// Saved views: the filters of a list under a name, of one person within one account.

import { type Db, violatedConstraint } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import { newId } from '#kernel/id'
import { refuse } from '#kernel/refusal'
import { lockPerson } from './store/people.ts'
import {
  deleteViewRow,
  findViews,
  renameViewRow,
  type SavedView,
  upsertView,
  type ViewHolder,
} from './store/views.ts'

/** Of one list. */
const MOST_VIEWS = 20

/** By name. */
export const listViews = (db: Db, holder: ViewHolder, list: string): Promise<SavedView[]> =>
  findViews(db, holder, list)

/**
 * Keeps a view; one with the same name gets the new query. Refuses VALIDATION_FAILED above twenty of one
 * list, and SESSION_EXPIRED once the membership has ended.
 */
export const saveView = (
  { db, clock }: { readonly db: Db; readonly clock: Clock },
  holder: ViewHolder,
  { list, name, query }: Omit<SavedView, 'id'>,
): Promise<SavedView> =>
  db.transaction(async (tx) => {
    // Two saves at once count one after the other.
    await lockPerson(tx, holder.personId)
    const known = await findViews(tx, holder, list)
    if (known.length >= MOST_VIEWS && !known.some((view) => view.name === name)) {
      refuseName('maxItems', `a list has at most ${MOST_VIEWS} saved views`)
    }
    const at = clock.now()
    const view = { id: newId(at.getTime()), list, name, query }
    return (await upsertView(tx, { ...holder, ...view, at })) ?? refuse('SESSION_EXPIRED')
  })

/** Refuses NOT_FOUND, and VALIDATION_FAILED for the name of another view of the list. */
export async function renameView(
  db: Db,
  holder: ViewHolder,
  change: { readonly id: string; readonly name: string },
): Promise<SavedView> {
  try {
    return (await renameViewRow(db, holder, change)) ?? refuse('NOT_FOUND')
  } catch (error) {
    if (violatedConstraint(error) !== 'saved_view_name_once') throw error
    return refuseName('unique', 'another view of this list has this name')
  }
}

/** Refuses NOT_FOUND. */
export const deleteView = async (db: Db, holder: ViewHolder, id: string): Promise<SavedView> =>
  (await deleteViewRow(db, holder, id)) ?? refuse('NOT_FOUND')

const refuseName = (rule: string, message: string): never =>
  refuse('VALIDATION_FAILED', { errors: [{ in: 'body', pointer: '/name', rule, message }] })
