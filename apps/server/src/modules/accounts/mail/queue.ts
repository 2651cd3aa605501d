import type { Tx } from '#infra/database/db'
import type { SecretBox } from '#infra/process/secrets'
import { newId } from '#kernel/id'
import { insertMessage } from './store.ts'
import type { LetterDetails, NoticeDetails } from './templates.ts'

/**
 * Queues a message with a code or a link, in the transaction that makes them. Its details are sealed: who
 * reads the database logs in nowhere.
 */
export async function queueMail<T extends keyof LetterDetails>(
  tx: Tx,
  secrets: Pick<SecretBox, 'seal'>,
  mail: {
    readonly to: string
    readonly template: T
    readonly details: LetterDetails[T]
    readonly at: Date
  },
): Promise<void> {
  const id = newId(mail.at.getTime())
  const sealedDetails = secrets.seal(JSON.stringify(mail.details), contextOf(id))
  await insertMessage(tx, {
    ...{ id, sealedDetails, details: null },
    recipient: mail.to,
    template: mail.template,
    at: mail.at,
  })
}

export const contextOf = (id: string): string => `mail ${id}`

export interface Notice<T extends keyof NoticeDetails> {
  readonly template: T
  readonly details: NoticeDetails[T]
  readonly at: Date
}

/** Queues a message that holds no secret, in the transaction of the change that it reports. */
export const queueNotice = <T extends keyof NoticeDetails>(
  tx: Tx,
  { to, template, details, at }: Notice<T> & { readonly to: string },
): Promise<void> =>
  insertMessage(tx, {
    ...{ id: newId(at.getTime()), recipient: to, template, at },
    ...{ details: JSON.stringify(details), sealedDetails: null },
  })
