import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  KEY_SCOPES,
  type KeyScope,
  merchantRouteList,
  merchantRoutes,
  partnerRouteList,
} from '@tradepost/contract'
import { manualClock } from '#infra/testing/clock'
import { createAuthenticator } from '../merchant/authenticate.ts'
import { operation } from '../merchant/operation.ts'
import { createPartnerAuthenticator } from '../partner/authenticate.ts'
import { operation as partnerOperation } from '../partner/operation.ts'
import { createPartnerInterface } from '../partner/partner-interface.ts'
import type { KeyRecord } from '../shared/ports.ts'
import { type Envelope, keyRecord, SUB_USER_ID, startTestServer } from '../shared/testing/server.ts'

const NOW = new Date('2026-11-21T12:00:00Z')
const OTHER_ID = '019aa000-0000-7000-8000-000000000003'

/** Both interfaces with every route of the contract; the secret of a key is the name of its record. */
async function startWith(t: TestContext, records: Record<string, Partial<KeyRecord>>) {
  const ran: string[] = []
  const clock = manualClock(NOW)
  const deps = {
    findKey: async (secret: string) => keyRecord(records[secret] ?? assert.fail(secret)),
    looksLikeKey: () => true,
    clock,
  }
  const noted = (id: string) => async () => {
    ran.push(id)
    return {} as never
  }
  const partner = createPartnerInterface({
    operations: partnerRouteList.map((route) => partnerOperation(route, noted(route.id))),
    ...createPartnerAuthenticator(deps),
    resolvePartner: async () => ({ status: 'active' }) as never,
    clock,
  })
  const server = await startTestServer({
    operations: merchantRouteList.map((route) => operation(route, noted(route.id))),
    ...createAuthenticator(deps),
    clock,
    others: [partner],
  })
  t.after(() => server.close())
  return { server, ran }
}

const pathOf = (path: string): string => path.replaceAll(/\{\w+\}/g, SUB_USER_ID)

test('a key of one scope gets through to its routes, and every other route names what it lacks', async (t) => {
  const keys = KEY_SCOPES.flatMap((scope) => [
    [`merchant-${scope}`, { scopes: [scope] }] as const,
    [`partner-${scope}`, { kind: 'partner' as const, scopes: [scope] }] as const,
  ])
  const { server, ran } = await startWith(t, Object.fromEntries(keys))
  const routes = [
    ...merchantRouteList.map((route) => ({ ...route, of: 'merchant', header: 'api-key' })),
    ...partnerRouteList.map((route) => ({ ...route, of: 'partner', header: 'x-api-key' })),
  ]
  for (const { of, header, id, method, path, scope: needed } of routes) {
    for (const scope of KEY_SCOPES) {
      const before = ran.length
      const answer = await fetch(server.url + pathOf(path), {
        method,
        headers: { [header]: `${of}-${scope}`, 'content-type': 'application/json' },
        ...(method !== 'GET' && { body: '{"unknown":true}' }),
      })
      const json = (await answer.json()) as Envelope
      // The key itself was good: what follows the scope may refuse, a path or a body that is no good.
      assert.notEqual(answer.status, 401, `${id}: ${json.error?.key}`)
      const lacks = json.error?.key === 'FORBIDDEN' ? json.error.meta?.requiredScope : null
      const isOpen = needed === 'none' || scope === needed
      assert.equal(lacks, isOpen ? null : needed, `${id} with ${scope}`)
      if (!isOpen) assert.equal(ran.length, before, `${id} ran with ${scope}`)
    }
  }
})

test('a leaked read key changes nothing: its routes are reads, look-ups and the preflight', () => {
  const reads = [...merchantRouteList, ...partnerRouteList].filter(({ scope }) => scope === 'read')
  const posts = reads.filter(({ method }) => method !== 'GET').map(({ id }) => id)
  assert.deepEqual(posts.sort(), [
    'getListingDetails',
    'lookUpItems',
    'lookUpTrades',
    'preflightBuy',
    'quotePayout',
  ])
})

test('a key without a list of scopes has all of them', async (t) => {
  const { server } = await startWith(t, { all: { scopes: null } })
  for (const { id, method, path } of merchantRouteList) {
    const body = method === 'GET' ? {} : { body: { unknown: true } }
    const answer = await server.call(method, pathOf(path), {
      headers: { 'api-key': 'all' },
      ...body,
    })
    assert.notEqual(answer.json.error?.key, 'FORBIDDEN', id)
  }
})

test('a scope is judged before the body is read, and after the key', async (t) => {
  const scopes: KeyScope[] = ['read']
  const records = { reader: { scopes }, revoked: { scopes, revoked: true } }
  const { server } = await startWith(t, records)
  const buy = async (key: string) => {
    const { path } = merchantRoutes.buy
    const answer = await server.call('POST', path, { headers: { 'api-key': key }, raw: '{"broken' })
    return answer.json.error?.key
  }
  assert.equal(await buy('reader'), 'FORBIDDEN')
  assert.equal(await buy('revoked'), 'API_KEY_REVOKED')
})

test('a key of some sub-users acts for them, and for no other', async (t) => {
  const { server } = await startWith(t, {
    hers: { accounts: [SUB_USER_ID] },
    others: { accounts: [OTHER_ID] },
  })
  const call = async (key: string, path: string, user?: string) => {
    const onBehalf = user === undefined ? {} : { 'on-behalf-of': user }
    const { json } = await server.call('GET', path, { headers: { 'api-key': key, ...onBehalf } })
    return json.error?.key
  }
  const { path } = merchantRoutes.listTradeUrls
  assert.notEqual(await call('hers', path, 'alice'), 'USER_NOT_FOUND')
  assert.notEqual(await call('hers', path, 'alice'), 'FORBIDDEN')
  assert.equal(await call('others', path, 'alice'), 'USER_NOT_FOUND')
  assert.equal(await call('hers', path), 'FORBIDDEN')
  assert.equal(await call('hers', merchantRoutes.getMerchant.path), 'FORBIDDEN')
  assert.equal(await call('hers', merchantRoutes.getMerchant.path, 'alice'), 'FORBIDDEN')
  assert.equal(await call('hers', merchantRoutes.getPayoutBalances.path), 'FORBIDDEN')
})

test('a key opens nothing from the moment that it ends', async (t) => {
  const { server } = await startWith(t, {
    ended: { endsAt: NOW },
    ending: { endsAt: new Date(NOW.getTime() + 1) },
  })
  const call = async (key: string) =>
    (await server.call('GET', '/merchant', { headers: { 'api-key': key } })).json.error?.key
  assert.equal(await call('ended'), 'INVALID_API_KEY')
  assert.notEqual(await call('ending'), 'INVALID_API_KEY')
})
