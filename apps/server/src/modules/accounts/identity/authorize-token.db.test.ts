import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, beforeEach, describe, it } from 'node:test'
import { sql } from '#infra/database/db'
import { manualClock } from '#infra/testing/clock'
import { type TestDatabase, testDatabase } from '#infra/testing/database'
import { newId } from '#kernel/id'
import { insertMembership } from '../people/store/members.ts'
import { insertPerson } from '../people/store/people.ts'
import { endSession, insertSession, sessionReadsAccount } from '../people/store/sessions.ts'
import { changeKey } from './administration.ts'
import { createTokenAuthorizer, type TokenSubject } from './authorize-token.ts'
import { suspendSubUser } from './change-sub-user.ts'
import { createCallerFinder } from './find-callers.ts'
import { createKeyChecker, issueKey, revokeKey } from './keys.ts'
import { AT, aMerchant, aSubUser } from './testing/accounts.ts'

const END_MEMBERSHIP = sql(
  'test.end_membership',
  'update people.membership set ended_at = $2 where person_id = $1',
)

let database: TestDatabase
let subject: TokenSubject
const clock = manualClock(AT)

before(async () => {
  database = await testDatabase()
})
after(() => database.close())
beforeEach(async () => {
  const { db } = database
  const { id: merchantId } = await aMerchant(db)
  const { id: accountId } = await aSubUser(db, merchantId)
  const key = {
    accountId: merchantId,
    kind: 'merchant',
    name: 'k',
    environment: 'test',
    at: AT,
  } as const
  const { id: keyId } = await db.transaction((tx) => issueKey(tx, key))
  subject = { accountId, tenantId: merchantId, keyId, address: '203.0.113.7', session: null }
})

const authorize = (of: TokenSubject = subject) =>
  createTokenAuthorizer({
    findCaller: createCallerFinder(database.db),
    isGoodKey: createKeyChecker({ db: database.db, clock }),
    isGoodSession: (session) => sessionReadsAccount(database.db, { ...session, at: clock.now() }),
  })(of)

describe('a token', () => {
  it('opens its sub-user, or the merchant itself', async () => {
    assert.equal((await authorize())?.id, subject.accountId)
    const own = { ...subject, accountId: subject.tenantId }
    assert.equal((await authorize(own))?.role, 'merchant')
  })

  it('of a revoked key opens nothing', async () => {
    await database.db.transaction((tx) => revokeKey(tx, subject.keyId, AT))
    assert.equal(await authorize(), null)
  })

  it('asked for at an address that its key may no longer be used at opens nothing', async () => {
    const allow = (allowlist: readonly string[]) =>
      database.db.transaction((tx) => changeKey(tx, subject.keyId, { allowlist }, new Date()))
    await allow(['198.51.100.0/24', '203.0.113.0/24'])
    assert.equal((await authorize())?.id, subject.accountId)
    await allow(['198.51.100.0/24'])
    assert.equal(await authorize(), null)
    assert.ok(await authorize({ ...subject, address: '198.51.100.1' }))
    assert.equal(await authorize({ ...subject, address: 'unknown' }), null)
    await allow([])
    assert.equal((await authorize())?.id, subject.accountId)
  })

  it('that a person asked for opens their merchant while their session and membership last', async () => {
    const { db } = database
    const aPerson = async (): Promise<TokenSubject> => {
      const [personId, sessionId] = [newId(), newId()]
      const [accountId, hour] = [subject.tenantId, new Date(AT.getTime() + 3_600_000)]
      await db.transaction(async (tx) => {
        await insertPerson(tx, {
          ...{ id: personId, email: `${personId}@example.com`, passwordHash: 'none' },
          ...{ emailVerifiedAt: AT, at: AT },
        })
        const membership = { accountId, accountKind: 'merchant', role: 'read_only' } as const
        await insertMembership(tx, { personId, ...membership, at: AT })
        await insertSession(tx, {
          ...{ id: sessionId, personId, accountId, at: AT, tokenHash: randomBytes(32) },
          ...{ idleUntil: hour, expiresAt: hour, freshUntil: AT, hasSecondFactor: false },
          ...{ address: '203.0.113.7', userAgent: '' },
        })
      })
      const { tenantId } = subject
      return { ...subject, accountId, keyId: tenantId, session: { sessionId, personId } }
    }
    const one = await aPerson()
    assert.equal((await authorize(one))?.id, subject.tenantId)
    // Not without a session, and not for another merchant.
    assert.equal(await authorize({ ...one, session: null }), null)
    const { id: other } = await aMerchant(db)
    assert.equal(await authorize({ ...one, accountId: other, tenantId: other }), null)
    const { sessionId: id, personId } = one.session ?? assert.fail()
    await endSession(db, { id, personId, at: AT })
    assert.equal(await authorize(one), null)

    const removed = await aPerson()
    await db.query(END_MEMBERSHIP, [removed.session?.personId, AT])
    assert.equal(await authorize(removed), null)

    const left = await aPerson()
    clock.advance(3_600_000)
    assert.equal(await authorize(left), null)
    clock.advance(-3_600_000)
    await db.transaction((tx) => suspendSubUser(tx, subject.tenantId, AT))
    assert.equal(await authorize(left), null)
  })

  it('of a suspended sub-user, or of a suspended merchant, opens nothing', async () => {
    await database.db.transaction((tx) => suspendSubUser(tx, subject.accountId, AT))
    assert.equal(await authorize(), null)
    const { id: other } = await aSubUser(database.db, subject.tenantId)
    assert.equal((await authorize({ ...subject, accountId: other }))?.id, other)
    await database.db.transaction((tx) => suspendSubUser(tx, subject.tenantId, AT))
    assert.equal(await authorize({ ...subject, accountId: other }), null)
  })

  it('never opens the sub-user whose external id looks like the id in the token', async () => {
    const gone = '0192f0a0-0000-7000-8000-000000000001'
    await aSubUser(database.db, subject.tenantId, { externalId: gone })
    assert.equal(await authorize({ ...subject, accountId: gone }), null)
  })
})
