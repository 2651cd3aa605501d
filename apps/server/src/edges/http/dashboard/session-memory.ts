// Sessions with their accounts, remembered for a second, and for reads only. A change asks the database, and
// after it all are forgotten, whatever it changed: in its own process the end of a session, another role and
// a suspension hold from its answer on, in other processes a second later at the latest.
import { hash } from 'node:crypto'
import type { Tier } from '@tradepost/contract'
import { createSingleFlight } from '#infra/database/single-flight'
import { createKeyedMemo } from '#infra/process/memo'
import type { Session } from '#people'
import type { Tenant } from '../shared/principal.ts'

/** The account of a session, as it stands now. */
export interface SessionAccount extends Tenant {
  readonly tier: Tier
  readonly status: 'active' | 'suspended' | 'deleted'
}

export interface AccountSession {
  readonly session: Session
  readonly account: SessionAccount
}

/** Null: no session has this token. */
type Found = AccountSession | 'expired' | null

export interface SessionMemory {
  /** As the database has it now; notes its use unless a page asks without its person. */
  ask(token: string, isUse: boolean): Promise<Found>
  /** As it was within the last second; notes its use in the same way. */
  recall(token: string, isUse: boolean): Promise<Found>
  forget(): void
}

export interface SessionMemoryDeps {
  recallSession(token: string, isUse: boolean): Promise<Session | 'expired' | null>
  findAccount(accountId: string): Promise<SessionAccount | null>
  now(): Date
}

const REMEMBER_MS = 1000
const MAX_REMEMBERED = 10_000

/** A session of an account that is deleted has expired. */
export const sessionOf = (
  session: Session,
  account: SessionAccount | null,
): AccountSession | 'expired' =>
  account === null || account.status === 'deleted' ? 'expired' : { session, account }

export function createSessionMemory({
  recallSession,
  findAccount,
  now,
}: SessionMemoryDeps): SessionMemory {
  const known = createKeyedMemo<Found>({
    ...{ clock: { now }, freshMs: REMEMBER_MS, max: MAX_REMEMBERED },
    // What is not good now may be so at once: a new session, and guesses push out no session.
    isKept: (found) => found !== null && found !== 'expired',
  })
  const read = async (token: string, isUse: boolean): Promise<Found> => {
    const session = await recallSession(token, isUse)
    if (session === null || session === 'expired') return session
    return sessionOf(session, await findAccount(session.membership.accountId))
  }
  /** Changes that one page asks for together. */
  const asked = createSingleFlight<Found>()
  // By its hash, so that a dump of this memory gives no session away. What was read without a person answers
  // none: its use would not be noted.
  const keyOf = (token: string, isUse: boolean): string =>
    `${hash('sha256', token, 'base64url')} ${isUse}`
  return {
    ask: (token, isUse) => asked(keyOf(token, isUse), () => read(token, isUse)),
    recall: (token, isUse) => known(keyOf(token, isUse), () => read(token, isUse)),
    forget: known.forget,
  }
}
