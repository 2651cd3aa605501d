import assert from 'node:assert/strict'
import { it } from 'node:test'
import { oncePerEvent } from './once.ts'

it('an event that comes twice is handled once, also while the first is being handled', async () => {
  const handled: string[] = []
  const release = Promise.withResolvers<void>()
  const once = oncePerEvent(async ({ id }: { readonly id: string }) => {
    await release.promise
    handled.push(id)
  })
  const both = [once({ id: 'a' }), once({ id: 'a' }), once({ id: 'b' })]
  release.resolve()
  await Promise.all(both)
  await once({ id: 'a' })
  assert.deepEqual(handled, ['a', 'b'])
})

it('an event whose handler failed is handled when it comes again', async () => {
  let calls = 0
  const once = oncePerEvent(() => {
    calls++
    if (calls === 1) throw new Error('the books are closed')
  })
  await assert.rejects(once({ id: 'a' }), /closed/)
  await once({ id: 'a' })
  await once({ id: 'a' })
  assert.equal(calls, 2)
})

it('what a store of your own has seen is not handled again', async () => {
  const ids = new Set(['a'])
  const handled: string[] = []
  const seen = { has: async (id: string) => ids.has(id), add: async (id: string) => ids.add(id) }
  const once = oncePerEvent(({ id }: { readonly id: string }) => handled.push(id), { seen })
  await once({ id: 'a' })
  await once({ id: 'b' })
  assert.deepEqual([handled, [...ids]], [['b'], ['a', 'b']])
})

it('memory holds the last 10,000 ids', async () => {
  let calls = 0
  const once = oncePerEvent(() => calls++)
  for (let i = 0; i < 10_001; i++) await once({ id: String(i) })
  await once({ id: '10000' })
  assert.equal(calls, 10_001)
  await once({ id: '0' })
  assert.equal(calls, 10_002)
})
