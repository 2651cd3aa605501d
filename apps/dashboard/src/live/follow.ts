// The events of the account as they come, for all tabs of a browser: the tab that leads waits on the feed
// (one request, answered when there is an event) and passes them on by a channel. A hidden tab neither leads
// nor waits.

export interface LiveEvents {
  readonly types: readonly string[]
  /** What they are about: trades, deposits, withdrawals. */
  readonly subjects: readonly string[]
  /** More than one answer holds: anything may have changed. */
  readonly isMore: boolean
}

interface FeedPage {
  readonly items: readonly { readonly type: string; readonly data: object }[]
  readonly nextCursor: string | null
}

interface FollowDeps {
  /** The newest event: null when there is none. */
  newest(): Promise<string | null>
  /** What came after; waits for something to come. */
  after(position: string | null, signal: AbortSignal): Promise<FeedPage>
  /** False: asking again is in vain, because the session has ended or the feed is not for its account. */
  mayRetry(error: unknown): boolean
  onEvents(events: LiveEvents): void
}

export const PAGE_EVENTS = 50
/** At least this long between two answers, so that a busy account makes no page read more often. */
const PAUSE_MS = 5_000
const FIRST_RETRY_MS = 2_000
const LAST_RETRY_MS = 60_000
/** Without an answer that the leading tab passes on for this long, nothing is followed. */
const SILENT_MS = 45_000

let answeredAt = Number.NEGATIVE_INFINITY

/** Whether events reach this tab: what they make stale need not be asked for again and again. */
const isFollowing = (): boolean => performance.now() - answeredAt < SILENT_MS

/** Of reads that events make stale: for what the feed may have missed. */
const FOLLOWED_MS = 30_000

/** How often such a read repeats: as often as given while nothing is followed. */
export const withoutFeed = (everyMs: number) => (): number =>
  isFollowing() ? FOLLOWED_MS : everyMs

/** Until it is stopped. `accountId` keeps the tabs of different accounts apart. */
export function followEvents(accountId: string, deps: FollowDeps): () => void {
  const name = `tradepost-events-${accountId}`
  const channel = new BroadcastChannel(name)
  const take = (events: LiveEvents): void => {
    answeredAt = performance.now()
    if (events.types.length > 0) deps.onEvents(events)
  }
  channel.onmessage = ({ data }: MessageEvent<LiveEvents>) => take(data)
  let turn: AbortController | null = null
  const onVisibility = (): void => {
    turn?.abort()
    turn = null
    if (document.hidden) return
    turn = new AbortController()
    const { signal } = turn
    const lead = (): Promise<void> =>
      waitOnFeed(deps, signal, (events) => {
        take(events)
        channel.postMessage(events)
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

const NOTHING: LiveEvents = { types: [], subjects: [], isMore: false }

async function waitOnFeed(
  { newest, after, mayRetry }: FollowDeps,
  signal: AbortSignal,
  report: (events: LiveEvents) => void,
): Promise<void> {
  let position: string | null | undefined
  let retryMs = FIRST_RETRY_MS
  while (!signal.aborted) {
    try {
      if (position === undefined) {
        position = await newest()
        report(NOTHING)
      }
      const page: FeedPage = await after(position, signal)
      const isMore = page.items.length === PAGE_EVENTS
      // A feed that is further than a page is not caught up with: what it changed is read anew.
      position = isMore ? await newest() : page.nextCursor
      report({ ...summaryOf(page), isMore })
      retryMs = FIRST_RETRY_MS
      await pause(PAUSE_MS, signal)
    } catch (error) {
      if (signal.aborted || !mayRetry(error)) return
      await pause(retryMs, signal)
      retryMs = Math.min(LAST_RETRY_MS, retryMs * 2)
    }
  }
}

interface Subjects {
  readonly trade?: { readonly id: string }
  readonly deposit?: { readonly id: string }
  readonly withdrawal?: { readonly id: string }
}

const summaryOf = ({ items }: FeedPage): Pick<LiveEvents, 'types' | 'subjects'> => ({
  types: [...new Set(items.map(({ type }) => type))],
  subjects: [
    ...new Set(
      items.flatMap(({ data }) => {
        const { trade, deposit, withdrawal } = data as Subjects
        return [trade?.id, deposit?.id, withdrawal?.id].filter((id) => id !== undefined)
      }),
    ),
  ],
})

const pause = (durationMs: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, durationMs)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
