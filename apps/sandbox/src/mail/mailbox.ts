import type { Mail, Store } from '../store/store.ts'

/** Captured e-mail: what the service would have sent to real people. */
export interface Mailbox {
  receive(mail: Mail): void
  /** Newest first. */
  list(): readonly Mail[]
}

const MOST_LISTED = 1_000

export function createMailbox(store: Store): Mailbox {
  const mails = [...store.readMail()].reverse().slice(0, MOST_LISTED)
  return {
    receive(mail) {
      store.appendMail(mail)
      mails.unshift(mail)
      mails.length = Math.min(mails.length, MOST_LISTED)
    },
    list: () => mails,
  }
}
