// What this process sends is noted outside the database, and looked for in it after a failover: see
// reconciliation/placing-gate.ts.
import { hostname } from 'node:os'
import type { Clock } from '../process/clock.ts'
import { type Intent, type IntentFiles, openIntentFiles } from '../process/intent-files.ts'
import type { Db } from './db.ts'
import { readHistory } from './recovery-mark.ts'
import { listSilentSenders, openSender } from './senders.ts'

export interface Intents {
  /** Asked before an intent is committed. False: nothing may leave, others may take this process for gone. */
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
  /** What any process has noted in this folder since then, file by file, as far as it can be read. */
  readAll(since: Date): Iterable<readonly Intent[]>
  /** Those that lived before this history and have not confirmed it. */
  listSilent(history: string): Promise<SilentProcess[]>
  beat(): Promise<void>
  stop(): Promise<void>
}

export interface SilentProcess {
  /** For which it may have sent; null: for all of them. */
  readonly gates: ReadonlySet<string> | null
  /** What it sent last, by its files; null where they are not in this folder, or say nothing certain. */
  readonly recent: readonly Intent[] | null
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
    readAll: files.readAll,
    listSilent: async (of) => (await listSilentSenders(db, of)).map((one) => lookUp(files, one)),
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

function lookUp(
  files: IntentFiles,
  { processId, gates }: { readonly processId: string; readonly gates: readonly string[] | null },
): SilentProcess {
  const found = gates === null ? null : files.readOther(processId)
  return found ?? { gates: gates === null ? null : new Set(gates), recent: null }
}
