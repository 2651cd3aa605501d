import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createSaidBefore } from './said-before.ts'

const rawIds = fc.oneof(
  fc.bigInt({ min: 0n, max: 10n ** 16n }).map(String),
  fc.integer({ min: 1, max: 40 }).map(String),
  fc.constantFrom('0', '007', '1e3', '-5', 'a', '__proto__', ''),
)
const said = fc.option(fc.integer({ min: 0, max: 2 ** 52 }))

test('each listing is missing until it is shown, and says once what was said of it', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.tuple(rawIds, said), { maxLength: 3000, selector: ([rawId]) => rawId }),
      fc.array(rawIds, { maxLength: 200 }),
      (known, others) => {
        const before = createSaidBefore()
        for (const [rawId, hash] of known) before.add(rawId, hash)
        assert.equal(before.size, known.length)
        const shown = new Set<string>()
        const byId = new Map(known)
        for (const rawId of [...known.slice(0, 50).map(([id]) => id), ...others]) {
          assert.equal(before.has(rawId), byId.has(rawId) || shown.has(rawId))
          assert.equal(before.show(rawId), shown.has(rawId) ? null : (byId.get(rawId) ?? null))
          shown.add(rawId)
        }
        const missing = known.flatMap(([rawId]) => (shown.has(rawId) ? [] : rawId))
        assert.deepEqual([...before.missing()].sort(), missing.sort())
      },
    ),
    { numRuns: 50 },
  )
})

test('a million listings are a few dozen bytes each', () => {
  const before = createSaidBefore()
  const bytes = process.memoryUsage().arrayBuffers
  for (let id = 1; id <= 1_000_000; id++) before.add(String(5_600_000_000 + id), id)
  assert.ok(process.memoryUsage().arrayBuffers - bytes < 80_000_000)
  assert.equal(before.show('5600000777'), 777)
})
