import type { Db } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import type { SecretBox } from '#infra/process/secrets'
import type { Passwords } from './password.ts'

export interface PeopleDeps {
  readonly db: Db
  readonly clock: Clock
  readonly secrets: SecretBox
  readonly passwords: Passwords
  /** False: mail is switched off, and what is queued leaves when it is switched on. */
  readonly sendsMail: boolean
  /** The origin of links in mails, such as `https://tradepost.example`. */
  publicUrl(): string
}

/** What an answer to an anonymous caller needs: links in mails begin with `publicUrl`. */
export interface AnonymousAnswer {
  readonly email: string
  readonly publicUrl: string
  readonly at: Date
}
