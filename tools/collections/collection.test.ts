import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openapiDocuments } from '@tradepost/contract'
import { collectionOf } from './collection.ts'

const { folders } = collectionOf(
  JSON.parse(JSON.stringify(openapiDocuments.merchant?.() ?? assert.fail())),
)
const bodyOf = (method: string, path: string): Record<string, unknown> => {
  const found = folders
    .flatMap(({ requests }) => requests)
    .find((one) => one.method === method && one.path === path)
  return JSON.parse(found?.body ?? assert.fail(`${method} ${path} has no body`))
}

test('what a request makes keeps its own external id, also once a variable names another', () => {
  assert.equal(bodyOf('POST', '/merchant/users').externalId, 'user-77')
  const { items } = bodyOf('POST', '/market/buy') as { items: Record<string, unknown>[] }
  assert.deepEqual([items[0]?.listingId, items[0]?.externalId], ['{{listingId}}', 'order-1001-a'])
})

test('what a request names that is there already is a variable', () => {
  assert.equal(bodyOf('POST', '/payout/crypto/withdrawals').forUser, '{{userId}}')
  assert.equal(bodyOf('POST', '/market/orders').itemId, '{{itemId}}')
})
