import assert from 'node:assert/strict'
import { it } from 'node:test'
import { CannotCome, until } from './until.ts'

it('what fails is looked at again until it is there', async () => {
  let looks = 0
  const look = (): number => {
    if (++looks < 3) throw new Error('not yet')
    return looks
  }
  assert.equal(await until('the third look', look), 3)
})

it('what is not there within its time is named, with the last error', async () => {
  const look = (): never => {
    throw new Error('refused', { cause: new Error('closed') })
  }
  await assert.rejects(until('an answer', look, { deadlineMs: 1 }), {
    message: 'an answer: not within 1 ms: refused: closed',
  })
})

it('what cannot come any more ends the wait at its first look', async () => {
  let looks = 0
  const look = (): never => {
    looks++
    throw new CannotCome('it is canceled')
  }
  await assert.rejects(until('the delivery', look), { message: 'the delivery: it is canceled' })
  assert.equal(looks, 1)
})

it('a signal ends the wait with its reason, and nothing is looked at after it', async () => {
  const stopping = new AbortController()
  let looks = 0
  const look = (): false => {
    looks++
    stopping.abort(new Error('another part has failed'))
    return false
  }
  await assert.rejects(until('the end', look, { signal: stopping.signal }), {
    message: 'another part has failed',
  })
  assert.equal(looks, 1)
})
