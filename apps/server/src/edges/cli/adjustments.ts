// Adjustments of wallets on the command line, by two administrators: one proposes, another one approves, here
// or in the dashboard. Each sees the posting before they give the code of their authenticator app.
import type { Actor } from '#audit'
import { newId } from '#kernel/id'
import { type Cents, formatCents, parseAmount } from '#kernel/money'
import type { WalletKind } from '#ledger'
import {
  type Adjustment,
  approveAdjustment,
  listAdjustments,
  type ProposedAdjustment,
  planAdjustment,
  proposeAdjustment,
  readAdjustment,
  withdrawAdjustment,
} from '#operations'
import { proveAdministrator, readPersonEmails } from '#people'
import { type Context, fail, findAccountOf, type Named, usage } from './context.ts'
import {
  ANY_ACCOUNT,
  AS_JSON,
  argument,
  command,
  needs,
  option,
  REASON,
  uuid,
  words,
  wrong,
} from './declare.ts'
import { shownPosting } from './posting.ts'
import { json, table } from './table.ts'

const MOST_LISTED = 200
const STATES = ['proposed', 'approved', 'withdrawn', 'all'] as const
const NO_CODE =
  'Refused: no code was given. Run the command again, and type the six digits that the authenticator app shows.'

function amountOf(text: string): Cents {
  const amount = parseAmount(text)
  return amount !== null && amount > 0n ? amount : wrong('An amount is a decimal such as 250.00.')
}

const ID = argument('<id>', '`adjust list` shows them', uuid)
const BY = [
  '--as <e-mail>',
  'an administrator, who gives a code of their authenticator app',
] as const
const AS = option(...BY)
const PROPOSAL = [
  argument('<amount>', 'such as 250.00', amountOf),
  ...ANY_ACCOUNT,
  needs('--reference <text>', 'it posts once under it', words),
  REASON,
  option('--wallet <wallet>', 'of the account', ['spot', 'earnings'], 'spot'),
  ...[AS, AS_JSON],
] as const

export const adjustmentCommands = [
  command(
    'wallet:credit',
    'money that arrived outside; the same as adjust credit',
    ...PROPOSAL,
  ).does((context, amount, order) => propose(context, 'credit', amount, order)),
  command(
    'adjust credit',
    'credit a wallet: shows the posting; with --as an administrator proposes it',
    ...PROPOSAL,
  ).does((context, amount, order) => propose(context, 'credit', amount, order)),
  command('adjust debit', 'take money back, in the same way', ...PROPOSAL).does(
    (context, amount, order) => propose(context, 'debit', amount, order),
  ),
  command(
    'adjust list',
    'the newest adjustments by state',
    option('--state <state>', 'which', STATES, 'proposed'),
    AS_JSON,
  ).does(list),
  command('adjust show', 'an adjustment', ID, AS_JSON).does(async (context, id, options) => {
    const [shown] = await named(context, [await readAdjustment(context, id)])
    return shown && !options.json ? detailsOf(shown) : json(shown, 2)
  }),
  command(
    'adjust approve',
    'shows the posting; with --as another administrator posts it',
    ...[ID, AS, AS_JSON],
  ).does(approve),
  command('adjust withdraw', 'withdraw a proposal', ID, REASON, needs(...BY)).does(
    async (context, id, { reason, as }) => {
      const found = await readAdjustment(context, id)
      const actor = await administratorOf(context, as, detailsOf(found))
      const { state } = await withdrawAdjustment(context, actor, { id: found.id, reason })
      return `It is ${state}.`
    },
  ),
]

interface Order extends Named {
  readonly reference: string
  readonly reason: string
  readonly wallet: WalletKind
  readonly as?: string
  readonly json?: true
}

