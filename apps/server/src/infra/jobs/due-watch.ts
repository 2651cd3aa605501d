// One question for all queues of a process: which of them have something due? Each module brings its part as
// SQL, and they are asked together in one statement ten times a second, in the place of a poll of each job.
// NOTIFY would wake as soon, but commits that notify wait for each other.

import { createHash } from 'node:crypto'
import { type Db, type Statement, sql } from '../database/db.ts'
import type { Clock } from '../process/clock.ts'
import type { Log } from '../process/log.ts'
import { startPollLoop } from './poll-loop.ts'

/** What a queue is asked. */
export interface DueQuestion {
  /** Unique. */
  readonly name: string
  /**
   * A select of one column of text: the keys for which something is due at the moment $1, each once or more
   * often. It writes and locks nothing, and an index answers it.
   */
  readonly text: string
}

/** A question whose only key is `''`. `condition`: SQL in which $1 is the moment. */
export const dueWhere = (name: string, condition: string): DueQuestion => ({
  name,
  text: `select '' where ${condition}`,
})

export interface DueWatch {
  /** `wake` is called at each look that finds the key of the question due, until it is taken back. */
  add(due: { readonly question: DueQuestion; readonly key: string }, wake: () => void): () => void
  stop(): Promise<void>
}

/** For this long at most something is due before its job is woken. */
export const LOOK_MS = 100
/** After a look that failed: every job was woken, and meets the failure itself. */
const AFTER_FAILURE_MS = 1000

export function startDueWatch({
  db,
  clock,
  log,
}: {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
}): DueWatch {
  /** By the names of their questions. */
  const watched = new Map<string, Watched>()
  let statement: Statement | null = null
  const wakeAll = (): void => {
    for (const { wakes } of watched.values()) for (const { wake } of wakes) wake()
  }
  const look = async (): Promise<void> => {
    if (watched.size === 0) return
    statement ??= statementOf(watched)
    const [row] = await db.query<Record<string, readonly string[]>>(statement, [clock.now()])
    for (const [name, { wakes }] of watched) {
      const keys = row?.[name] ?? []
      if (keys.length > 0) for (const { key, wake } of wakes) if (keys.includes(key)) wake()
    }
  }
  const loop = startPollLoop({
    pollMs: LOOK_MS,
    restMs: 0,
    run: look,
    onError: (error) => {
      log.warn({ err: error }, 'what is due could not be read')
      wakeAll()
      return { pollMs: AFTER_FAILURE_MS }
    },
  })
  return {
    add: ({ question: { name, text }, key }, wake) => {
      const one = { key, wake }
      const known = watched.get(name) ?? { text, wakes: new Set() }
      known.wakes.add(one)
      if (!watched.has(name)) {
        watched.set(name, known)
        statement = null
      }
      return () => {
        known.wakes.delete(one)
        if (known.wakes.size > 0) return
        watched.delete(name)
        statement = null
      }
    },
    stop: () => loop.stop(),
  }
}

interface Watched {
  readonly text: string
  readonly wakes: Set<{ readonly key: string; readonly wake: () => void }>
}

/** The name is of the text: a process prepares few of them, one for each set of questions. */
function statementOf(watched: ReadonlyMap<string, Watched>): Statement {
  const questions = [...watched].map(([name, { text }]) => `array(${text}) "${name}"`)
  // The moment also where no question asks for it: a parameter that is nowhere has no type.
  const text = `select $1::timestamptz "at",\n${questions.join(',\n')}`
  const digest = createHash('sha256').update(text).digest('base64url').slice(0, 16)
  return sql(`infra_due_${digest}`, text)
}
