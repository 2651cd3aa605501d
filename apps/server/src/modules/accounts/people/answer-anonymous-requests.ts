// What an anonymous caller asks for by an e-mail address is written down alike for every address. This is
// what happens with it afterwards, where no anonymous caller waits: only here is looked whether the address
// has an account.

import type { Db, Tx } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import type { SecretBox } from '#infra/process/secrets'
import { mailReset } from './passwords.ts'
import { recordFailure } from './record.ts'
import {
  AddressTaken,
  mailConfirmation,
  mailTaken,
  type OpenAccount,
  openPerson,
} from './register.ts'
import {
  type AnonymousRequest,
  claimAnonymousRequests,
  takeAnonymousRequest,
} from './store/anonymous-requests.ts'
import { findByEmail } from './store/people.ts'

export interface AnswerAnonymousRequestsDeps {
  readonly db: Db
  readonly clock: Clock
  readonly secrets: SecretBox
  readonly openAccount: OpenAccount
  /** An answer failed; it is tried again when its claim is over. */
  readonly onFailed: (error: unknown, request: Pick<AnonymousRequest, 'id'>) => void
}

const BATCH = 50
/** Longer than a batch takes. */
const LEASE_MS = 60_000

/** One batch, one after the other; true when it was full and more may be due. */
export async function answerAnonymousRequests(deps: AnswerAnonymousRequestsDeps): Promise<boolean> {
  const now = deps.clock.now()
  const until = new Date(now.getTime() + LEASE_MS)
  const requests = await claimAnonymousRequests(deps.db, { now, until, limit: BATCH })
  for (const request of requests) {
    await answer(deps, request).catch((error: unknown) => deps.onFailed(error, request))
  }
  return requests.length === BATCH
}

/** The answer and the end of the request are one commit: it is answered once, however often it is claimed. */
async function answer(deps: AnswerAnonymousRequestsDeps, request: AnonymousRequest): Promise<void> {
  const { db, secrets, openAccount } = deps
  const { id, email, asked, at } = request
  const once = (work: (tx: Tx) => Promise<void>): Promise<void> =>
    db.transaction(async (tx) => {
      if (await takeAnonymousRequest(tx, id)) await work(tx)
    })
  switch (asked.kind) {
    case 'register':
      try {
        return await once((tx) => openPerson(tx, secrets, { ...asked, email, at }, openAccount))
      } catch (error) {
        if (!(error instanceof AddressTaken)) throw error
        return once((tx) => mailTaken(tx, secrets, { ...asked, email, at }))
      }
    case 'resend_verification':
      return once((tx) => mailConfirmation(tx, secrets, { ...asked, email, at }))
    case 'reset_password':
      return once((tx) => mailReset(tx, secrets, { ...asked, email, at }))
    case 'failed_log_in':
      return once(async (tx) => {
        const person = await findByEmail(tx, email)
        if (person !== null) {
          await recordFailure(tx, person, asked.origin, { what: 'password', at })
        }
      })
  }
}
