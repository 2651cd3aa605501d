import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '#infra/process/clock'
import { createAuthenticator } from '../merchant/authenticate.ts'
import { keyRecord, startTestServer } from './testing/server.ts'

test('the address behind a trusted proxy is the forwarded one, and no other peer may name one', async () => {
  const pinned = createAuthenticator({
    findKey: async () => keyRecord({ allowlist: ['198.51.100.7'] }),
    looksLikeKey: () => true,
    clock: systemClock,
  })
  const headers = { 'x-forwarded-for': '198.51.100.7', 'x-forwarded-proto': 'https' }
  const direct = await startTestServer({ authenticate: pinned.authenticate })
  const denied = await direct.call('GET', '/user/wallet', { headers })
  await direct.close()
  assert.equal(denied.json.error?.key, 'API_KEY_IP_DENIED')

  const proxied = await startTestServer({
    authenticate: pinned.authenticate,
    trustedProxies: ['127.0.0.0/8'],
  })
  const believed = await proxied.call('GET', '/user/wallet', { headers })
  const other = await proxied.call('GET', '/user/wallet', {
    headers: { 'x-forwarded-for': '198.51.100.7, 203.0.113.1' },
  })
  const junk = await proxied.call('GET', '/user/wallet', { headers: { 'x-forwarded-for': 'junk' } })
  await proxied.close()
  assert.equal(believed.status, 200)
  assert.equal(believed.headers.get('strict-transport-security'), 'max-age=31536000')
  assert.equal(other.json.error?.key, 'API_KEY_IP_DENIED')
  assert.equal(junk.json.error?.key, 'API_KEY_IP_DENIED')
})

test('X-Forwarded-For from a peer that is not trusted is warned of once', async () => {
  const headers = { 'x-forwarded-for': '198.51.100.7' }
  const warnings = async (trustedProxies: string[]) => {
    const from = await startTestServer({ trustedProxies })
    await from.call('GET', '/user/wallet')
    for (let i = 0; i < 3; i++) await from.call('GET', '/user/wallet', { headers })
    await from.close()
    return from.lines.filter(({ event }) => event === 'untrusted_forwarded_for')
  }
  const [warning, ...more] = await warnings([])
  assert.equal(warning?.level, 'warn')
  assert.match(String(warning?.msg), /TRUSTED_PROXIES/)
  assert.deepEqual(more, [])
  assert.deepEqual(await warnings(['127.0.0.0/8']), [])
})
