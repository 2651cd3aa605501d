import type { Store } from '../store/store.ts'
import type { ReceivedMail } from './smtp.ts'

export interface Mail {
  /** Rises by one with each message. */
  readonly id: number
  readonly receivedAt: string
  readonly body: ReceivedMail
}

/** Captured e-mail, which is never sent. */
export interface Mailbox {
  receive(mail: Omit<Mail, 'id'>): void
  /** Newest first. */
  list(): readonly Mail[]
  find(id: number): Mail | undefined
}

const MOST_LISTED = 1_000

export function createMailbox(store: Store): Mailbox {
  const table = store.table('mail')
  const mails = [...table.rows()]
    .map(({ key, row }): Mail => ({ ...(JSON.parse(row) as Omit<Mail, 'id'>), id: key }))
    .reverse()
    .slice(0, MOST_LISTED)
  return {
    receive(mail) {
      const id = (mails[0]?.id ?? 0) + 1
      table.write(id, JSON.stringify(mail))
      mails.unshift({ ...mail, id })
      mails.length = Math.min(mails.length, MOST_LISTED)
    },
    list: () => mails,
    find: (id) => mails.find((mail) => mail.id === id),
  }
}
