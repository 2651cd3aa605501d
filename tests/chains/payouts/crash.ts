// Ends a process between any two of its steps: the n-th statement, signature or broadcast, or the moment
// before or after a commit, throws. What was committed, signed or sent stays, as after a kill. Inside of a
// transaction and around a read of a node nothing is kept, so a crash there is one before its commit, or at
// the step before.
import type { Parts } from './environment.ts'

export class Crash extends Error {}

export interface Steps extends Parts {
  readonly taken: () => number
}

/** `crashAt` counts from 1; a number beyond the steps of the work crashes nothing. */
export function createSteps({ db, node, signer }: Parts, crashAt: number): Steps {
  let taken = 0
  const step = (): void => {
    taken += 1
    if (taken === crashAt) throw new Crash(`step ${taken}`)
  }
  const around =
    <Values extends unknown[], Result>(call: (...values: Values) => Promise<Result>) =>
    async (...values: Values): Promise<Result> => {
      step()
      const result = await call(...values)
      step()
      return result
    }
  return {
    taken: () => taken,
    node: { ...node, send: around(node.send) },
    signer: { address: signer.address, sign: around(signer.sign) },
    db: {
      ...db,
      query: async (statement, values) => {
        step()
        return db.query(statement, values)
      },
      transaction: async (work) => {
        const result = await db.transaction(async (tx) => {
          const done = await work(tx)
          step()
          return done
        })
        step()
        return result
      },
    },
  }
}

/**
 * Runs `work` with a crash at each of its steps in turn, and at last without one; each time on a new case,
 * which `ends` afterwards. Returns how many steps there were.
 */
export async function crashAtEachStep<Case extends Parts>(test: {
  readonly begin: () => Promise<Case>
  readonly work: (steps: Steps, one: Case) => Promise<unknown>
  readonly ends: (one: Case, crash: string) => Promise<unknown>
}): Promise<number> {
  for (let crashAt = 1; ; crashAt++) {
    const one = await test.begin()
    const steps = createSteps(one, crashAt)
    try {
      await test.work(steps, one)
    } catch (error) {
      if (!(error instanceof Crash)) throw error
    }
    await test.ends(one, `crash at step ${crashAt}`)
    if (steps.taken() < crashAt) return steps.taken()
  }
}
