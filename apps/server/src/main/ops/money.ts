// Adjustments of wallets on the command line. The posting is shown first, and made with --yes.
import { type Cents, parseAmount } from '#kernel/money'
import type { WalletKind } from '#ledger'
import {
  type Adjustment,
  adjustWallet,
  type PlannedPosting,
  planAdjustment,
  planRelease,
  releaseStrandedMoney,
} from '#operations'
import { type Command, type Context, findAccountOf, reasonOf, usage } from './invocation.ts'

export const moneyCommands: Readonly<Record<string, Command>> = {
  'wallet:credit': (context) => adjust(context, 'credit', context.argument),

  adjust: (context) => {
    const side = context.argument
    if (side !== 'credit' && side !== 'debit')
      return usage('adjust credit <amount> | debit <amount>')
    return adjust(context, side, context.more[0])
  },

  'account:release': async (context) => {
    const { id } = await findAccountOf(context, context.argument)
    const reason = reasonOf(context)
    const plan = await planRelease(context.db, id)
    if (!context.options.yes) return asked(plan)
    const { journalId } = await releaseStrandedMoney(context, context.actor, {
      accountId: id,
      reason,
    })
    return `${shown(plan)}\nPosted as ${journalId}.`
  },
}

async function adjust(
  context: Context,
  side: Adjustment['side'],
  amount: string | undefined,
): Promise<string> {
  const { db, options, command, actor } = context
  const { id } = await findAccountOf(context, options.account ?? options.merchant)
  const adjustment: Adjustment = {
    accountId: id,
    wallet: walletOf(options.wallet),
    side,
    amount: amountOf(amount),
    reason: reasonOf(context),
    reference:
      options.reference?.trim() || usage(`${command} needs --reference: it posts once under it`),
  }
  const plan = await planAdjustment(db, adjustment)
  if (!options.yes) {
    if (plan.balanceAfter < 0n) return usage(`the wallet holds ${decimal(plan.balanceBefore)} only`)
    return asked(plan)
  }
  const { journalId, replayed } = await adjustWallet(context, actor, adjustment)
  return replayed
    ? `Nothing is posted: this reference was used for the same adjustment before (${journalId}).`
    : `${shown(plan)}\nPosted as ${journalId}.`
}

const asked = (plan: PlannedPosting): string =>
  `${shown(plan)}\nNothing is posted yet. Run the command again with --yes to post it.`

const shown = ({
  from,
  to,
  amount,
  currency,
  balanceBefore,
  balanceAfter,
}: PlannedPosting): string =>
  [
    `debit    ${nameOf(from)}`,
    `credit   ${nameOf(to)}`,
    `amount   ${decimal(amount)} ${currency}`,
    `balance  ${decimal(balanceBefore)} -> ${decimal(balanceAfter)} ${currency}`,
  ].join('\n')

const nameOf = (account: PlannedPosting['from']): string =>
  'house' in account ? `house ${account.house}` : `${account.kind} of ${account.ownerId}`

const amountOf = (text: string | undefined): Cents => {
  const amount = parseAmount(text ?? '')
  return amount !== null && amount > 0n ? amount : usage('an amount is a decimal such as 250.00')
}

const walletOf = (name = 'spot'): WalletKind =>
  name === 'spot' || name === 'earnings' ? name : usage('--wallet is spot or earnings')

const decimal = (value: Cents): string => `${value / 100n}.${String(value % 100n).padStart(2, '0')}`
