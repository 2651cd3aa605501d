// What changes, as it comes, for all tabs of a browser: the tab that leads waits for a change (one request,
// answered when there is one) and passes it on by a channel. A hidden tab neither leads nor waits.

export interface LiveChanges {
  /** Of a merchant or partner: the types of its events. For administrators: topics of the service. */
  readonly topics: readonly string[]
  /** What events are about: trades, deposits, withdrawals. */
  readonly subjects: readonly string[]
  /** More than one answer holds: anything may have changed. */
  readonly isMore: boolean
}

interface FollowDeps {
  /** What came after a position; waits for something to come. Null: where the changes are now, at once. */
  ask(
    position: string | null,
    signal: AbortSignal,
  ): Promise<LiveChanges & { readonly position: string }>
  /** False: asking again is in vain, because the session has ended or may not follow its account. */
  mayRetry(error: unknown): boolean
  onChanges(changes: LiveChanges): void
}

/** At least this long between two answers, so that a busy account makes no page read more often. */
const PAUSE_MS = 5_000
const FIRST_RETRY_MS = 2_000
const LAST_RETRY_MS = 60_000
/** Without an answer that the leading tab passes on for this long, nothing is followed. */
const SILENT_MS = 45_000

let answeredAt = Number.NEGATIVE_INFINITY

/** Whether changes reach this tab: what they make stale need not be asked for again and again. */
const isFollowing = (): boolean => performance.now() - answeredAt < SILENT_MS

/** Of reads that changes make stale: for what the feed may have missed. */
const FOLLOWED_MS = 30_000

/** How often such a read repeats: as often as given while nothing is followed. */
export const withoutFeed = (everyMs: number) => (): number =>
  isFollowing() ? FOLLOWED_MS : everyMs

/** Until it is stopped. `accountId` keeps the tabs of different accounts apart. */
export function followChanges(accountId: string, deps: FollowDeps): () => void {
  const name = `tradepost-changes-${accountId}`
  const channel = new BroadcastChannel(name)
  const take = (changes: LiveChanges): void => {
    answeredAt = performance.now()
    if (changes.isMore || changes.topics.length > 0) deps.onChanges(changes)
  }
  channel.onmessage = ({ data }: MessageEvent<LiveChanges>) => take(data)
  let turn: AbortController | null = null
  const onVisibility = (): void => {
    turn?.abort()
    turn = null
    if (document.hidden) return
    turn = new AbortController()
    const { signal } = turn
    const lead = (): Promise<void> =>
      waitForChanges(deps, signal, (changes) => {
        take(changes)
        channel.postMessage(changes)
      })
    // Refused when the turn ends before the lock is free.
    navigator.locks.request(name, { signal }, lead).catch(() => {})
  }
  document.addEventListener('visibilitychange', onVisibility)
  onVisibility()
  return () => {
    document.removeEventListener('visibilitychange', onVisibility)
    turn?.abort()
    channel.close()
    answeredAt = Number.NEGATIVE_INFINITY
  }
}

async function waitForChanges(
  { ask, mayRetry }: FollowDeps,
  signal: AbortSignal,
  report: (changes: LiveChanges) => void,
): Promise<void> {
  let position: string | null = null
  let retryMs = FIRST_RETRY_MS
  while (!signal.aborted) {
    try {
      const isFirst = position === null
      const { position: next, topics, subjects, isMore } = await ask(position, signal)
      if (signal.aborted) return
      position = next
      report({ topics, subjects, isMore })
      retryMs = FIRST_RETRY_MS
      if (!isFirst) await pause(PAUSE_MS, signal)
    } catch (error) {
      if (signal.aborted || !mayRetry(error)) return
      await pause(retryMs, signal)
      retryMs = Math.min(LAST_RETRY_MS, retryMs * 2)
    }
  }
}

const pause = (durationMs: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, durationMs)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
