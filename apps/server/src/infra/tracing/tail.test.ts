import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newId } from '#kernel/id'
import { createTail } from './tail.ts'
import { traceIdOf } from './tracing.ts'

/** The first is within every share but zero, the last in none but the whole. */
const LOWEST = `${'f'.repeat(19)}0000000000000`
const HIGHEST = 'f'.repeat(32)

function tailOf(share: number, { mostHeld = 100, mostOfOne = 100 } = {}) {
  const left: string[] = []
  let dropped = 0
  const tail = createTail<string>({
    ...{ share, mostHeld, mostOfOne },
    leave: (span) => left.push(span),
    onDropped: (count) => {
      dropped += count
    },
  })
  return { tail, left, dropped: () => dropped }
}

describe('of the traces,', () => {
  it('those of the share leave as they end, and no other', () => {
    const { tail, left } = tailOf(0.1)
    const inside = tail(LOWEST, false)
    const outside = tail(HIGHEST, false)
    inside.add('in it')
    assert.deepEqual(left, ['in it'])
    outside.add('not in it')
    outside.end()
    assert.deepEqual(left, ['in it'])
  })

  it('a share of zero is none and a share of one is all', () => {
    assert.equal(tailOf(0).tail(LOWEST, false).isSampled, false)
    assert.equal(tailOf(1).tail(HIGHEST, false).isSampled, true)
  })

  it('ids of requests are spread evenly over the share', () => {
    const { tail } = tailOf(0.1)
    const ids = Array.from({ length: 20_000 }, () => traceIdOf(newId()))
    const sampled = ids.filter((id) => tail(id, false).isSampled).length
    // Ten standard deviations: 20,000 draws of one tenth.
    assert.ok(Math.abs(sampled - 2000) < 425, `${sampled} of 20000`)
  })

  it('one that fails leaves whole, whatever the share', () => {
    const { tail, left } = tailOf(0)
    const one = tail(HIGHEST, false)
    one.add('before')
    one.hasFailed()
    one.add('after')
    one.end()
    assert.deepEqual(left, ['before', 'after'])
  })

  it('a quiet one leaves when it has done something', () => {
    const { tail, left } = tailOf(1)
    const idle = tail(LOWEST, true)
    idle.add('looked')
    idle.end()
    assert.deepEqual(left, [])
    const busy = tail(LOWEST, true)
    busy.add('looked')
    busy.hasWorked()
    busy.add('did it')
    busy.end()
    assert.deepEqual(left, ['looked', 'did it'])
  })

  it('a quiet one outside of the share does not leave for having done something', () => {
    const { tail, left } = tailOf(0)
    const one = tail(LOWEST, true)
    one.add('looked')
    one.hasWorked()
    one.end()
    assert.deepEqual(left, [])
  })
})

describe('what is held is bounded:', () => {
  it('of one trace the last spans, which show what failed', () => {
    const { tail, left, dropped } = tailOf(0, { mostOfOne: 2 })
    const one = tail(HIGHEST, false)
    for (const span of ['1', '2', '3']) one.add(span)
    one.hasFailed()
    assert.deepEqual(left, ['2', '3'])
    assert.equal(dropped(), 0)
  })

  it('of all traces together a number, beyond which each is counted, until others end', () => {
    const { tail, left, dropped } = tailOf(0, { mostHeld: 2 })
    const first = tail(HIGHEST, false)
    const second = tail(HIGHEST, false)
    for (const span of ['1', '2', '3']) first.add(span)
    second.add('4')
    assert.equal(dropped(), 2)
    first.end()
    second.add('5')
    second.hasFailed()
    assert.deepEqual(left, ['5'])
    assert.equal(dropped(), 2)
  })
})
