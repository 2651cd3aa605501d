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

test('the message of VALIDATION_FAILED names the first field and says what is wrong, and never the value', async () => {
  const messageOf = async (body: unknown) =>
    (await server.call('POST', '/market/buy', { body })).json.error?.message
  const item = { listingId: '4700012345' }
  assert.equal(
    await messageOf({ items: [{ ...item, maxPrice: 'secret' }] }),
    'items[0].maxPrice must look like "5.50".',
  )
  assert.equal(await messageOf({}), 'items is required.')
  assert.equal(await messageOf([]), 'The body must be of type object.')
  const query = await server.call('GET', '/market/search?limit=0')
  assert.equal(query.json.error?.message, 'limit must be at least 1.')
})
