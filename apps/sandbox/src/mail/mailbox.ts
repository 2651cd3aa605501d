import type { Store } from '../store/store.ts'
import type { ReceivedMail } from './smtp.ts'

export interface Mail {
  readonly receivedAt: string
  readonly body: ReceivedMail
}

/** Captured e-mail, which is never sent. */
export interface Mailbox {
  receive(mail: Mail): void
  /** Newest first. */
  list(): readonly Mail[]
}

const MOST_LISTED = 1_000

export function createMailbox(store: Store): Mailbox {
  const table = store.table('mail')
  const mails = [...table.rows()]
    .map(({ row }) => JSON.parse(row) as Mail)
    .reverse()
    .slice(0, MOST_LISTED)
  return {
    receive(mail) {
      table.append(JSON.stringify(mail))
      mails.unshift(mail)
      mails.length = Math.min(mails.length, MOST_LISTED)
    },
    list: () => mails,
  }
}
