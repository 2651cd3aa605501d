// Keeps our account at a market: what is read of it, how long its money lasts, and what is
// reported to operators.
import { countSpent, coverDaysOf, type KeptAccount, type MarketId, noteReading } from '#buying'
import type { AccountReading } from '#catalog'
import type { Db } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import type { Log } from '#infra/process/log'
import type { Metrics } from '#infra/process/metrics'
import { formatMills } from '#kernel/money'

export interface SupplierAccountDeps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  readonly market: MarketId
  /** Ours there. */
  readonly account: string
}

export interface SupplierAccount {
  note(reading: AccountReading | null): Promise<void>
  /** Of a singleton. */
  readonly figures: readonly { reset(): void }[]
}

/** A week of orders is added up so often. */
const SPEND_EVERY_MS = 300_000

export function createSupplierAccount(deps: SupplierAccountDeps): SupplierAccount {
  const { db, clock, market, account } = deps
  const of = { market, account }
  const report = createReport(deps)
  let countedAtMs = Number.NEGATIVE_INFINITY
  return {
    figures: report.figures,
    note: async (reading) => {
      const at = clock.now()
      if (at.getTime() - countedAtMs >= SPEND_EVERY_MS) {
        await countSpent(db, of, at)
        countedAtMs = at.getTime()
      }
      report.show(await noteReading(db, of, { reading, at }))
    },
  }
}

const dollarsOf = (mills: bigint): number => Number(mills) / 1000

function createReport({ log, metrics, market }: SupplierAccountDeps) {
  const labels = ['market', 'account']
  const closed = metrics.gauge(
    'market_account_closed',
    '1 while nothing may be bought with our account at a market, and because of what',
    [...labels, 'because'],
  )
  const balance = metrics.gauge('market_balance_dollars', 'Our balance at a market', labels)
  const waiting = metrics.gauge(
    'market_account_waiting_dollars',
    'What the items that wait for an account may cost together',
    labels,
  )
  const spend = metrics.gauge(
    'market_spend_dollars_7d',
    'What the orders of seven days have cost that were not given back',
    labels,
  )
  const cover = metrics.gauge(
    'market_cover_days',
    'How long the balance less the reserve lasts at the pace of seven days; absent without one',
    labels,
  )
  let shown: KeptAccount['account']['closedBecause'] = null

  const show = ({ account, figures }: KeptAccount): void => {
    const { name } = account
    if (account.balanceMills !== null) {
      balance.labels(market, name).set(dollarsOf(account.balanceMills))
    }
    waiting.labels(market, name).set(dollarsOf(figures.waitingMills))
    spend.labels(market, name).set(dollarsOf(account.spentWeekMills ?? 0n))
    const days = coverDaysOf(account)
    if (days === null) cover.remove(market, name)
    else cover.labels(market, name).set(days)
    // In question is a matter of a call; one that an operator has closed need not pay.
    const isIn = account.state === 'enabled' && account.closedBecause !== 'in_question'
    const because = isIn ? account.closedBecause : null
    if (shown !== null && shown !== because) closed.remove(market, name, shown)
    if (because !== null) closed.labels(market, name, because).set(1)
    if (because !== shown) writeLog({ account, figures }, because)
    shown = because
  }

  const writeLog = (
    { account, figures }: Pick<KeptAccount, 'account' | 'figures'>,
    because: string | null,
  ): void => {
    const { name, balanceMills, closedDetail } = account
    const fields = {
      ...{ event: 'supplier_account', market, account: name },
      balance: balanceMills === null ? null : formatMills(balanceMills),
      ...{ waiting: figures.waiting, waitingDollars: formatMills(figures.waitingMills) },
    }
    if (because === null)
      log.info(fields, 'our account at the market is closed by itself no longer')
    else {
      const closing = { ...fields, alarm: 'supplier_closed', because, detail: closedDetail }
      log.error(closing, 'our account at the market is closed: nothing is bought with it')
    }
  }

  return { show, figures: [closed, balance, waiting, spend, cover] }
}
