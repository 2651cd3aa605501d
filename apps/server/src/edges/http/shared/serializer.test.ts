import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Type } from 'typebox'
import { countingRounds } from '#infra/testing/rounds'
import { createSerializer } from './serializer.ts'

const Page = Type.Object({
  total: Type.Integer(),
  trades: Type.Array(
    Type.Object(
      { id: Type.String(), trades: Type.Array(Type.Integer()) },
      {
        additionalProperties: false,
      },
    ),
  ),
  nextCursor: Type.Union([Type.String(), Type.Null()]),
})

const page = (count: number) => ({
  total: count,
  trades: Array.from({ length: count }, (_, i) => ({ id: `"trades":[] ${i}`, trades: [] })),
  nextCursor: '"trades":[]',
})

describe('the text of an answer', () => {
  const serialize = createSerializer(Page)

  test('is at once that of a short list', () => {
    assert.deepEqual(JSON.parse(serialize(page(3)) as string), page(3))
    assert.deepEqual(JSON.parse(serialize(page(0)) as string), page(0))
  })

  test('is the same for a long list, whatever its texts say', async () => {
    assert.deepEqual(JSON.parse(await serialize(page(95))), page(95))
  })

  test('lets other work in between the pieces of a long list', async () => {
    const turns = await countingRounds(async (rounds) => {
      await serialize(page(95))
      return rounds()
    })
    assert.ok(turns >= 9, `${turns}`)
  })

  test('leaves out what the schema of an entry does not name', async () => {
    const { trades, ...rest } = page(95)
    const more = trades.map((trade) => ({ ...trade, secret: 'x' }))
    assert.ok(!(await serialize({ ...rest, trades: more })).includes('secret'))
  })

  test('is written at once where the answer is more than one list', () => {
    const two = createSerializer(
      Type.Object({ left: Type.Array(Type.Integer()), right: Type.Array(Type.Integer()) }),
    )
    const answer = { left: Array.from({ length: 50 }, (_, i) => i), right: [] }
    assert.deepEqual(JSON.parse(two(answer) as string), answer)
  })
})
