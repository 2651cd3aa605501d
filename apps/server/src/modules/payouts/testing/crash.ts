// Ends a process between any two of its steps: the n-th call of a node, the signer or the database, or the
// moment after a commit, throws. What was committed, signed or sent stays, as after a kill.
import type { Db, Queryable, Tx } from '#infra/db'
import type { BroadcastNode, Signer } from '#ports/outbound'

export class Crash extends Error {}

export interface Steps {
  readonly taken: () => number
  readonly db: Db
  readonly node: BroadcastNode
  readonly signer: Signer
}

/** `crashAt` counts from 1; a number beyond the steps of the work crashes nothing. */
export function createSteps(
  { db, node, signer }: { db: Db; node: BroadcastNode; signer: Signer },
  crashAt: number,
): Steps {
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
  const query = (target: Queryable): Queryable['query'] => {
    return async (statement, values) => {
      step()
      return target.query(statement, values)
    }
  }
  return {
    taken: () => taken,
    node: { ...node, send: around(node.send), receipt: around(node.receipt) },
    signer: { address: signer.address, sign: around(signer.sign) },
    db: {
      ...db,
      query: query(db),
      transaction: async (work) => {
        const result = await db.transaction((tx) => work({ ...tx, query: query(tx) } as Tx))
        step()
        return result
      },
    },
  }
}
