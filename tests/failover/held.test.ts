import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type Held, whatIsMore } from './held.ts'

const held = (change: Partial<Held> = {}): Held => ({
  ...{ memoryMib: [200, 100], connections: 20 },
  ...change,
})

it('what grows and shrinks by itself is no finding', () => {
  assert.equal(whatIsMore(held(), held()), null)
  assert.equal(whatIsMore(held(), held({ memoryMib: [280, 60], connections: 32 })), null)
})

it('memory of one process, or connections, beyond the tolerance are named', () => {
  assert.match(whatIsMore(held(), held({ memoryMib: [200, 158] })) ?? '', /memory 200, 100 before/)
  assert.match(whatIsMore(held(), held({ connections: 33 })) ?? '', /20 connections before, 33/)
})
