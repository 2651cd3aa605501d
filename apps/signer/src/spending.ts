// What was signed in the last 24 hours, kept in an append-only file so that a restart forgets nothing.
//
// Transactions of one sender with one nonce exclude each other: at most one of them is ever mined. So all
// signatures under one (chain, sender, nonce) count once, with the greatest amount among them, and a
// replacement with a higher fee does not use up a limit twice. An entry is on disk before its signature
// exists: after a crash the record may count what was never signed, never the other way round.
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import Type, { type Static } from 'typebox'
import { Value } from 'typebox/value'
import { CannotStart } from './cannot-start.ts'
import type { Charge } from './decide.ts'

const DAY_MS = 24 * 3_600_000

const Entry = Type.Object(
  {
    atMs: Type.Integer({ minimum: 0 }),
    budget: Type.String(),
    /** Chain, sender and nonce. */
    slot: Type.String(),
    amount: Type.String({ pattern: '^\\d{1,78}$' }),
  },
  { additionalProperties: false },
)
type Entry = Static<typeof Entry>

export interface Spending {
  /**
   * Records the charges of one signature, all or none. Answers the budget that would be exceeded, or null
   * when everything is recorded and on disk. Throws when the file cannot be written; then nothing may be
   * signed.
   */
  record(slot: string, charges: readonly Charge[]): string | null
  /** Base units spent from a budget in the last 24 hours. */
  spent(budget: string): bigint
  close(): void
}

interface Signed {
  readonly atMs: number
  readonly amount: bigint
}

/** Reads the file, drops what is older than a day, and keeps it open for appending. */
export function openSpending(path: string, now: () => number = Date.now): Spending {
  const budgets = new Map<string, Map<string, Signed>>()
  let lastMs = 0
  const remember = ({ atMs, budget, slot, amount }: Entry): void => {
    const slots = budgets.get(budget) ?? new Map<string, Signed>()
    budgets.set(budget, slots)
    const before = slots.get(slot)?.amount ?? 0n
    const charged = BigInt(amount)
    slots.set(slot, { atMs, amount: charged > before ? charged : before })
    lastMs = Math.max(lastMs, atMs)
  }
  for (const entry of readEntries(path)) remember(entry)
  // A clock that was set back must not bring an earlier day's limit again.
  const time = (): number => Math.max(lastMs, now())
  forget(budgets, time() - DAY_MS)
  rewrite(path, budgets)
  const file = openSync(path, 'a', 0o600)

  const spentWithout = (budget: string, slot: string | null): bigint => {
    let sum = 0n
    for (const [key, { amount }] of budgets.get(budget) ?? []) if (key !== slot) sum += amount
    return sum
  }

  return {
    record: (slot, charges) => {
      const atMs = time()
      forget(budgets, atMs - DAY_MS)
      for (const { budget, amount, limit } of charges) {
        const before = budgets.get(budget)?.get(slot)?.amount ?? 0n
        const counted = amount > before ? amount : before
        if (spentWithout(budget, slot) + counted > limit.perDay) return budget
      }
      const entries = charges.map(({ budget, amount }) => ({
        atMs,
        budget,
        slot,
        amount: amount.toString(),
      }))
      writeSync(file, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''))
      fsyncSync(file)
      for (const entry of entries) remember(entry)
      return null
    },
    spent: (budget) => {
      forget(budgets, time() - DAY_MS)
      return spentWithout(budget, null)
    },
    close: () => closeSync(file),
  }
}

function forget(budgets: Map<string, Map<string, Signed>>, beforeMs: number): void {
  for (const slots of budgets.values()) {
    for (const [slot, { atMs }] of slots) if (atMs <= beforeMs) slots.delete(slot)
  }
}

/** A crash can cut the last line, whose signature was never returned. A broken line elsewhere is damage. */
function readEntries(path: string): Entry[] {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
  const lines = text.split('\n')
  lines.pop()
  return lines.map((line, i) => {
    const entry = parseLine(line)
    if (entry === null) {
      throw new CannotStart(
        `${path}, line ${i + 1}, is damaged. Without the record of the last 24 hours the daily limits ` +
          'cannot be held: restore the file, or wait for a day and remove it.',
      )
    }
    return entry
  })
}

function parseLine(line: string): Entry | null {
  try {
    const value: unknown = JSON.parse(line)
    return Value.Check(Entry, value) ? value : null
  } catch {
    return null
  }
}

/** The file is replaced as a whole: a crash leaves the old one or the new one. */
function rewrite(path: string, budgets: ReadonlyMap<string, ReadonlyMap<string, Signed>>): void {
  const lines = [...budgets].flatMap(([budget, slots]) =>
    [...slots].map(
      ([slot, { atMs, amount }]) =>
        `${JSON.stringify({ atMs, budget, slot, amount: amount.toString() })}\n`,
    ),
  )
  const next = `${path}.next`
  const file = openSync(next, 'w', 0o600)
  writeSync(file, lines.join(''))
  fsyncSync(file)
  closeSync(file)
  renameSync(next, path)
  const folder = openSync(dirname(path), 'r')
  fsyncSync(folder)
  closeSync(folder)
}
