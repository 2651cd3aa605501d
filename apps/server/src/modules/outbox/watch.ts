// Waiting for news: one look at the database serves everybody in this process who waits, however many
// they are. A notice says that something was told, the look says to whom.
import type { Db } from '#infra/db'
import { type Mark, marksWithNews } from './store.ts'

export interface NewsWatch {
  /**
   * True once the merchant may have news beyond the position; false when the time is over, when the wait
   * was ended, or when somebody else needs the place. False promises nothing: there may be news.
   */
  wait(mark: Mark, durationMs: number): Promise<boolean>
  /** Ends every wait now, with false. */
  endWaits(): void
  /** Ends every wait; later ones end at once. */
  stop(): Promise<void>
}

export interface NewsWatchDeps {
  readonly db: Db
  /** A look failed; the next one comes by itself. */
  onError(error: unknown): void
  readonly limits?: Partial<WatchLimits>
}

export interface WatchLimits {
  /** Waits of one process, and of one merchant in it: one more ends the oldest. */
  readonly waits: number
  readonly waitsOfMerchant: number
  /** Notices come in bursts; one look serves all of this time. */
  readonly minPauseMs: number
  /** A look even when nothing was heard. */
  readonly lookEveryMs: number
}

export const DISPATCH_CHANNEL = 'outbox_dispatched'

const LIMITS: WatchLimits = {
  waits: 1000,
  waitsOfMerchant: 8,
  minPauseMs: 50,
  lookEveryMs: 5000,
}

interface Wait extends Mark {
  end(hasNews: boolean): void
}

/** Listens until it is stopped. */
export async function watchNews(deps: NewsWatchDeps): Promise<NewsWatch> {
  const limits = { ...LIMITS, ...deps.limits }
  // In the order in which they came.
  const waits = new Set<Wait>()
  const look = async (): Promise<void> => {
    if (waits.size === 0) return
    const asked = [...waits]
    const found = new Set((await marksWithNews(deps.db, distinct(asked))).map(keyOf))
    for (const wait of asked) if (found.has(keyOf(wait))) wait.end(true)
  }
  const looks = createLooks({ look, limits, onError: deps.onError, isIdle: () => waits.size === 0 })
  const unlisten = await deps.db.listen(DISPATCH_CHANNEL, looks.soon)
  let isStopped = false
  const endWaits = (): void => {
    for (const wait of waits) wait.end(false)
  }

  return {
    wait: ({ merchantId, position }, durationMs) => {
      if (isStopped || durationMs <= 0) return Promise.resolve(false)
      makeRoom(waits, merchantId, limits)
      return new Promise((resolve) => {
        const wait: Wait = {
          merchantId,
          position,
          end: (hasNews) => {
            clearTimeout(timer)
            waits.delete(wait)
            resolve(hasNews)
          },
        }
        const timer = setTimeout(() => wait.end(false), durationMs)
        waits.add(wait)
        // What was told between the caller's own look and this wait had its notice already.
        looks.soon()
      })
    },
    endWaits,
    stop: async () => {
      isStopped = true
      endWaits()
      await Promise.all([looks.stop(), unlisten()])
    },
  }
}

const keyOf = ({ merchantId, position }: Mark): string => `${merchantId} ${position}`

const distinct = (marks: readonly Mark[]): Mark[] => [
  ...new Map(marks.map((mark) => [keyOf(mark), mark])).values(),
]

/** The oldest waits go first: their callers are the likeliest to have gone away. */
function makeRoom(
  waits: ReadonlySet<Wait>,
  merchantId: string,
  { waits: most, waitsOfMerchant }: WatchLimits,
): void {
  const own = [...waits].filter((wait) => wait.merchantId === merchantId)
  if (own.length >= waitsOfMerchant) own[0]?.end(false)
  const [oldest] = waits
  if (waits.size >= most) oldest?.end(false)
}

interface Looks {
  /** A look will begin after this, soon; many calls make one. */
  soon(): void
  stop(): Promise<void>
}

/** One look at a time, not more often than `minPauseMs`, and none while nobody waits. */
function createLooks({
  look,
  limits,
  onError,
  isIdle,
}: {
  look(): Promise<void>
  limits: WatchLimits
  onError(error: unknown): void
  isIdle(): boolean
}): Looks {
  let timer: NodeJS.Timeout | undefined
  let isDue = false
  let running: Promise<void> | null = null
  let isStopped = false

  const begin = (): void => {
    timer = undefined
    isDue = false
    running = look()
      .catch(onError)
      .then(() => {
        running = null
        if (isStopped || isIdle()) isDue = false
        else schedule(isDue ? limits.minPauseMs : limits.lookEveryMs)
      })
  }
  const schedule = (afterMs: number): void => {
    clearTimeout(timer)
    timer = setTimeout(begin, afterMs)
  }

  return {
    soon: () => {
      if (isStopped || isDue || isIdle()) return
      isDue = true
      if (running === null) schedule(limits.minPauseMs)
    },
    stop: async () => {
      isStopped = true
      clearTimeout(timer)
      await running
    },
  }
}
