// Sends what is due.

import type { Db } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import type { SecretBox } from '#infra/process/secrets'
import { allEnded } from '#kernel/all-ended'
import type { Mailer } from './ports.ts'
import { contextOf } from './queue.ts'
import { claimMessages, type MessageRow, markFailed, markSent, retryAt } from './store.ts'
import { type MailDetails, type MailTemplate, renderMail } from './templates.ts'

export interface SendDueDeps {
  readonly db: Db
  readonly clock: Clock
  readonly secrets: SecretBox
  readonly mailer: Mailer
  /** Right of the @ in the Message-ID. */
  readonly domain: string
  /** A message that ends unsent. */
  readonly onFailed?: (details: { id: string; template: string; detail: string }) => void
}

const BATCH = 20
/** Longer than the longest attempt: a mail server has 60 s in all. */
const LEASE_MS = 120_000
const RETRY_AFTER_MS = [30_000, 120_000, 600_000, 3_600_000, 14_400_000] as const

/** One batch, side by side; true when it was full and more may be due. */
export async function sendDueMail(deps: SendDueDeps): Promise<boolean> {
  const now = deps.clock.now()
  const until = new Date(now.getTime() + LEASE_MS)
  const messages = await claimMessages(deps.db, { now, until, limit: BATCH })
  await allEnded(messages.map((message) => sendOne(deps, message)))
  return messages.length === BATCH
}

async function sendOne(deps: SendDueDeps, message: MessageRow): Promise<void> {
  const { db, clock, secrets, mailer, domain } = deps
  const { id, recipient, template, attempts } = message
  const { facts, sealed_facts: sealed } = message
  const known = sealed === null ? facts : JSON.parse(secrets.open(sealed, contextOf(id)))
  const rendered = renderMail(template as MailTemplate, known as MailDetails[MailTemplate])
  const answer = await mailer.send({ messageId: `${id}@${domain}`, to: recipient, ...rendered })
  const at = clock.now()
  if (answer.kind === 'accepted') return markSent(db, id, at)
  const waitMs = answer.kind === 'refused' ? undefined : RETRY_AFTER_MS[attempts - 1]
  if (waitMs !== undefined) {
    return retryAt(db, id, { dueAt: new Date(at.getTime() + waitMs), detail: answer.detail })
  }
  await markFailed(db, id, { at, detail: answer.detail })
  deps.onFailed?.({ id, template, detail: answer.detail })
}
