import type { Tx } from '#infra/database/db'
import type { SecretBox } from '#infra/process/secrets'
import { newId } from '#kernel/id'
import { insertMessage } from './store.ts'
import type { LetterFacts, NoticeFacts } from './templates.ts'

/**
 * Queues a message with a code or a link, in the transaction that makes them. Its facts are sealed: who
 * reads the database logs in nowhere.
 */
export async function queueMail<T extends keyof LetterFacts>(
  tx: Tx,
  secrets: Pick<SecretBox, 'seal'>,
  mail: {
    readonly to: string
    readonly template: T
    readonly facts: LetterFacts[T]
    readonly at: Date
  },
): Promise<void> {
  const id = newId(mail.at.getTime())
  const sealedFacts = secrets.seal(JSON.stringify(mail.facts), contextOf(id))
  await insertMessage(tx, {
    ...{ id, sealedFacts, facts: null },
    recipient: mail.to,
    template: mail.template,
    at: mail.at,
  })
}

export const contextOf = (id: string): string => `mail ${id}`

export interface Notice<T extends keyof NoticeFacts> {
  readonly template: T
  readonly facts: NoticeFacts[T]
  readonly at: Date
}

/** Queues a message that holds no secret, in the transaction of the change that it reports. */
export const queueNotice = <T extends keyof NoticeFacts>(
  tx: Tx,
  { to, template, facts, at }: Notice<T> & { readonly to: string },
): Promise<void> =>
  insertMessage(tx, {
    ...{ id: newId(at.getTime()), recipient: to, template, at },
    ...{ facts: JSON.stringify(facts), sealedFacts: null },
  })
