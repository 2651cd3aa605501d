// The steps of a trade, into which everything that is remembered of it falls.
import type { Trade } from '@tradepost/contract'

const STEPS = ['requested', 'paid', 'placed', 'offered', 'held', 'settled', 'ended'] as const
export type StepName = (typeof STEPS)[number]

/** Where an item has come with each state. */
const STEP_OF_STATUS: Readonly<Record<Trade['status'], StepName>> = {
  initiated: 'requested',
  pending: 'placed',
  active: 'offered',
  hold: 'held',
  completed: 'settled',
  failed: 'ended',
  canceled: 'ended',
  declined: 'ended',
  reverted: 'ended',
}

const isStatus = (word: string): word is Trade['status'] => Object.hasOwn(STEP_OF_STATUS, word)

const STEP_OF_MONEY: Readonly<Record<string, StepName>> = {
  ...{ trade_payment: 'paid', buy: 'paid' },
  ...{ trade_refund: 'ended', refund: 'ended' },
  ...{ fee_credit: 'settled', settle: 'settled', trade_payout: 'settled', proceeds: 'settled' },
}

/** Of an entry of a timeline; null: it belongs to the step that the trade was in. */
export function stepOf(kind: string, what: string, status: string | null = null): StepName | null {
  if (kind === 'request') return 'requested'
  if (kind === 'money') return STEP_OF_MONEY[what] ?? null
  if (kind === 'offer') return 'offered'
  if (kind === 'order') return 'placed'
  if (kind === 'event' || kind === 'webhook') return stepOfEvent(what)
  if (kind !== 'item') return null
  const state = status ?? what
  if (what === 'replaced') return 'placed'
  return what !== 'cancel_requested' && isStatus(state) ? STEP_OF_STATUS[state] : null
}

function stepOfEvent(type: string): StepName | null {
  const what = type.replace(/^trade\./, '')
  if (what === 'refunded') return 'ended'
  if (what === 'settled') return 'settled'
  return isStatus(what) ? STEP_OF_STATUS[what] : null
}

export interface Grouped<Line> {
  readonly step: StepName
  /** Of its first line, ISO 8601. */
  readonly at: string
  /** In the order of their times; at least one. */
  readonly lines: readonly Line[]
}

/** One for each step that has lines, in the order in which the steps began. `lines` are by rising time. */
export function groupedBySteps<
  Line extends { readonly at: string; readonly step: StepName | null },
>(lines: readonly Line[]): Grouped<Line>[] {
  const groups = new Map<StepName, Line[]>()
  let current: StepName = 'requested'
  for (const line of lines) {
    const step: StepName = line.step ?? current
    // What comes late, such as a webhook that is sent again, does not set the trade back. Where one item has
    // ended, others go on.
    if (step !== 'ended' && STEPS.indexOf(step) > STEPS.indexOf(current)) current = step
    groups.set(step, [...(groups.get(step) ?? []), line])
  }
  return STEPS.flatMap((step) => {
    const own = groups.get(step)
    return own?.[0] === undefined ? [] : [{ step, at: own[0].at, lines: own }]
  }).toSorted((a, b) => a.at.localeCompare(b.at))
}
