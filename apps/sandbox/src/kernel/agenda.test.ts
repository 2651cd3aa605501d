import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAgenda } from './agenda.ts'
import { throwDice } from './dice.ts'

test('entries are taken by time, and in the order of addition for equal times', () => {
  const agenda = createAgenda<string>()
  agenda.add(30, 'late')
  agenda.add(10, 'first')
  agenda.add(20, 'second')
  agenda.add(10, 'first too')

  const out: (string | undefined)[] = []
  for (let count = 0; count < 5; count += 1) out.push(agenda.takeDue(100))
  assert.deepEqual(out, ['first', 'first too', 'second', 'late', undefined])
})

test('an entry stays until it is due', () => {
  const agenda = createAgenda<string>()
  agenda.add(50, 'later')
  assert.equal(agenda.takeDue(49), undefined)
  assert.equal(agenda.nextAtMs(), 50)
  assert.equal(agenda.takeDue(50), 'later')
  assert.equal(agenda.nextAtMs(), null)
})

test('a thousand entries in any order are taken in order', () => {
  const agenda = createAgenda<number>()
  const times = Array.from({ length: 1_000 }, (_, index) => throwDice('time', index) % 10_000)
  for (const time of times) agenda.add(time, time)
  const out: number[] = []
  for (let next = agenda.takeDue(10_000); next !== undefined; next = agenda.takeDue(10_000)) {
    out.push(next)
  }
  assert.deepEqual(
    out,
    times.toSorted((left, right) => left - right),
  )
})
