// Reporting: a contradiction that was seen becomes a case, or one more sighting of one.

import type { MarketId } from '#buying'
import { type Db, isBusy, isConnectionLoss, type Queryable, type Tx } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import type { Log } from '#infra/process/log'
import {
  type CaseDetails,
  type CaseSource,
  depositSubject,
  type Finding,
  holdingSubject,
  itemSubject,
  marketSubject,
  offerSubject,
  orderSubject,
  paymentSubject,
  type Subject,
} from './case.ts'
import { reportCase } from './store/cases.ts'

export interface ReporterDeps {
  readonly db: Db
  readonly clock: Clock
  readonly source: CaseSource
  /** A case was opened: not called for further sightings of it. */
  onOpened(kind: string, details: CaseDetails & { readonly caseId: string }): void
}

/**
 * What a worker calls when it sees a contradiction. The details name the item, the order, the offer or the
 * market that it is about, in this order of preference, as `itemId`, `orderId`, `offerId` with `botId`, and
 * `market`. `notes` are what differs each time it is seen, such as a count.
 */
export type ReportCase = (kind: string, details: CaseDetails, notes?: CaseDetails) => Promise<void>

/**
 * The same within the commit of what it is about, so that a crash leaves both or neither. What it returns
 * reports that a case was opened; it is called after that commit.
 */
export type ReportCaseWithin = (tx: Tx, kind: string, details: CaseDetails) => Promise<() => void>

export type Reporter = ReportCase & { readonly within: ReportCaseWithin }

export function createReporter({ db, clock, source, onOpened }: ReporterDeps): Reporter {
  const keep = async (
    by: Queryable,
    kind: string,
    details: CaseDetails,
    notes: CaseDetails = {},
  ) => {
    const finding = { kind, subject: subjectOf(details), details, notes }
    const { caseId, isNew } = await reportCase(by, finding, { source, at: clock.now() })
    return () => {
      if (isNew) onOpened(kind, { ...details, caseId })
    }
  }
  const report: ReportCase = async (kind, details, notes) => {
    const announce = await keep(db, kind, details, notes)
    announce()
  }
  return Object.assign(report, { within: keep })
}

/**
 * Reports each of them. One that cannot be kept, for what is written in it, keeps no other back: it is logged
 * with the details that its case would have. Without a database none is kept, and the error is thrown.
 */
export async function reportEach(
  { report, log }: { readonly report: ReportCase; readonly log: Log },
  findings: readonly Finding[],
): Promise<void> {
  for (const { kind, details, notes } of findings) {
    try {
      await report(kind, details, notes)
    } catch (error) {
      if (isBusy(error) || isConnectionLoss(error)) throw error
      const what = { alarm: 'reconciliation_case', what: kind, ...details }
      log.error({ ...what, err: error }, 'a reconciliation case could not be kept')
    }
  }
}

function subjectOf(details: CaseDetails): Subject {
  const { itemId, orderId, offerId, botId, market, account, depositId } = details
  const marketId = (market as MarketId | undefined) ?? null
  if (typeof itemId === 'string') return itemSubject(itemId, marketId)
  if (typeof orderId === 'string' && marketId) return orderSubject(marketId, orderId)
  if (typeof botId === 'string' && typeof offerId === 'string') return offerSubject(botId, offerId)
  if (marketId) return marketSubject(marketId, typeof account === 'string' ? account : undefined)
  const { provider, ref } = details
  if (typeof provider === 'string' && typeof ref === 'string') return paymentSubject(provider, ref)
  if (typeof depositId === 'string') return depositSubject(depositId)
  const { chain, asset, role } = details
  if (typeof chain === 'string' && typeof asset === 'string' && typeof role === 'string') {
    return holdingSubject(chain, asset, role)
  }
  throw new TypeError(
    'a case is about an item, an order, an offer, a market, a payment, a deposit or a holding',
  )
}
