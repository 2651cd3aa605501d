import { findAccounts } from '#identity'
import type { Queryable } from '#infra/db'

/** What administrators call an account: its name, else its address, else what its merchant calls it. */
export async function nameOfAccount(db: Queryable, id: string): Promise<string> {
  const [account] = await findAccounts(db, { ids: [id], text: '', parentId: null })
  return account?.name ?? account?.email ?? account?.externalId ?? id
}
