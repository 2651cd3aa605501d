// A notice to the people of an account, in the commit of what it reports.
import type { Tx } from '#infra/database/db'
import { type Notice, type NoticeDetails, queueNotice } from '#mail'
import type { MemberRole } from './person.ts'
import { listAddresses, listAdministratorAddresses } from './store/members.ts'

/** Who reads of what: money, keys and endpoints, the account itself. */
const READERS = {
  money: ['owner', 'finance'],
  development: ['owner', 'developer'],
  everything: ['owner'],
} as const satisfies Readonly<Record<string, readonly MemberRole[]>>

/** To every confirmed address among the readers; an account without people gets none. */
export async function notifyMembers<T extends keyof NoticeDetails>(
  tx: Tx,
  account: { readonly id: string; readonly about: keyof typeof READERS },
  notice: Notice<T>,
): Promise<void> {
  for (const to of await listAddresses(tx, account.id, READERS[account.about])) {
    await queueNotice(tx, { ...notice, to })
  }
}

/** To every administrator of the service with a confirmed address. */
export async function notifyAdministrators<T extends keyof NoticeDetails>(
  tx: Tx,
  notice: Notice<T>,
): Promise<void> {
  for (const to of await listAdministratorAddresses(tx)) await queueNotice(tx, { ...notice, to })
}
