import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { add, count, emptySet, fullSet, has, members, remove } from './bitset.ts'
import { createOrder } from './order.ts'

test('an order stays sorted while any items move', async () => {
  const keys = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 60 })
  const moves = fc.array(fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 9 }))))
  await fc.assert(
    fc.asyncProperty(keys, moves, async (key, rounds) => {
      const compare = (left: number, right: number): number =>
        key[left]! - key[right]! || left - right
      const order = await createOrder(key.length, compare)
      for (const round of [[], ...rounds]) {
        for (const [at, value] of round) key[at % key.length] = value
        order.move(round.map(([at]) => at % key.length))
        const expected = Array.from(key.keys()).sort(compare)
        assert.deepEqual([...order.ordinals], expected)
        expected.forEach((ordinal, rank) => {
          assert.equal(order.ranks[ordinal], rank)
        })
      }
    }),
  )
})

test('a set holds what was put into it', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 200 }), fc.array(fc.nat()), (size, puts) => {
      const set = emptySet(size)
      const expected = new Set<number>()
      for (const put of puts) {
        const ordinal = put % size
        if (put % 3 === 0) {
          remove(set, ordinal)
          expected.delete(ordinal)
        } else {
          add(set, ordinal)
          expected.add(ordinal)
        }
      }
      const sorted = [...expected].sort((left, right) => left - right)
      assert.deepEqual(members(set), sorted)
      assert.equal(count(set), expected.size)
      for (let i = 0; i < size; i++) assert.equal(has(set, i), expected.has(i))
      assert.equal(count(fullSet(size)), size)
    }),
  )
})
