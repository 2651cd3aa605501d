// Sub-users that a person changes and deletes in the dashboard.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { cents } from '#kernel/money'
import type { MemberRole } from '#people'
import { credit } from '../../../modules/money/ledger/testing/wallets.ts'
import type { Browser } from '../testing/dashboard-server.ts'
import { givenDashboardServer } from '../testing/given-dashboard-server.ts'

const { database, server } = await givenDashboardServer()

const create = async (browser: Browser, body: object): Promise<string> =>
  (await browser.call('POST', 'users', body)).data.id

/** What the audit log says about a sub-user, newest first. */
async function actsOn(browser: Browser, id: string): Promise<unknown[]> {
  const { items } = (await browser.call('GET', `audit?subjectId=${id}`)).data
  return items.map(({ act, facts }: { act: string; facts: object }) => [act, facts])
}

it('a sub-user’s references are changed, and one that another sub-user has is refused', async () => {
  const developer = await server.loggedIn('developer')
  const id = await create(developer, { externalId: 'anna', email: 'anna@example.com' })
  await create(developer, { externalId: 'bela' })
  const change = (body: object) => developer.call('PATCH', `users/${id}`, body)
  const taken = await change({ externalId: 'bela' })
  assert.deepEqual([taken.status, taken.key], [409, 'EXTERNAL_ID_TAKEN'])
  assert.equal((await change({ email: 'new@example.com' })).status, 200)
  const { externalId, email } = (await developer.call('GET', `users/${id}`)).data
  assert.deepEqual([externalId, email], ['anna', 'new@example.com'])
  assert.deepEqual(await actsOn(developer, id), [['sub_user.update', { email: 'new@example.com' }]])
})

it('a sub-user is shown with what it has used of its limits, which the merchant interface leaves out', async () => {
  const developer = await server.loggedIn('developer')
  const id = await create(developer, { externalId: 'limited' })
  assert.equal((await developer.call('GET', `users/${id}`)).data.used, null)
  const limits = { perDayCents: 8000, openTrades: 2 }
  const changed = await developer.call('PATCH', `users/${id}`, { limits })
  assert.equal('used' in changed.data, false)
  const shown = (await developer.call('GET', `users/${id}`)).data
  assert.deepEqual(shown.limits, limits)
  assert.deepEqual(shown.used, { dayCents: 0, openTrades: 0 })
})

it('a sub-user is deleted once its wallet is empty, and its external id stays taken', async () => {
  const developer = await server.loggedIn('developer')
  const full = await create(developer, { externalId: 'carla' })
  const empty = await create(developer, { externalId: 'dora' })
  await credit(database.db, { id: full, currency: 'USD' }, cents(1n))
  const refused = await developer.call('DELETE', `users/${full}`)
  assert.deepEqual([refused.status, refused.key], [409, 'USER_HAS_FUNDS_OR_OPEN_TRADES'])
  assert.deepEqual(await actsOn(developer, full), [])
  const deleted = await developer.call('DELETE', `users/${empty}`)
  assert.deepEqual([deleted.status, deleted.data.status], [200, 'deleted'])
  assert.equal((await developer.call('GET', `users/${empty}`)).key, 'USER_NOT_FOUND')
  assert.equal((await developer.call('POST', 'users', { externalId: 'dora' })).key, 'USER_DELETED')
  assert.deepEqual(await actsOn(developer, empty), [['sub_user.delete', {}]])
})

for (const role of ['finance', 'read_only'] satisfies MemberRole[]) {
  it(`neither is done as ${role}`, async () => {
    const member = await server.loggedIn(role)
    for (const [method, body] of [['PATCH', { externalId: 'x' }], ['DELETE']] as const) {
      assert.equal((await member.call(method, 'users/anyone', body)).key, 'FORBIDDEN')
    }
  })
}
