// Guards of logins, and of what two administrators decide, that no way through the service ever meets.
import { after, before, describe, it } from 'node:test'
import { type TestDatabase, testDatabase } from '../../apps/server/src/infra/testing/database.ts'
import { newId } from '../../apps/server/src/kernel/id.ts'
import { refusedIn, type Statement } from './refused.ts'

let test: TestDatabase

before(async () => {
  test = await testDatabase({ poolSize: 2 })
})
after(() => test.close())

const refused = (name: string, ...statements: readonly Statement[]): Promise<void> =>
  refusedIn(test.db, name, ...statements)

describe('a login', () => {
  const person = (id: string): Statement => [
    `insert into people.person (id, email, password_hash, password_changed_at, created_at, updated_at)
     values ($1::uuid, $1::uuid || '@example.com', 'none', now(), now(), now())`,
    id,
  ]
  const member = (id: string, kind: string, role: string): Statement => [
    `insert into people.membership (person_id, account_id, account_kind, role, created_at)
     values ($1::uuid, $1::uuid, $2, $3, now())`,
    ...[id, kind, role],
  ]
  const session = (owner: string, account: string, token: string, id = token): Statement => [
    `insert into people.session (id, person_id, account_id, token_hash, created_at, last_seen_at, idle_until, expires_at,
       fresh_until, has_second_factor, address, user_agent)
     values ($4, $1, $2, sha256($3::text::bytea), now(), now(), now(), now(), now(), false, '::1', 'a test')`,
    ...[owner, account, token, id],
  ]
  const look = (of: string, token: string, minutes: number, reason = 'a test'): Statement => [
    `insert into people.impersonation (id, session_id, account_id, account_kind, token_hash, reason, began_at, expires_at)
     values (gen_random_uuid(), $1, gen_random_uuid(), 'merchant', sha256($2::text::bytea), $4, now(),
       now() + $3 * interval '1 minute')`,
    ...[of, token, minutes, reason],
  ]

  it('has a role of its kind of account', async () => {
    const id = newId()
    const escalated = member(id, 'merchant', 'administrator')
    await refused('membership_role_fits_kind', person(id), escalated)
  })

  it('has sessions of its memberships alone, each with a token of its own', async () => {
    const [id, token] = [newId(), newId()]
    const known = [person(id), member(id, 'merchant', 'owner')] as const
    await refused('session_membership', ...known, session(id, newId(), token))
    const again = session(id, id, token, newId())
    await refused('session_token_once', ...known, session(id, id, token), again)
  })

  it('has five tries of a challenge and three codes by mail, and sets those up in a session', async () => {
    const id = newId()
    const challenge = (tries: number, mails: number, isSetup: boolean): Statement => [
      `insert into people.challenge (id, person_id, methods, tries, codes_mailed, is_setup, created_at, expires_at)
       values ($1::uuid, $1::uuid, '{email}', $2, $3, $4, now(), now())`,
      ...[id, tries, mails, isSetup],
    ]
    await refused('challenge_bounds_tries', person(id), challenge(6, 0, false))
    await refused('challenge_bounds_mails', person(id), challenge(0, 4, false))
    await refused('challenge_setup_of_session', person(id), challenge(0, 1, true))
  })

  it('looks at another account for an hour at most, with a reason and a token of its own', async () => {
    const [id, token] = [newId(), newId()]
    const known = [
      person(id),
      member(id, 'admin', 'administrator'),
      session(id, id, token),
    ] as const
    await refused('impersonation_within_an_hour', ...known, look(token, 'x', 61))
    await refused('impersonation_has_a_reason', ...known, look(token, 'x', 60, ''))
    await refused('impersonation_token_once', ...known, look(token, 'x', 60), look(token, 'x', 60))
  })
})

describe('an adjustment', () => {
  const adjustment = (
    state: string,
    decidedBy: string | null,
    journal: string | null,
  ): Statement => [
    `insert into operations.adjustment (id, account_id, wallet, side, amount, currency, balance_before, reason, reference,
       proposed_by, proposed_at, state, decided_by, decided_at, journal_id)
     values ($1, $1, 'spot', 'credit', 1, 'USD', 0, 'a test', 'a test', $1, now(), $2, $3::uuid,
       case when $3::uuid is null then null else now() end, $4)`,
    ...[newId(), state, decidedBy, journal],
  ]

  it('is decided by a person, and posted exactly when it is approved', async () => {
    await refused('adjustment_decision_is_signed', adjustment('withdrawn', null, null))
    await refused('adjustment_posted_when_approved', adjustment('approved', newId(), null))
    await refused('adjustment_posted_when_approved', adjustment('withdrawn', newId(), newId()))
  })
})
