// Faults that last for a while and pass.
import { setTimeout as sleep } from 'node:timers/promises'
import type { SandboxCall } from '../../support/sandbox-call.ts'

export interface Outage {
  readonly name: string
  /** Below the sandbox's control interface, with what begins it and what ends it. */
  readonly path: string
  readonly bad: object
  readonly good: object
}

export const OUTAGES_OF_PROVIDERS: readonly Outage[] = (
  [
    ['gateway away', '/gateway'],
    ['onramp away', '/onramp'],
    ['prices away', '/exchange'],
  ] as const
).map(([name, path]) => ({ name, path, bad: { online: false }, good: { online: true } }))

/** `staleBlocks`: so many that a node lags by. */
export const outagesOfChain = (chain: string, staleBlocks: number): readonly Outage[] =>
  (
    [
      ['node away', { online: false }, { online: true }],
      ['duplicate logs', { duplicateLogs: true }, { duplicateLogs: false }],
      ['logs missing', { noLogs: true }, { noLogs: false }],
      ['node lags', { staleBlocks }, { staleBlocks: 0 }],
      ['wrong chain id', { wrongChainId: true }, { wrongChainId: false }],
    ] as const
  ).map(([name, bad, good]) => ({ name, path: `/chains/${chain}`, bad, good }))

export interface Outages {
  begin(outage: Omit<Outage, 'name'>, ms: number): void
  /** Anything else that passes. */
  add(passing: Promise<unknown>): void
  /** Resolves when all have passed. What could not be ended is for the caller to set right. */
  over(): Promise<void>
}

export function createOutages(control: SandboxCall): Outages {
  const passing = new Set<Promise<unknown>>()
  const add = (work: Promise<unknown>): void => {
    const passes: Promise<unknown> = work.catch(() => {}).finally(() => passing.delete(passes))
    passing.add(passes)
  }
  return {
    add,
    begin: ({ path, bad, good }, ms) =>
      add(
        control('PUT', path, bad)
          .then(() => sleep(ms))
          .then(() => control('PUT', path, good)),
      ),
    over: async () => {
      await Promise.all(passing)
    },
  }
}
