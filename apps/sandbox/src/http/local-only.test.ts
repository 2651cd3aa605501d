import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'node:test'
import { type Harness, startHarness } from '../testing/harness.ts'
import { isLoopbackAddress } from './local-only.ts'

/** `fetch` does not let a caller say its own `Host`, `Origin` or `Sec-Fetch-Site`. */
function statusOf(
  h: Harness,
  { method = 'GET', path = '/control/state', ...headers }: Record<string, string>,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = request(`${h.url}${path}`, { method, headers }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    call.on('error', reject)
    call.end()
  })
}

test('only addresses of this machine count as its own', () => {
  for (const own of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1']) {
    assert.equal(isLoopbackAddress(own), true, own)
  }
  for (const strange of ['10.0.0.5', '::ffff:10.0.0.5', '2001:db8::1', '']) {
    assert.equal(isLoopbackAddress(strange), false, strange)
  }
})

test('a program and the console itself are accepted', async (t) => {
  const h = await startHarness(t)
  const host = new URL(h.url).host
  assert.equal(await statusOf(h, {}), 200)
  assert.equal(await statusOf(h, { origin: h.url }), 200)
  assert.equal(await statusOf(h, { 'sec-fetch-site': 'same-origin' }), 200)
  const local = `localhost:${h.sandbox.port}`
  assert.equal(await statusOf(h, { host: local, origin: `http://${local}` }), 200)
  assert.equal(await statusOf(h, { host, 'sec-fetch-site': 'none' }), 200)
})

test('a page of any other origin is refused, also one of another port of this machine', async (t) => {
  const h = await startHarness(t)
  const origins = [
    'https://evil.example',
    'http://127.0.0.1:8080',
    `http://localhost:${h.sandbox.port}`,
    h.url.replace('http', 'https'),
    'null',
  ]
  for (const origin of origins) assert.equal(await statusOf(h, { origin }), 403, origin)
  for (const path of ['/control/platform', '/control/offers/9393000001/accept']) {
    assert.equal(await statusOf(h, { method: 'POST', path, origin: 'http://127.0.0.1:8080' }), 403)
  }
})

test('a script or an image of another page is refused, a link to the console is not', async (t) => {
  const h = await startHarness(t)
  for (const site of ['cross-site', 'same-site']) {
    assert.equal(await statusOf(h, { 'sec-fetch-site': site, 'sec-fetch-mode': 'no-cors' }), 403)
    const visit = { 'sec-fetch-site': site, 'sec-fetch-mode': 'navigate' }
    assert.equal(await statusOf(h, { path: '/', ...visit }), 200)
    assert.equal(await statusOf(h, { method: 'PUT', path: '/control/platform', ...visit }), 403)
  }
})

test('a name that was pointed at this machine is refused', async (t) => {
  const h = await startHarness(t)
  const hosts = ['evil.example', `evil.example:${h.sandbox.port}`, '127.0.0.1.evil.example', '[']
  for (const host of hosts) assert.equal(await statusOf(h, { host, path: '/' }), 403, host)
  assert.equal(await statusOf(h, { host: 'evil.example', origin: 'http://evil.example' }), 403)
})
