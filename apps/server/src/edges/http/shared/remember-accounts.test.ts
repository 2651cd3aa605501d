import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock } from '../../../infra/testing/clock.ts'
import type { ActingAccount, Tenant } from './principal.ts'
import { rememberAccounts } from './remember-accounts.ts'

const merchant = { id: 'm1' } as Tenant
const other = { id: 'm2' } as Tenant

function counted(answer: (reference: string | null) => ActingAccount | null) {
  const clock = manualClock()
  const asked: string[] = []
  const find = rememberAccounts({
    resolve: async ({ id }: Tenant, reference: string | null) => {
      asked.push(`${id}:${reference}`)
      return answer(reference)
    },
    keyOf: ({ id }, reference) => `${id} ${reference ?? ''}`,
    clock,
  })
  return { find, asked, clock }
}

const accountOf = (reference: string | null): ActingAccount =>
  ({ id: reference ?? 'own' }) as ActingAccount

test('an account is read once a second', async () => {
  const { find, asked, clock } = counted(accountOf)
  await find(merchant, 'alice')
  clock.advance(999)
  assert.equal((await find(merchant, 'alice'))?.id, 'alice')
  assert.equal(asked.length, 1)
  clock.advance(1)
  await find(merchant, 'alice')
  assert.equal(asked.length, 2)
})

test('accounts are distinguished by merchant and by reference', async () => {
  const { find, asked } = counted(accountOf)
  for (const who of [merchant, other])
    for (const name of [null, 'alice', 'bob']) await find(who, name)
  assert.equal(asked.length, 6)
  assert.equal((await find(other, null))?.id, 'own')
  assert.equal((await find(other, 'bob'))?.id, 'bob')
})

test('an unknown reference is not remembered: a new sub-user is found at once', async () => {
  let exists = false
  const { find } = counted((reference) => (exists ? accountOf(reference) : null))
  assert.equal(await find(merchant, 'carol'), null)
  exists = true
  assert.equal((await find(merchant, 'carol'))?.id, 'carol')
})
