import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { manualClock } from '#infra/testing/clock'
import { type TestDatabase, testDatabase } from '#infra/testing/database'
import { changeKey } from './administration.ts'
import { createTokenAuthorizer, type TokenSubject } from './authorize-token.ts'
import { suspendSubUser } from './change-sub-user.ts'
import { createCallerFinder } from './find-callers.ts'
import { createKeyChecker, issueKey, revokeKey } from './keys.ts'
import { AT, aMerchant, aSubUser } from './testing/accounts.ts'

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
  subject = { accountId, tenantId: merchantId, keyId, address: '203.0.113.7' }
})

const authorize = (of: TokenSubject = subject) =>
  createTokenAuthorizer({
    findCaller: createCallerFinder(database.db),
    isGoodKey: createKeyChecker({ db: database.db, clock }),
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

  it('that a person of the merchant asked for needs no key, and the merchant needs to be active', async () => {
    const own = { ...subject, accountId: subject.tenantId, keyId: subject.tenantId }
    assert.equal((await authorize(own))?.id, subject.tenantId)
    const { id: other } = await aMerchant(database.db)
    assert.equal(await authorize({ ...own, keyId: other }), null)
    await database.db.transaction((tx) => suspendSubUser(tx, subject.tenantId, AT))
    assert.equal(await authorize(own), null)
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
