import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../../infra/testing/until.ts'
import { createMadeLate } from './made-late.ts'

test('a part is made once: at its first use, or after the start when nothing used it', async () => {
  const made: string[] = []
  const late = createMadeLate({ afterMs: 0, everyMs: 0 })
  const [used, unused] = ['used', 'unused'].map((name) =>
    late.part(() => {
      made.push(name)
      return name
    }),
  )
  assert.deepEqual(made, [], 'nothing is made before')
  assert.equal(used?.(), 'used')
  assert.equal(used?.(), 'used')
  late.begin()
  await until('the rest is made', () => made.length === 2)
  assert.equal(unused?.(), 'unused')
  assert.deepEqual(made, ['used', 'unused'])
})

test('what is not made yet when it stops is made by its first use alone', async () => {
  let isMade = false
  const late = createMadeLate({ afterMs: 0, everyMs: 0 })
  const part = late.part(() => {
    isMade = true
    return 1
  })
  late.begin()
  late.stop()
  let hasPassed = false
  const later = createMadeLate({ afterMs: 0, everyMs: 0 })
  later.part(() => {
    hasPassed = true
  })
  later.begin()
  await until('its time has passed', () => hasPassed)
  assert.equal(isMade, false)
  assert.equal(part(), 1)
})
