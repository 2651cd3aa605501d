// Clients that act again and again, with pauses of random length, until they are stopped.
import { AssertionError } from 'node:assert/strict'
import type { Dice } from '../dice.ts'

export interface Clients {
  /** No client pauses until the returned function is called. */
  hurry(): () => void
  /** Resolves when no act is under way; throws what broke a promise of the service. */
  stop(): Promise<void>
}

export interface ClientsOptions {
  readonly count: number
  readonly meanPauseMs: number
  readonly throwDice: Dice
  act(): Promise<void>
  /** Processes and databases are killed all the time: an act that was cut off is no fault. */
  onCutOff(error: unknown): void
}

export function startClients(options: ClientsOptions): Clients {
  const { count, meanPauseMs, throwDice } = options
  const pausing = new Set<() => void>()
  let isStopped = false
  let isHurried = false
  let broken: AssertionError | null = null
  const pause = (): Promise<void> =>
    new Promise((resolve) => {
      const go = (): void => {
        clearTimeout(timer)
        pausing.delete(go)
        resolve()
      }
      const timer = setTimeout(go, isHurried ? 0 : throwDice() * 2 * meanPauseMs)
      pausing.add(go)
    })
  const run = async (): Promise<void> => {
    while (!isStopped) {
      try {
        await options.act()
      } catch (error) {
        if (error instanceof AssertionError) {
          broken = error
          return
        }
        options.onCutOff(error)
      }
      if (!isStopped) await pause()
    }
  }
  const running = Array.from({ length: count }, run)
  const wake = (): void => {
    for (const go of [...pausing]) go()
  }
  return {
    hurry: () => {
      isHurried = true
      wake()
      return () => {
        isHurried = false
      }
    },
    stop: async () => {
      isStopped = true
      wake()
      await Promise.all(running)
      if (broken !== null) throw broken
    },
  }
}
