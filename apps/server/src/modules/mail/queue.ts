import type { Tx } from '#infra/db'
import type { SecretBox } from '#infra/secrets'
import { newId } from '#kernel/id'
import { insertMessage } from './store.ts'
import type { MailFacts, MailTemplate } from './templates.ts'

/** Queues a message in the transaction of the change that it reports. */
export async function queueMail<T extends MailTemplate>(
  tx: Tx,
  secrets: Pick<SecretBox, 'seal'>,
  mail: {
    readonly to: string
    readonly template: T
    readonly facts: MailFacts[T]
    readonly at: Date
  },
): Promise<void> {
  const id = newId(mail.at.getTime())
  const sealedFacts = secrets.seal(JSON.stringify(mail.facts), contextOf(id))
  await insertMessage(tx, {
    ...{ id, sealedFacts },
    recipient: mail.to,
    template: mail.template,
    at: mail.at,
  })
}

export const contextOf = (id: string): string => `mail ${id}`
