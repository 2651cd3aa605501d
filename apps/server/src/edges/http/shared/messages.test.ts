import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startTestServer, type TestServer } from './testing/server.ts'

let server: TestServer
before(async () => {
  server = await startTestServer()
})
after(() => server.close())

test('a 404 names method and path, as far as it is safe to repeat them', async () => {
  const messageOf = async (method: string, path: string) =>
    (await server.call(method, path)).json.error?.message
  assert.equal(await messageOf('PUT', '/user/wallet'), 'There is no route PUT /user/wallet.')
  assert.equal(
    await messageOf('GET', '/merchant/none?token=hunter2'),
    'There is no route GET /merchant/none.',
  )
  assert.equal(await messageOf('GET', '/a%0d%0ab<script>'), 'There is no route GET /a…b…script….')
  assert.ok(((await messageOf('GET', `/${'x'.repeat(5000)}`)) ?? '').length < 200)
})

test('the message of VALIDATION_FAILED names the first field and its rule, and never the value', async () => {
  const messageOf = async (body: unknown) =>
    (await server.call('POST', '/market/buy', { body })).json.error?.message
  const item = { listingId: '4700012345' }
  assert.equal(
    await messageOf({ items: [{ ...item, maxPrice: 'secret' }] }),
    'body /items/0/maxPrice has the wrong format, such as "5.50" (pattern).',
  )
  assert.equal(await messageOf({}), 'body /items is required (required).')
  assert.equal(await messageOf([]), 'The body must be of type object (type).')
  const query = await server.call('GET', '/market/search?limit=0')
  assert.equal(query.json.error?.message, 'query /limit must be at least 1 (minimum).')
})
