// Keys that a person bounds in the dashboard, and what a call with one then may do.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { KEY_SCOPES } from '@tradepost/contract'
import { createKeyRequestNotes } from '#identity'
import { newId } from '#kernel/id'
import { givenDashboardServer } from '../testing/given-dashboard-server.ts'

const { server, database } = await givenDashboardServer()

const BOUNDS = {
  scopes: ['read', 'buy'],
  accounts: null,
  expiresAt: '2030-01-01T00:00:00.000Z',
  spendLimit: { amountCents: 5000, window: 'day' },
}

describe('a key', () => {
  it('without bounds shows that it has none', async () => {
    const developer = await server.loggedIn('developer')
    const { data } = await developer.call('POST', 'keys', { name: 'k' })
    const { scopes, accounts, expiresAt, spendLimit, spentCents } = data
    assert.deepEqual(
      { scopes, accounts, expiresAt, spendLimit, spentCents },
      { scopes: KEY_SCOPES, accounts: null, expiresAt: null, spendLimit: null, spentCents: 0 },
    )
  })

  it('is created with bounds, changed, and keeps over a rotation what is left out', async () => {
    const developer = await server.loggedIn('developer')
    const { id: userId } = (await developer.call('POST', 'users', { externalId: 'anna' })).data
    const created = await developer.call('POST', 'keys', {
      name: 'k',
      ...BOUNDS,
      accounts: [userId],
    })
    assert.equal(created.status, 201)
    const boundsOf = ({ scopes, accounts, expiresAt, spendLimit }: typeof created.data) => ({
      ...{ scopes, accounts, expiresAt, spendLimit },
    })
    assert.deepEqual(boundsOf(created.data), { ...BOUNDS, accounts: [userId] })
    const path = `keys/${created.data.id}`
    const narrowed = await developer.call('PATCH', path, { scopes: ['read'] })
    assert.deepEqual(boundsOf(narrowed.data), { ...BOUNDS, scopes: ['read'], accounts: [userId] })
    const rotated = await developer.call('POST', `${path}/rotate`, { overlapHours: 1 })
    assert.equal(rotated.status, 201, JSON.stringify(rotated))
    assert.deepEqual(boundsOf(rotated.data), boundsOf(narrowed.data))
    const lifted = { accounts: null, expiresAt: null, spendLimit: null }
    const wide = await developer.call('PATCH', `keys/${rotated.data.id}`, lifted)
    assert.equal(wide.status, 200, JSON.stringify(wide))
    assert.deepEqual(boundsOf(wide.data), { scopes: ['read'], ...lifted })
    // The old key shared the limit.
    const old = (await developer.call('GET', 'keys')).data.find(
      ({ id }: { id: string }) => id === created.data.id,
    )
    assert.equal(old.spendLimit, null)
    const { items } = (await developer.call('GET', `audit?subjectId=${created.data.id}`)).data
    const acts = items.map(({ act }: { act: string }) => act)
    assert.deepEqual(acts, ['key.rotate', 'key.change', 'key.issue'])
  })

  for (const [what, body] of [
    ['a scope that does not exist', { scopes: ['everything'] }],
    ['no scope', { scopes: [] }],
    ['one scope twice', { scopes: ['read', 'read'] }],
    ['101 accounts', { accounts: Array.from({ length: 101 }, () => newId()) }],
    ['no account', { accounts: [] }],
    ['an account that is no id', { accounts: ['anna'] }],
    ['a limit of nothing', { spendLimit: { amountCents: 0, window: 'day' } }],
    ['a limit with a fraction of a cent', { spendLimit: { amountCents: 1.5, window: 'day' } }],
    ['a window of a week', { spendLimit: { amountCents: 1, window: 'week' } }],
    ['a limit with a field that is unknown', { spendLimit: { ...BOUNDS.spendLimit, x: 1 } }],
    ['an end that is no time', { expiresAt: 'tomorrow' }],
    ['a field that is unknown', { scope: 'read' }],
    ['a name of 64 kB', { name: 'n'.repeat(65_536) }],
  ] as const) {
    it(`with ${what} is refused, and nothing is kept`, async () => {
      const developer = await server.loggedIn('developer')
      const refused = await developer.call('POST', 'keys', { name: 'k', ...body })
      assert.deepEqual([refused.status, refused.key], [422, 'VALIDATION_FAILED'])
      assert.deepEqual((await developer.call('GET', 'keys')).data, [])
    })
  }

  it('takes sub-users by UUID, and says so to who names one by its externalId', async () => {
    const developer = await server.loggedIn('developer')
    await developer.call('POST', 'users', { externalId: 'anna' })
    const { meta } = await developer.call('POST', 'keys', { name: 'k', accounts: ['anna'] })
    const [problem] = meta.errors
    assert.equal(problem.pointer, '/accounts/0')
    assert.match(problem.message, /^must be a valid uuid, such as "[0-9a-f-]{36}"$/)
  })

  it('of sub-users that are another merchant’s, deleted or none is refused, when created and when changed', async () => {
    const developer = await server.loggedIn('developer')
    const other = await server.loggedIn('developer')
    const create = async (browser: typeof developer, externalId: string): Promise<string> =>
      (await browser.call('POST', 'users', { externalId })).data.id
    const [own, foreign, deleted] = [
      await create(developer, 'own'),
      await create(other, 'foreign'),
      await create(developer, 'deleted'),
    ]
    await developer.call('DELETE', `users/${deleted}`)
    const key = (await developer.call('POST', 'keys', { name: 'k', accounts: [own] })).data
    for (const unknown of [foreign, deleted, newId()]) {
      const accounts = [own, unknown]
      const created = await developer.call('POST', 'keys', { name: 'k', accounts })
      const changed = await developer.call('PATCH', `keys/${key.id}`, { accounts })
      assert.deepEqual([created.key, changed.key], ['USER_NOT_FOUND', 'USER_NOT_FOUND'])
    }
    const keys = (await developer.call('GET', 'keys')).data
    assert.deepEqual(
      keys.map(({ accounts }: { accounts: string[] }) => accounts),
      [[own]],
    )
  })

  for (const role of ['finance', 'read_only'] as const) {
    it(`is bounded by no ${role} member`, async () => {
      const member = await server.loggedIn(role)
      const refused = await member.call('POST', 'keys', { name: 'k', ...BOUNDS })
      assert.equal(refused.key, 'FORBIDDEN')
    })
  }
})

