// What the long programs share: soaks and the attack, each a command of its own with dice of a seed.

/** The options that they share. Without `--seed` there is another one each time: it is printed. */
export const SEED = { kind: 'whole', about: 'throws the same dice again', from: 0 } as const
export const newSeed = (): number => Math.floor(Math.random() * 1_000_000)
export const WRITE = { kind: 'flag', about: 'writes its part of docs/evidence.md' } as const
export const minutesFrom = <const Default extends number>(byDefault: Default) =>
  ({ kind: 'number', about: 'for how long', from: 0.1, to: 24 * 60, byDefault }) as const

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

/**
 * Ends the program once, with what was begun last first: also by a signal, or after `mostMinutes` whatever
 * hangs. First `signal` aborts what is still running, which then fails.
 */
export function createShutdown({ mostMinutes }: { readonly mostMinutes: number }): {
  readonly signal: AbortSignal
  readonly steps: (() => unknown)[]
  end(code: number): Promise<never>
  /** Says why, unless it shuts down already. */
  fail(error: unknown): Promise<never>
} {
  const stopping = new AbortController()
  const steps: (() => unknown)[] = []
  let shutdown: Promise<never> | null = null
  const endAll = async (code: number): Promise<never> => {
    stopping.abort()
    for (let step = steps.pop(); step; step = steps.pop()) await step()
    process.exit(code)
  }
  const end = (code: number): Promise<never> => {
    shutdown ??= endAll(code)
    return shutdown
  }
  const fail = (error: unknown): Promise<never> => {
    if (shutdown === null) console.error(error)
    return end(1)
  }
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => void end(130))
  const giveUp = (): void => void fail(`it took longer than ${mostMinutes} minutes`)
  setTimeout(giveUp, mostMinutes * 60_000).unref()
  return { signal: stopping.signal, steps, end, fail }
}

export type Counts = ReadonlyMap<string, number>

/** How often each name comes. */
export function tally(names: readonly string[]): Counts {
  const counts = new Map<string, number>()
  for (const name of names.toSorted()) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

export const countsText = (counts: Counts): string =>
  counts.size === 0 ? 'none' : [...counts].map(([name, count]) => `${name} ${count}`).join(', ')
