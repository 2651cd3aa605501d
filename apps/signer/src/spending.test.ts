import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import fc from 'fast-check'
import type { Charge } from './decide.ts'
import { openSpending } from './spending.ts'

const folder = mkdtempSync(join(tmpdir(), 'tradepost-signer-'))
after(() => rmSync(folder, { recursive: true, force: true }))

let files = 0
const newFile = (): string => join(folder, `${files++}.jsonl`)

const HOUR_MS = 3_600_000
const charge = (amount: bigint, perDay = 100n, budget = 'b'): Charge => ({
  budget,
  amount,
  limit: { perTransaction: perDay, perDay },
})

test('a limit of a day holds over a restart, and frees itself after 24 hours', () => {
  const path = newFile()
  let nowMs = 1_000_000_000_000
  const open = () => openSpending(path, () => nowMs)
  let spending = open()
  assert.equal(spending.record('1', [charge(60n)]), null)
  spending.close()
  spending = open()
  assert.equal(spending.record('2', [charge(41n)]), 'b')
  nowMs += 23 * HOUR_MS
  assert.equal(spending.record('2', [charge(40n)]), null)
  nowMs += HOUR_MS
  assert.equal(spending.spent('b'), 40n)
  assert.equal(spending.record('3', [charge(60n)]), null)
  spending.close()
})

test('signatures under one nonce count once, with the greatest amount', () => {
  const spending = openSpending(newFile())
  assert.equal(spending.record('same', [charge(70n)]), null)
  assert.equal(spending.record('same', [charge(90n)]), null)
  assert.equal(spending.record('same', [charge(20n)]), null)
  assert.equal(spending.spent('b'), 90n)
  assert.equal(spending.record('other', [charge(11n)]), 'b')
  spending.close()
})

test('of several charges all are recorded or none', () => {
  const spending = openSpending(newFile())
  const charges = [charge(10n, 100n, 'amount'), charge(101n, 100n, 'fees')]
  assert.equal(spending.record('1', charges), 'fees')
  assert.equal(spending.spent('amount'), 0n)
  spending.close()
})

test('a clock that was set back brings no limit again', () => {
  const path = newFile()
  const late = openSpending(path, () => 10 * 24 * HOUR_MS)
  assert.equal(late.record('1', [charge(100n)]), null)
  late.close()
  const early = openSpending(path, () => 24 * HOUR_MS)
  assert.equal(early.record('2', [charge(1n)]), 'b')
  early.close()
})

test('a last line that a crash cut off is ignored, and damage elsewhere stops the start', () => {
  const path = newFile()
  const first = openSpending(path)
  assert.equal(first.record('1', [charge(30n)]), null)
  first.close()
  appendFileSync(path, '{"atMs":1,"bud')
  const again = openSpending(path)
  assert.equal(again.spent('b'), 30n)
  assert.equal(again.record('2', [charge(10n)]), null)
  again.close()
  const text = readFileSync(path, 'utf8')
  writeFileSync(path, `{"atMs":1\n${text}`)
  assert.throws(() => openSpending(path), /line 1, is damaged/)
})

test('the record can be read by its owner only', () => {
  const path = newFile()
  openSpending(path).close()
  assert.equal(statSync(path).mode & 0o777, 0o600)
})

test('whatever is asked, restarted or replaced: no 24 hours exceed the limit', () => {
  const step = fc.record({
    slot: fc.nat(5).map(String),
    amount: fc.bigInt(1n, 60n),
    waitMs: fc.nat(8 * HOUR_MS),
    restarts: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const path = newFile()
      let nowMs = 1_000_000_000_000
      let spending = openSpending(path, () => nowMs)
      const signed: { slot: string; amount: bigint; atMs: number }[] = []
      for (const { slot, amount, waitMs, restarts } of steps) {
        nowMs += waitMs
        if (restarts) {
          spending.close()
          spending = openSpending(path, () => nowMs)
        }
        if (spending.record(slot, [charge(amount)]) === null) {
          signed.push({ slot, amount, atMs: nowMs })
        }
        // Of each nonce at most one transaction can be mined: at worst the greatest of the window.
        const worst = new Map<string, bigint>()
        for (const one of signed) {
          if (one.atMs <= nowMs - 24 * HOUR_MS) continue
          const before = worst.get(one.slot) ?? 0n
          worst.set(one.slot, one.amount > before ? one.amount : before)
        }
        const sum = [...worst.values()].reduce((total, each) => total + each, 0n)
        assert.ok(sum <= 100n, `${sum} signed within a day`)
      }
      spending.close()
    }),
    { numRuns: 100 },
  )
})