describe('the requests of a key', () => {
  const note = async (tenantId: string, keyId: string, routes: readonly string[]) => {
    const { db } = database
    const notes = createKeyRequestNotes({
      ...{ db, clock: server.clock, onDropped: assert.fail },
      onError: (error) => assert.fail(String(error)),
    })
    for (const route of routes) {
      notes.note(tenantId, {
        ...{ id: newId(server.clock.now().getTime()), keyId, startedAt: server.clock.now() },
        ...{ durationMs: 3, method: 'GET', route, status: 404, errorKey: 'TRADE_NOT_FOUND' },
        tradeId: null,
      })
    }
    await notes.stop()
  }
  const routesIn = ({
    data,
  }: {
    readonly data: { readonly items: { readonly route: string }[] }
  }) => data.items.map(({ route }) => route)

  it('are shown to its account and to administrators, and to no other account', async () => {
    const [owner, other, partner, admin] = [
      await server.loggedIn('read_only'),
      await server.loggedIn('owner'),
      await server.partner('owner'),
      await server.loggedIn('administrator'),
    ]
    const developer = await server.loggedIn('developer')
    const own = (await developer.call('POST', 'keys', { name: 'k' })).data.id
    await note(developer.accountId, own, ['/merchant/trades/{tradeId}', '/user/wallet'])
    const path = `keys/${own}/requests`
    const shown = await developer.call('GET', `${path}?route=trades&status=4xx&limit=1`)
    assert.deepEqual(shown.data.items, [
      {
        ...{ id: shown.data.items[0].id, startedAt: server.clock.now().toISOString() },
        ...{ durationMs: 3, method: 'GET', route: '/merchant/trades/{tradeId}', status: 404 },
        ...{ error: 'TRADE_NOT_FOUND', tradeId: null },
      },
    ])
    assert.deepEqual(routesIn(await developer.call('GET', `${path}?error=OTHER`)), [])
    for (const otherTenant of [owner, other]) {
      assert.equal((await otherTenant.call('GET', path)).key, 'NOT_FOUND')
    }
    const browser = server.browser()
    await browser.logIn(partner.email)
    assert.equal((await browser.call('GET', path)).key, 'NOT_FOUND')
    assert.equal(routesIn(await admin.call('GET', `admin/${path}`)).length, 2)
    assert.equal((await admin.call('GET', `admin/keys/${newId()}/requests`)).key, 'NOT_FOUND')
    assert.equal((await developer.call('GET', `admin/${path}`)).key, 'FORBIDDEN')
  })

  it('of a child are shown to its partner, and to no other', async () => {
    const [own, foreign] = [await server.partner(), await server.partner()]
    const partner = server.browser()
    await partner.logIn(own.email)
    await partner.call('POST', 'partner/children', { email: 'c@keys.example' })
    const [child] = (await partner.call('GET', 'partner/children')).data.items
    const children = `partner/children/${child.id}/keys`
    const [key] = (await partner.call('GET', children)).data
    await note(child.id, key.id, ['/v2/market/buy'])
    const path = `${children}/${key.id}/requests`
    assert.deepEqual(routesIn(await partner.call('GET', path)), ['/v2/market/buy'])
    assert.equal((await partner.call('GET', `keys/${key.id}/requests`)).key, 'NOT_FOUND')
    server.nextMinute()
    const otherTenant = server.browser()
    await otherTenant.logIn(foreign.email)
    assert.equal((await otherTenant.call('GET', path)).key, 'USER_NOT_FOUND')
  })
})
