import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MerchantOperations } from './operation.ts'

test('a route of the contract without its own operation does not compile', () => {
  type Complete<Operations> = Operations extends MerchantOperations ? true : false
  type Without = Omit<MerchantOperations, 'buy'>
  // If one of them took another value than it is given here, the types of this file would not compile.
  const all: Complete<MerchantOperations> = true
  const withoutOne: Complete<Without> = false
  const tiedToAnother: Complete<Without & { buy: MerchantOperations['quickBuy'] }> = false
  assert.deepEqual([all, withoutOne, tiedToAnother], [true, false, false])
})
