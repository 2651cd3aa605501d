import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type TestDatabase, testDatabase } from '#infra/testing/database'
import type { ActName } from '#kernel/act-name'
import { newId } from '#kernel/id'
import type { Act } from './entry.ts'
import { listAudit, recordAct } from './store.ts'

let database: TestDatabase
before(async () => {
  database = await testDatabase()
})
after(() => database.close())

const AT = new Date('2026-11-21T12:00:00.000Z')
const actBy = (id: string, of: Partial<Act> = {}): Act => ({
  actor: { kind: 'operator', id, request: { host: 'desk-1' } },
  act: 'trading.pause',
  subject: { type: 'trading', id: null },
  details: { reason: 'a drill', amount: 1200n },
  at: AT,
  ...of,
})
const record = (act: Act) => database.db.transaction((tx) => recordAct(tx, act))

describe('an entry of the audit log', () => {
  it('keeps the actor, the act, the subject, the details and the time', async () => {
    await record(actBy('ada'))
    const [entry] = await listAudit(database.db, { actorId: 'ada', limit: 10 })
    const { id: _, ...kept } = entry as NonNullable<typeof entry>
    const details = { reason: 'a drill', amount: '1200' }
    assert.deepEqual(kept, { ...actBy('ada', { details }), accountId: null, changes: {} })
  })

  it('is in the log of the account that it is about, or that its actor acts for', async () => {
    const accountId = newId()
    await record(actBy('ivy', { subject: { type: 'account', id: accountId } }))
    const keyAct = { act: 'key.issue', subject: { type: 'api_key', id: newId() } } as const
    await record({ ...actBy('ivy', keyAct), actor: { ...actBy('ivy').actor, accountId } })
    const change = { from: 'standard', to: 'premium' }
    await record(actBy('ivy', { accountId, changes: { tier: change } }))
    await record(actBy('ivy'))
    const entries = await listAudit(database.db, { accountId, limit: 10 })
    assert.deepEqual(
      entries.map(({ act, changes }) => [act, changes]),
      [
        ['trading.pause', { tier: change }],
        ['key.issue', {}],
        ['trading.pause', {}],
      ],
    )
    const found = { accountId, act: 'key.issue', from: AT, to: new Date(AT.getTime() + 1) }
    assert.equal((await listAudit(database.db, { ...found, limit: 10 })).length, 1)
    assert.equal((await listAudit(database.db, { ...found, to: AT, limit: 10 })).length, 0)
  })

  it('is not there when the act failed', async () => {
    const failing = database.db.transaction(async (tx) => {
      await recordAct(tx, actBy('eve'))
      throw new Error('the act failed')
    })
    await assert.rejects(failing, /the act failed/)
    assert.deepEqual(await listAudit(database.db, { actorId: 'eve', limit: 10 }), [])
  })

  for (const text of [
    `update audit.entry set actor_id = 'mallory'`,
    'delete from audit.entry',
    'truncate audit.entry',
  ]) {
    it(`survives: ${text}`, async () => {
      await record(actBy('bob'))
      await assert.rejects(database.db.script(text), /the audit log is append-only/)
      assert.equal((await listAudit(database.db, { actorId: 'bob', limit: 1 })).length, 1)
    })
  }

  it('needs an actor, and an act in its form', async () => {
    await assert.rejects(record(actBy('')), /entry_actor_named/)
    const pause = 'Pause!' as ActName
    await assert.rejects(record(actBy('ada', { act: pause })), /entry_act_form/)
  })
})

describe('the audit log', () => {
  it('is read by subject and by actor, newest first, page by page', async () => {
    const id = newId()
    const subject = { type: 'account', id }
    for (const act of ['account.suspend', 'account.reactivate', 'account.set_tier'] as const) {
      await record(actBy('carol', { act, subject }))
    }
    await record(
      actBy('carol', { act: 'account.suspend', subject: { type: 'account', id: newId() } }),
    )
    const filter = { subjectType: 'account', subjectId: id, actorId: 'carol' }
    const first = await listAudit(database.db, { ...filter, limit: 2 })
    assert.deepEqual(
      first.map(({ act }) => act),
      ['account.set_tier', 'account.reactivate'],
    )
    const rest = await listAudit(database.db, { ...filter, limit: 2, before: first[1]?.id ?? 0n })
    assert.deepEqual(
      rest.map(({ act }) => act),
      ['account.suspend'],
    )
  })
})
