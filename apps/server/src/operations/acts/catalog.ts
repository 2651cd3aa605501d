// What an operator takes over by hand into the catalogue.
import type { Actor } from '#audit'
import type { Catalog, ImportRules, ItemsPlan } from '#catalog'
import { type ActDeps, perform } from './act.ts'

/**
 * Takes a plan over that is not refused. Its entry comes first: an import is many changes, and one that
 * breaks off half-way is found.
 */
export async function importItems(
  { catalog, ...deps }: ActDeps & { readonly catalog: Pick<Catalog, 'importItems'> },
  actor: Actor,
  { plan, from, rules }: ImportOrder,
): Promise<{ readonly written: number; readonly unlisted: number }> {
  const { items, fresh, changed, gone } = plan
  const counts = { items: items.length, new: fresh.length, changed: changed.length }
  const { isAnyLevel = false } = rules
  const details = { from, ...counts, gone: gone.length, ...(isAnyLevel && { isAnyLevel }) }
  const subject = { type: 'catalog', id: null }
  await perform(deps, actor, { act: 'catalog.import', subject, details }, async () => {})
  return catalog.importItems(plan, rules)
}

interface ImportOrder {
  readonly plan: ItemsPlan
  /** The list, by a name that may be shown. */
  readonly from: string
  readonly rules: ImportRules
}
