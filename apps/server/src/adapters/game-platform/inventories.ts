import type { HttpOutcome } from '#infra/http/http-client'
import type { Clock } from '#infra/process/clock'
import { createBoundedCache } from '#infra/process/memo'
import type { Inventories, Outcome, PlatformItem, ReadContext } from '#ports/selling'
import type { Log } from '../shared/feed-counters.ts'
import type { GameBook } from '../shared/game-book.ts'
import { privacyOf, readInventoryPage } from './inventory-page.ts'
import type { PlatformCalls } from './platform-calls.ts'

export interface InventoriesOptions {
  readonly communityUrl: string
  readonly platformCalls: PlatformCalls
  readonly clock: Clock
  readonly log: Log
  readonly gameBook: GameBook
  /** How long an inventory is as good as fresh: a client shows a page, shows it again, and then sells. */
  readonly keptMs: number
  readonly deadlineMs: number
}

type Answer = Outcome<{ readonly items: readonly PlatformItem[]; readonly readAt: Date }>

const ANONYMOUS = null
const MOST_PER_PAGE = 1_000
/** Storage units make inventories of several thousand; what goes on for ever is no inventory. */
const MOST_PAGES = 12
const MAX_BYTES = 24 * 1024 * 1024
/** Of all inventories together, about 50 MB; one that is under way counts as one item. */
const MOST_ITEMS_KEPT = 50_000
const RETRY_AFTER_MS = 2_000
const PRIVACY = {
  inventory_private: 'the inventory is private',
  profile_private: 'the profile shows nothing',
} as const

interface Late {
  readonly kind: 'wait'
  readonly detail: string
  readonly retryAfterMs: number
}
const NO_TURN = { kind: 'wait', detail: 'no turn within the call budget' } as const

interface Kept {
  readonly answer: Promise<Answer>
  readonly startedAtMs: number
  readonly readAtMs: number
  readonly itemCount: number
}

/** Reads inventories as an anonymous caller does: what is protected by a trade is seen by its owner alone. */
export function createInventories(options: InventoriesOptions): Inventories {
  const { clock, log, gameBook } = options
  const kept = createBoundedCache<Kept>(MOST_ITEMS_KEPT, ({ itemCount }) => itemCount + 1)
  const nowMs = (): number => clock.now().getTime()

  const readPage = async (
    platformId: string,
    { start, context }: { readonly start: string | null; readonly context: ReadContext },
  ): Promise<HttpOutcome | Late> => {
    const { tenantId, requestId } = context
    const by = { botId: ANONYMOUS, caller: { tenantId, goesOn: start !== null } }
    const retryAfterMs = await options.platformCalls.turn('inventory', by)
    if (retryAfterMs > 0) return { ...NO_TURN, retryAfterMs }
    const outcome = await options.platformCalls.send('inventory', by, {
      page: `${options.communityUrl}/profiles/${platformId}/inventory/`,
      operation: 'inventory',
      method: 'GET',
      url: `${options.communityUrl}/inventory/${platformId}/730/2`,
      query: {
        l: 'english',
        count: MOST_PER_PAGE,
        ...(start === null ? {} : { start_assetid: start }),
      },
      deadlineMs: options.deadlineMs,
      maxBytes: MAX_BYTES,
      context: { requestId },
    })
    if (outcome.kind !== 'rests') return outcome
    log.warn(
      { event: 'inventory_rate_limited', requestId },
      'inventory reads are rate limited by the platform',
    )
    return {
      kind: 'wait',
      detail: 'too many reads from our address',
      retryAfterMs: outcome.retryAfterMs,
    }
  }

  const readAll = async (platformId: string, context: ReadContext): Promise<Answer> => {
    const items = new Map<string, PlatformItem>()
    let start: string | null = null
    for (let count = 0; count < MOST_PAGES; count += 1) {
      const outcome = await readPage(platformId, { start, context })
      if (outcome.kind === 'wait') return unavailable(outcome.detail, outcome.retryAfterMs)
      if (outcome.kind !== 'answer') return unavailable(outcome.detail, RETRY_AFTER_MS)
      const reason = privacyOf(outcome)
      if (reason !== null) return { kind: 'rejected', reason, detail: PRIVACY[reason] }
      const page = await readInventoryPage(outcome.body, { contextId: '2', book: gameBook })
      if (outcome.status !== 200 || page === null) {
        return unavailable(`an inventory came with status ${outcome.status}`, RETRY_AFTER_MS)
      }
      for (const item of page.items) items.set(item.assetId, item)
      if (page.next === null) {
        return { kind: 'ok', value: { items: [...items.values()], readAt: clock.now() } }
      }
      start = page.next
    }
    return unavailable('an inventory has no last page', RETRY_AFTER_MS)
  }

  const isFresh = ({ startedAtMs, readAtMs }: Kept, { notBefore }: ReadContext): boolean =>
    nowMs() - readAtMs < options.keptMs && (notBefore === null || startedAtMs > notBefore.getTime())

  return {
    async read(platformId, context) {
      // Names of stickers are optional: only the first reader waits for them.
      void gameBook.refresh()
      // Of each tenant apart: what one has read, and how its budget stands, is nothing that another sees.
      const key = `${context.tenantId} ${platformId}`
      const known = kept.get(key)
      if (known !== undefined && isFresh(known, context)) return known.answer
      const startedAtMs = nowMs()
      const answer = readAll(platformId, context)
      const underWay = { answer, startedAtMs, readAtMs: startedAtMs, itemCount: 0 }
      kept.set(key, underWay)
      let itemCount: number | null = null
      try {
        const settled = await answer
        if (settled.kind === 'ok') itemCount = settled.value.items.length
        return settled
      } finally {
        if (kept.peek(key) === underWay) {
          // A slow platform may take longer to read than an inventory is kept: it is as old as its end. A
          // failure is nothing to serve to the next one.
          if (itemCount !== null) kept.set(key, { ...underWay, readAtMs: nowMs(), itemCount })
          else kept.delete(key)
        }
      }
    },
  }
}

const unavailable = (detail: string, retryAfterMs: number): Answer => ({
  kind: 'unavailable',
  detail,
  retryAfterMs,
})
