// A part of a pool of connections for one kind of work, whose statements come in bursts: those beyond it wait
// for its own. Other work of the process, and of the database's machine, does not wait for the burst.

import { createFairTurns } from '../limits/fair-turns.ts'
import type { Db } from './db.ts'

/** `atOnce`: statements and transactions that hold a connection. None of them may begin another. */
export function narrowDb(db: Db, atOnce: number): Db {
  const unbounded = {
    waiting: Number.POSITIVE_INFINITY,
    waitingPerSource: Number.POSITIVE_INFINITY,
  }
  const turns = createFairTurns({ atOnce, ...unbounded }, () => {
    throw new Error('a queue without a bound is full')
  })
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => turns('', work)
  return {
    ...db,
    query: (statement, values) => inTurn(() => db.query(statement, values)),
    transaction: (work, options) => inTurn(() => db.transaction(work, options)),
    snapshot: (read) => inTurn(() => db.snapshot(read)),
  }
}
