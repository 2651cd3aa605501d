// What the attackers' requests were answered. An answer that the service never should give fails its step.
import assert from 'node:assert/strict'
import type { Answer } from '../../../support/client.ts'

export interface Tally {
  readonly counts: ReadonlyMap<string, number>
  count(name: string, more?: number): void
  /** Counts an answer by its key, and returns it. */
  served<Given extends Answer<unknown>>(what: string, answer: Given): Given
}

export function createTally(): Tally {
  const counts = new Map<string, number>()
  const count = (name: string, more = 1): void => {
    counts.set(name, (counts.get(name) ?? 0) + more)
  }
  return {
    counts,
    count,
    served: (what, answer) => {
      assertServed(what, answer)
      count(`${what}: ${answer.error?.key ?? 'accepted'}`)
      return answer
    },
  }
}

/** A refusal is an answer; of the failures of a server only 503 is, which says when to come again. */
export function assertServed(
  what: string,
  { status, error }: { readonly status: number; readonly error?: { key: string } | null },
): void {
  assert.ok(status < 500 || status === 503, `${what} is answered ${status} ${error?.key ?? ''}`)
}

/** Runs the works, at most `atOnce` of them at a time, and returns their results in order. */
export async function inTurns<Result>(
  atOnce: number,
  works: readonly (() => Promise<Result>)[],
): Promise<Result[]> {
  const results: Result[] = []
  let next = 0
  const run = async (): Promise<void> => {
    for (let i = next++; i < works.length; i = next++) {
      results[i] = await (works[i] as () => Promise<Result>)()
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, works.length) }, run))
  return results
}
