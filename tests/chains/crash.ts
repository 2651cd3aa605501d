// Ends a process between any two of its steps: the n-th call of a node or of the database, or the moment
// after a commit, throws. What was committed stays, as after a kill.
import type { Db, Queryable, Tx } from '../../apps/server/src/infra/database/db.ts'
import type { ChainNode } from '../../apps/server/src/modules/crypto/chains/ports.ts'

export class Crash extends Error {}

export interface Steps {
  /** How many were taken. */
  readonly taken: number
  readonly node: ChainNode
  readonly db: Db
}

/** `crashAt` counts from 1; a number beyond the steps of the work crashes nothing. */
export function createSteps(
  { db, node }: { readonly db: Db; readonly node: ChainNode },
  crashAt: number,
): Steps {
  let taken = 0
  const step = (): void => {
    taken += 1
    if (taken === crashAt) throw new Crash(`step ${taken}`)
  }
  const stepped =
    <Values extends unknown[], Result>(call: (...values: Values) => Promise<Result>) =>
    async (...values: Values): Promise<Result> => {
      step()
      return call(...values)
    }
  const query = (target: Queryable): Queryable['query'] => {
    return async (statement, values) => {
      step()
      return target.query(statement, values)
    }
  }
  return {
    get taken() {
      return taken
    },
    node: {
      ...node,
      head: stepped(node.head),
      header: stepped(node.header),
      block: stepped(node.block),
      transferLogs: stepped(node.transferLogs),
      internalTransfers: stepped(node.internalTransfers),
      receipt: stepped(node.receipt),
      outcomes: stepped(node.outcomes),
    },
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
