// Administrators with an authenticator app, for tests.
import { TOTP } from 'otpauth'
import { createAdmin } from '#identity'
import { sql } from '#infra/database/db'
import { newId } from '#kernel/id'
import { addPerson, beginTotp, enableTotp, type PeopleDeps } from '#people'

export interface Administrator {
  readonly email: string
  /** What the app shows then. */
  codeAt(at: Date): string
}

/** That in which the app is set up; it has no token, and ends with it. */
const SESSION = sql(
  'test.insert_session',
  `insert into people.session (id, person_id, account_id, token_hash, created_at, last_seen_at, idle_until,
     expires_at, fresh_until, has_second_factor, address, user_agent)
   select $1::uuid, person_id, account_id, sha256($1::uuid::text::bytea), $3, $3, $3, $3, $3, false, '127.0.0.1', 'a test'
   from people.membership where person_id = $2`,
)

export const givenAdministratorWithoutApp = (
  db: PeopleDeps['db'],
  { email, at }: { readonly email: string; readonly at: Date },
): Promise<string> =>
  db.transaction(async (tx) => {
    const { id: accountId } = await createAdmin(tx, { email, name: email, at })
    const membership = { accountId, accountKind: 'admin', role: 'administrator' } as const
    return addPerson(tx, { email, passwordHash: 'none', membership, at })
  })

export async function givenAdministrator(
  deps: Pick<PeopleDeps, 'db' | 'clock' | 'secrets'>,
  email: string,
): Promise<Administrator> {
  const { db, clock } = deps
  const at = clock.now()
  const personId = await givenAdministratorWithoutApp(db, { email, at })
  const sessionId = newId()
  await db.query(SESSION, [sessionId, personId, at])
  const { secret } = await beginTotp(deps, { personId, sessionId })
  const codeAt = (when: Date): string =>
    new TOTP({ secret }).generate({ timestamp: when.getTime() })
  // The code before this one: that of this moment is left for the test.
  const code = codeAt(new Date(at.getTime() - 30_000))
  const actor = { kind: 'administrator', id: personId, request: {} } as const
  await enableTotp(deps, { personId, sessionId, actor, code })
  return { email, codeAt }
}
