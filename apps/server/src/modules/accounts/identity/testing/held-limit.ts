// The limit of a key while another commit holds it.
import type { Db } from '#infra/database/db'
import { until } from '#infra/testing/until'
import { WAITING } from '#infra/testing/waiting'
import { newId } from '#kernel/id'
import { countSpends, type Spend } from '../spend-limit.ts'

export const ENDS = ['commits', 'rolls back'] as const

export interface HeldLimit extends Omit<Spend, 'refId'> {
  readonly at: Date
  readonly ends: (typeof ENDS)[number]
}

/**
 * Spends under a key's limit in a commit of its own, which ends once what `begin` starts waits for it and
 * `meanwhile` is done. Returns what `begin` comes to.
 */
export async function whileLimitIsHeld<T>(
  db: Db,
  { keyId, cents, at, ends }: HeldLimit,
  {
    begin,
    meanwhile = async () => {},
  }: { begin(): Promise<T>; readonly meanwhile?: () => Promise<void> },
): Promise<T> {
  const rolledBack = new Error('rolled back')
  let begun: Promise<T> | null = null
  const holding = db.transaction(async (tx) => {
    await countSpends(tx, [{ keyId, refId: newId(), cents }], at)
    begun = begin()
    await Promise.race([
      begun.then(() => Promise.reject(new Error('it did not wait'))),
      until('it waits', async () => (await db.query(WAITING)).length > 0),
    ])
    await meanwhile()
    if (ends === 'rolls back') throw rolledBack
  })
  await holding.catch((error) => {
    if (error !== rolledBack) throw error
  })
  return begun ?? Promise.reject(new Error('nothing was begun'))
}
