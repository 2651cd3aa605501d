import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '#kernel/refusal'
import { basketOf } from './buyer.ts'

const item = (listingId: string, externalId?: string) => ({
  listingId,
  maxPrice: '5.50',
  ...(externalId !== undefined && { externalId }),
})

test('422: two items with one external id are refused at the second of them', () => {
  const items = [item('1', 'a'), item('2', 'b'), item('3', 'a')]
  assert.throws(
    () => basketOf({ items }, 'request'),
    (error) => {
      assert.ok(error instanceof Refusal)
      assert.equal(error.key, 'VALIDATION_FAILED')
      const { errors } = error.details as { errors: [{ pointer: string; rule: string }] }
      assert.deepEqual([errors[0].pointer, errors[0].rule], ['/items/2/externalId', 'distinct'])
      return true
    },
  )
})

test('items without an external id are no repetition of one another', () => {
  const { items } = basketOf({ items: [item('1'), item('2', 'a'), item('3')] }, 'request')
  assert.deepEqual(
    items.map(({ externalId }) => externalId),
    [null, 'a', null],
  )
})
