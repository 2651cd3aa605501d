import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock } from '../../infra/testing/clock.ts'
import type { MerchantCaller } from '../shared/operation.ts'
import type { ResolvedCaller } from '../shared/ports.ts'
import { rememberCallers } from './remember-callers.ts'

const merchant = { id: 'm1' } as MerchantCaller
const other = { id: 'm2' } as MerchantCaller

function counted(answer: (reference: string | null) => ResolvedCaller | null) {
  const clock = manualClock()
  const asked: string[] = []
  const find = rememberCallers(async ({ id }, reference) => {
    asked.push(`${id}:${reference}`)
    return answer(reference)
  }, clock)
  return { find, asked, clock }
}

const callerOf = (reference: string | null): ResolvedCaller =>
  ({ account: { id: reference ?? 'own' } }) as ResolvedCaller

test('a caller is asked for once a second', async () => {
  const { find, asked, clock } = counted(callerOf)
  await find(merchant, 'alice')
  clock.advance(999)
  assert.equal((await find(merchant, 'alice'))?.account.id, 'alice')
  assert.equal(asked.length, 1)
  clock.advance(1)
  await find(merchant, 'alice')
  assert.equal(asked.length, 2)
})

test('callers are told apart by merchant and by reference', async () => {
  const { find, asked } = counted(callerOf)
  for (const who of [merchant, other])
    for (const name of [null, 'alice', 'bob']) await find(who, name)
  assert.equal(asked.length, 6)
  assert.equal((await find(other, null))?.account.id, 'own')
  assert.equal((await find(other, 'bob'))?.account.id, 'bob')
})

test('nobody is not remembered: a new sub-user is found at once', async () => {
  let exists = false
  const { find } = counted((reference) => (exists ? callerOf(reference) : null))
  assert.equal(await find(merchant, 'carol'), null)
  exists = true
  assert.equal((await find(merchant, 'carol'))?.account.id, 'carol')
})
