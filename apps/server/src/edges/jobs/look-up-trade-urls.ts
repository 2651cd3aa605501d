// Asks the platform about the trade URLs that the processes of requests want to know, and says who is asked.
import {
  type AnsweringDeps,
  createAnswering,
  purgeLookUps,
  TRADE_URLS_DUE,
  type TradeUrlSource,
  writeTradeUrlSource,
} from '#identity'
import type { Job } from '#infra/jobs/jobs'
import type { Log } from '#infra/process/log'

export interface LookUpJobDeps extends AnsweringDeps {
  readonly log: Log
  /** Whether we have accounts on the platform. */
  readonly hasBots: () => Promise<boolean>
}

const KEPT_MS = 86_400_000
const PURGED_AT_ONCE = 1000

export function createLookUpTradeUrls(deps: LookUpJobDeps): Job[] {
  const { db, clock } = deps
  const answer = createAnswering(deps)
  const saySource = createSourceNote(deps)
  return [
    {
      name: 'look-up-trade-urls',
      everyMs: 500,
      due: { question: TRADE_URLS_DUE },
      wakeOn: ['trade_url_asked'],
      async work({ signal }) {
        await saySource()
        return answer(signal)
      },
    },
    {
      name: 'purge-trade-url-look-ups',
      everyMs: 600_000,
      singleton: true,
      work: async () => {
        const before = new Date(clock.now().getTime() - KEPT_MS)
        return (await purgeLookUps(db, { before, limit: PURGED_AT_ONCE })) === PURGED_AT_ONCE
      },
    },
  ]
}

/** Said at the start, and again when it has changed. */
function createSourceNote({ db, log, market, hasBots }: LookUpJobDeps): () => Promise<void> {
  let said: TradeUrlSource | null = null
  return async () => {
    const source = (await hasBots()) ? 'bots' : market === null ? 'none' : 'market_b'
    if (source === said) return
    await writeTradeUrlSource(db, source)
    said = source
    log.info({ tradeUrls: source }, 'who is asked about trade URLs')
  }
}
