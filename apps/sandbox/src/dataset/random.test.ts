import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashOf, randomOf, STREAM } from './random.ts'

const draw = (seed: number, stream: number, index: number): number[] => {
  const random = randomOf(seed, stream, index)
  return Array.from({ length: 8 }, () => random.unit())
}

test('the same seed, stream and index give the same draws', () => {
  assert.deepEqual(draw(1, STREAM.tick, 5), draw(1, STREAM.tick, 5))
})

test('another seed, stream or index gives other draws, beyond 32 bits as well', () => {
  const places: [number, number, number][] = [
    [1, 1, 0],
    [2, 1, 0],
    [1, 2, 0],
    [1, 1, 1],
    [1, 1, 2 ** 32],
    [1, 1, 2 ** 32 + 1],
  ]
  const firsts = new Set(places.map((place) => draw(...place)[0]))
  assert.equal(firsts.size, places.length)
})

test('first draws of neighbouring indexes are spread evenly', () => {
  const buckets = new Array<number>(16).fill(0)
  for (let index = 0; index < 16_000; index += 1) {
    const bucket = Math.floor(randomOf(7, STREAM.listing, index).unit() * 16)
    buckets[bucket] = (buckets[bucket] ?? 0) + 1
  }
  for (const count of buckets) assert.ok(count > 850 && count < 1150, `a bucket of ${count}`)
})

test('draws keep to their ranges', () => {
  const random = randomOf(3, STREAM.listing)
  const seen = new Set<number>()
  for (let round = 0; round < 2_000; round += 1) {
    const unit = random.unit()
    assert.ok(unit >= 0 && unit < 1)
    seen.add(random.between(2, 4))
    assert.ok(Number.isFinite(random.normal()))
    assert.ok(random.exponential() >= 0)
  }
  assert.deepEqual([...seen].sort(), [2, 3, 4])
  assert.throws(() => random.pick([]), RangeError)
})

test('a hash is an unsigned 32-bit number that differs between texts', () => {
  assert.notEqual(hashOf('AK-47 | Redline'), hashOf('AK-47 | Redlinf'))
  for (const text of ['', 'a', '★']) {
    assert.ok(Number.isInteger(hashOf(text)) && hashOf(text) >= 0 && hashOf(text) < 2 ** 32)
  }
})
