// Administrators with an authenticator app, for tests.
import { TOTP } from 'otpauth'
import { createAdmin } from '#identity'
import { newId } from '#kernel/id'
import { addPerson, beginTotp, enableTotp, type PeopleDeps } from '#people'

export interface Administrator {
  readonly email: string
  /** What the app shows then. */
  codeAt(at: Date): string
}

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
  const { secret } = await beginTotp(deps, { personId })
  const codeAt = (when: Date): string =>
    new TOTP({ secret }).generate({ timestamp: when.getTime() })
  // The code before this one: that of this moment is left for the test.
  const code = codeAt(new Date(at.getTime() - 30_000))
  const actor = { kind: 'administrator', id: personId, request: {} } as const
  await enableTotp(deps, { personId, sessionId: newId(), actor, code })
  return { email, codeAt }
}
