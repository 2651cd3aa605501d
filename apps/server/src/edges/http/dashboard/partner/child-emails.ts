import { findChildren } from '#identity'
import type { Queryable } from '#infra/database/db'
import type { DashboardAccount } from '../operation.ts'

/** E-mail addresses of a partner's children, by id; none for other accounts. */
export async function readChildEmails(
  db: Queryable,
  { id, kind }: Pick<DashboardAccount, 'id' | 'kind'>,
  accountIds: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  if (kind !== 'partner') return new Map()
  const children = await findChildren(db, id, [...new Set(accountIds)])
  return new Map(children.map((child) => [child.id, child.email]))
}
