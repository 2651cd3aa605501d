// What the long programs share: soaks and the attack, each a command of its own with dice of a seed.
import assert from 'node:assert/strict'

/** Without the option another seed each time: it is printed, and gives the same dice again. */
export function seedOf(option: string | undefined): number {
  const seed = Number(option ?? Math.floor(Math.random() * 1_000_000))
  assert.ok(Number.isSafeInteger(seed), '--seed is a whole number')
  return seed
}

/** At most a day. */
export function minutesOf(option: string): number {
  const minutes = Number(option)
  assert.ok(minutes > 0 && minutes <= 24 * 60, '--minutes is a number above 0')
  return minutes
}

/** Prints with the seconds since it was made. */
export function createSay(): (text: string) => void {
  const startedAt = performance.now()
  return (text) => {
    const seconds = Math.round((performance.now() - startedAt) / 1000)
    console.log(`[${String(seconds).padStart(4)} s] ${text}`)
  }
}

/**
 * Ends the program by a signal. `close` runs once: npm forwards the signal that a terminal has already sent
 * to all of its processes, and a second one by default would end the program before its children.
 */
export function closeOnSignal(close: () => Promise<unknown>): void {
  let isClosing = false
  const end = (): void => {
    if (isClosing) return
    isClosing = true
    void close().finally(() => process.exit(130))
  }
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, end)
}

export type Counts = ReadonlyMap<string, number>

export const countsText = (counts: Counts): string =>
  counts.size === 0 ? 'none' : [...counts].map(([name, count]) => `${name} ${count}`).join(', ')
