// What this process sends is noted outside the database, and looked for in it after a failover: see
// reconciliation/placing-gate.ts.
import { hostname } from 'node:os'
import type { Clock } from '../process/clock.ts'
import { type Intent, type IntentFiles, openIntentFiles } from '../process/intent-files.ts'
import type { Db } from './db.ts'
import { readHistory } from './recovery-mark.ts'
import { listSilentSenders, openSender } from './senders.ts'

export interface Intents {
  /** Asked before an intent is committed. False: nothing may leave now, others may take this process for gone. */
  isReady(): boolean
  /** After the commit and before the call. False: the call must not leave. */
  note(intent: Intent): boolean
  /** The history in which everything that was sent was last found. */
  confirmed(): string
  /** Commits that everything was found in this history, or that its gate was closed. */
  confirm(history: string): Promise<void>
  /** Whether it is of the cluster that this process has sent for. */
  isSameCluster(history: string): boolean
  /**
   * What may be lost of it: noted since the last beat, or up to `settleMs` before. Null: the files are
   * damaged.
   */
  listRecent(settleMs: number): Intent[] | null
  /**
   * For which gates those processes may have sent that have not confirmed this history; null: for all of
   * them. A process that is gone is known by its files, where they are in this folder.
   */
  silentGates(history: string): Promise<readonly (ReadonlySet<string> | null)[]>
  beat(): Promise<void>
  stop(): Promise<void>
}

export interface IntentsOptions {
  readonly db: Db
  readonly clock: Clock
  readonly folder: string
  /** What this process may send for. */
  readonly gates: readonly string[]
  /** The files cannot be written: the next change of the history closes the gates. */
  onBroken(error: unknown): void
  readonly monotonicMs?: () => number
}

/** Refuses to start with files that others may have written. */
export async function openIntents(options: IntentsOptions): Promise<Intents> {
  const { db, clock, folder, gates, onBroken, monotonicMs = () => performance.now() } = options
  const history = await readHistory(db)
  const processId = `${hostname()}-${process.pid}-${clock.now().getTime()}-${++opened}`
  const system = clusterOf(history)
  const shared = { clock, processId, monotonicMs }
  const files = openIntentFiles({ ...shared, folder, system })
  const sender = await openSender({ ...shared, db, gates, history })
  return {
    isReady: sender.isKnown,
    note: (intent) => {
      if (!sender.isKnown()) return false
      append(files, intent, onBroken)
      return true
    },
    confirmed: sender.confirmed,
    confirm: sender.confirm,
    isSameCluster: (other) => clusterOf(other) === system,
    listRecent: (settleMs) =>
      files.readSince(sender.beatAtMs() - Math.max(settleMs, LEAST_RECENT_MS)),
    silentGates: async (of) => {
      const silent = await listSilentSenders(db, of)
      return silent.map((one) => gatesOf(files, one))
    },
    beat: async () => {
      files.tidy()
      await sender.beat()
    },
    stop: async () => {
      await sender.stop()
      files.close()
    },
  }
}

/** A settle time may be shorter than what a failover loses. */
const LEAST_RECENT_MS = 60_000

/** Of several in one process, as tests have them. */
let opened = 0

const clusterOf = (history: string): string => history.split('/')[0] ?? ''

/** Business goes on without the files, as it does without them after a failover: with the gates closed. */
function append(files: IntentFiles, intent: Intent, onBroken: IntentsOptions['onBroken']): void {
  try {
    files.append(intent)
  } catch (error) {
    onBroken(error)
  }
}

function gatesOf(
  files: IntentFiles,
  { processId, gates }: { readonly processId: string; readonly gates: readonly string[] | null },
): ReadonlySet<string> | null {
  if (gates === null) return null
  return files.gatesOf(processId) ?? new Set(gates)
}