async function propose(
  context: Context,
  side: Adjustment['side'],
  amount: Cents,
  { account, merchant, as, json: asJson, ...details }: Order,
): Promise<string> {
  const named = account ?? merchant ?? usage('name an account with --account <id, e-mail or name>')
  const { id: accountId } = await findAccountOf(context, named)
  const order = { accountId, side, amount, ...details }
  const plan = await planAdjustment(context.db, order)
  if (plan.balanceAfter < 0n) {
    return fail(`the wallet holds ${formatCents(plan.balanceBefore)} only`)
  }
  const posting = `for ${await nameOfAccount(context, accountId)}\n${shownPosting(plan)}`
  if (as === undefined) {
    return `${posting}\nNothing is proposed yet. Run the command again with --as <your e-mail address>.`
  }
  const actor = await administratorOf(context, as, posting)
  const proposed = await proposeAdjustment(context, actor, { id: newId(), ...order })
  if (asJson) return json(proposed, 2)
  return (
    `Proposed as ${proposed.id}. Nothing is posted before another administrator approves it, within ` +
    `72 hours, in the dashboard or with: npm run ops -- adjust approve ${proposed.id} --as <e-mail>`
  )
}

async function approve(
  context: Context,
  id: string,
  options: { readonly as?: string; readonly json?: true },
): Promise<string> {
  const found = await readAdjustment(context, id)
  const [{ proposedBy } = found] = await named(context, [found])
  const details = `${detailsOf(found)}\nproposed by ${proposedBy}, for ${await nameOfAccount(context, found.accountId)}`
  const posting = `${details}\n${shownPosting(await planAdjustment(context.db, found))}`
  if (found.state !== 'proposed') return `${posting}\nIt is ${found.state}.`
  if (options.as === undefined) {
    return `${posting}\nNothing is posted yet. Run the command again with --as <your e-mail address>.`
  }
  if (options.as.toLowerCase() === proposedBy.toLowerCase()) {
    return fail(`${proposedBy} proposed it: another administrator has to approve it.`)
  }
  const actor = await administratorOf(context, options.as, posting)
  const approved = await approveAdjustment(context, actor, found.id)
  if (options.json) return json(approved, 2)
  return approved.state === 'approved'
    ? `Posted as ${approved.journalId}.`
    : `Nothing is posted: it is ${approved.state}.`
}

async function list(
  context: Context,
  { state, ...options }: { readonly state: (typeof STATES)[number]; readonly json?: true },
): Promise<string> {
  const found = await listAdjustments(context, {
    state: state === 'all' ? null : state,
    ...{ cursor: null, limit: MOST_LISTED },
  })
  const shown = await named(context, found)
  if (options.json) return json(shown, 2)
  if (shown.length === 0) {
    const which = state === 'proposed' ? 'open ' : state === 'all' ? '' : `${state} `
    return `No ${which}adjustments.`
  }
  const rows = shown.map((each) => ({
    ...each,
    amount: `${formatCents(each.amount)} ${each.currency}`,
  }))
  return table(rows, [
    ...['id', 'state', 'side', 'amount', 'wallet', 'accountId', 'proposedBy', 'proposedAt'],
    ...['reference', 'reason'],
  ])
}

/** `First merchant, owner@example.com`: two people compare no ids. */
async function nameOfAccount(context: Context, id: string): Promise<string> {
  const { name, email } = await findAccountOf(context, id)
  return [name, email].filter(Boolean).join(', ') || id
}

/** With the e-mail addresses of its administrators in the place of their ids. */
async function named(
  { db }: Context,
  found: readonly ProposedAdjustment[],
): Promise<ProposedAdjustment[]> {
  const ids = found.flatMap(({ proposedBy, decidedBy }) => [proposedBy, decidedBy ?? ''])
  const names = await readPersonEmails(db, ids)
  return found.map((each) => ({
    ...each,
    proposedBy: names.get(each.proposedBy) ?? each.proposedBy,
    decidedBy: each.decidedBy && (names.get(each.decidedBy) ?? each.decidedBy),
  }))
}

const detailsOf = ({ id, state, side, wallet, reference, reason }: ProposedAdjustment): string =>
  `${side} of the ${wallet} wallet, ${state} as ${id}: ${reason} (${reference})`

/** Who is meant by --as, after they have seen `about` and given the code of their authenticator app. */
export async function administratorOf(
  context: Context,
  email: string,
  about: string,
): Promise<Actor> {
  const { actor, ask } = context
  const secrets = context.openSecrets()
  const code = await ask(`${about}\nCode of the authenticator app of ${email}: `)
  if (code.trim() === '') return fail(NO_CODE)
  const id = await proveAdministrator({ ...context, secrets }, { email, code: code.trim() })
  const request = { ...actor.request, operator: actor.id }
  return { kind: 'administrator', id, request }
}
