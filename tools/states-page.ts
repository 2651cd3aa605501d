// Writes docs/states.md from the tables of steps in modules/trades/trade.ts and modules/selling/item.ts;
// with --check it only tells whether the file is fresh.
import { cents } from '../apps/server/src/kernel/money.ts'
import { SELL_TRANSITIONS } from '../apps/server/src/modules/selling/item.ts'
import {
  penaltyOf,
  STATUSES,
  type Status,
  TRANSITIONS,
} from '../apps/server/src/modules/trades/trade.ts'
import { writeOrCheck } from './generated.ts'

interface Step {
  readonly from: Status
  readonly to: Status
  readonly why: string
}

type Transitions = Readonly<Record<Status, Readonly<Partial<Record<Status, string>>>>>

const stepsOf = (transitions: Transitions): Step[] =>
  STATUSES.flatMap((from) =>
    (Object.entries(transitions[from]) as [Status, string][]).map(([to, why]) => ({
      from,
      to,
      why,
    })),
  )
const steps: readonly Step[] = stepsOf(TRANSITIONS)
const reverters = ['supplier', 'user'] as const
const ends = STATUSES.filter((status) => Object.keys(TRANSITIONS[status]).length === 0)

writeOrCheck({
  path: 'docs/states.md',
  content: page(),
  command: 'node tools/states-page.ts',
})

function page(): string {
  return [
    '# The states of a trade',
    '<!-- Made by tools/states-page.ts from modules/trades/trade.ts and modules/selling/item.ts. Edit there. -->',
    'A trade has one or more items. Each item goes its own way, only forward, and each step happens at ' +
      'most once: state, money and news are one commit. The database keeps the same table of steps ' +
      'and refuses every other.',
    '## An item of a buy',
    diagram(),
    table(steps),
    `An item ends in ${list(ends)}; from there nothing moves it any more.`,
    '## What the buyer gets back',
    'Money stays in escrow until an item ends. Of an item that cost 100.00:',
    refunds(),
    'What is refunded and what is withheld always add up to the price.',
    '## An item of a sell',
    'The states and the ways between them are the same; what moves an item is something else. Nothing ' +
      'is paid before the item is completed, so nothing is ever refunded or withheld: the payout, less ' +
      'the merchant’s fee, is the only money that moves.',
    table(stepsOf(SELL_TRANSITIONS)),
    '## A trade',
    'The status of a trade is a function of its items. While an item is still under way, it is the ' +
      `first of ${list(STATUSES.filter((status) => !ends.includes(status)))} that any item has; ` +
      `when all have ended, the first of ${list(ends)}.`,
  ]
    .join('\n\n')
    .concat('\n')
}

function diagram(): string {
  const lines = [
    `[*] --> ${STATUSES[0]}`,
    ...steps.map(({ from, to }) => `${from} --> ${to}`),
    ...ends.map((status) => `${status} --> [*]`),
  ]
  return ['```mermaid', 'stateDiagram-v2', ...lines.map((line) => `  ${line}`), '```'].join('\n')
}

function table(steps: readonly Step[]): string {
  const rows = steps.map(({ from, to, why }) => `| ${from} | ${to} | ${why} |`)
  return ['| From | To | When |', '|---|---|---|', ...rows].join('\n')
}

function refunds(): string {
  const price = cents(100_00n)
  const rows = ends
    .filter((to) => to !== 'completed')
    .flatMap((to) => (to === 'reverted' ? reverters : [null]).map((by) => ({ to, by })))
    .map(({ to, by }) => {
      const penalty = penaltyOf({ to, revertedBy: by }, price)
      const name = by === null ? to : `${to} by the ${by}`
      return `| ${name} | ${decimal(price - penalty)} | ${decimal(penalty)} |`
    })
  return ['| Ends | Refunded | Withheld |', '|---|---|---|', ...rows].join('\n')
}

function decimal(amountCents: bigint): string {
  return `${amountCents / 100n}.${String(amountCents % 100n).padStart(2, '0')}`
}

function list(statuses: readonly Status[]): string {
  return `${statuses.slice(0, -1).join(', ')} and ${statuses.at(-1)}`
}
