// Accounts and their fees on the command line.
import { TIER_BUDGETS, TIERS } from '@tradepost/contract'
import type { MerchantFees } from '#identity'
import {
  changeDebtRecovery,
  changeFees,
  changeGlobalDefault,
  changeStatus,
  changeTier,
  deleteAccount,
  openMerchant,
  openPartner,
} from '#operations'
import { type Context, findAccountOf, keyHolderOf, usage } from './context.ts'
import {
  ANY_ACCOUNT,
  AS_JSON,
  argument,
  command,
  email,
  needs,
  option,
  REASON,
  WHY,
  words,
  wrong,
} from './declare.ts'
import { json, percent } from './table.ts'

function bps(text: string): number {
  const value = Number(text)
  if (/^\d{1,5}$/.test(text) && value <= 10_000) return value
  return wrong('It is basis points from 0 to 10000: 250 is 2.5%.')
}

const EMAIL = argument('<e-mail>', 'of its owner', email)
const NAME = needs('--name <text>', 'what it is called', words)
const ACCOUNT = argument('<account>', 'by its id, e-mail or name')
const FEE = option('--fee <b>', 'the service fee on its own buys, in basis points', bps)
const BUY_FEE = option(
  '--buy-fee <b>',
  'its cut of buys by its users or children, in basis points',
  bps,
)
const FEES = [
  ...[FEE, BUY_FEE],
  option('--sell-fee <b>', "a merchant's cut of sells by its users, in basis points", bps),
  option(
    '--child-fee <b>',
    'the service fee on buys by its users without one of their own, in basis points',
    bps,
  ),
] as const

export const accountCommands = [
  command(
    'merchant:create',
    'open a merchant; the answer says what to do next',
    ...[EMAIL, NAME],
    option('--currency <currency>', 'of its wallets', ['USD', 'EUR'], 'USD'),
    option('--tier <tier>', 'its request budget', TIERS, 'standard'),
    ...[...FEES, AS_JSON],
  ).does(async (context, email, { name, currency, tier, ...options }) => {
    const fees = {
      ...{ feeBps: 500, buyFeeBps: 0, sellFeeBps: 0, childDefaultFeeBps: null },
      ...feesOf(options),
    }
    const id = await openMerchant(context, context.actor, {
      ...{ email, name, currency, country: null, tier, fees },
    })
    if (options.json) return json({ id }, 2)
    const { feeBps, buyFeeBps, sellFeeBps } = fees
    const agreed =
      `Its wallets are in ${currency}, its tier is ${tier}. The house takes ${percent(feeBps)} of a trade, ` +
      `the merchant ${percent(buyFeeBps)} of a buy and ${percent(sellFeeBps)} of a sell; fees:set changes it.`
    return `Merchant ${id} is open. ${agreed}\n${nextSteps(email, 'merchant')}`
  }),

  command(
    'partner:create',
    'open a partner; its children are created through its interface',
    ...[EMAIL, NAME, FEE, BUY_FEE, AS_JSON],
  ).does(async (context, email, { name, ...options }) => {
    const { feeBps = null, buyFeeBps = null } = feesOf(options)
    const order = { email, name, fees: { feeBps, buyFeeBps } }
    const id = await openPartner(context, context.actor, order)
    if (options.json) return json({ id }, 2)
    return `Partner ${id} is open. ${nextSteps(email, 'account')}`
  }),

  command(
    'fees:set',
    'set the fees of new trades',
    ...FEES,
    option('--default <b>', 'the service fee where nothing else is agreed, in basis points', bps),
    ...[WHY, ...ANY_ACCOUNT],
  ).does(async (context, options) => {
    const fees = feesOf(options)
    const { default: globalDefault, reason = null } = options
    if (globalDefault !== undefined) {
      await changeGlobalDefault(context, context.actor, globalDefault, reason)
    }
    if (Object.keys(fees).length > 0) {
      const { id: accountId } = await keyHolderOf(context, options)
      await changeFees(context, context.actor, { accountId, fees, reason })
    } else if (globalDefault === undefined) {
      return usage('fees:set needs --fee, --buy-fee, --sell-fee, --child-fee or --default')
    }
    return 'The fees are set. They apply to new trades.'
  }),

  command(
    'tier:set',
    "set an account's request budget",
    argument('<tier>', 'the new one', TIERS),
    ...ANY_ACCOUNT,
  ).does(async (context, tier, options) => {
    const { id: accountId } = await keyHolderOf(context, options)
    await changeTier(context, context.actor, { accountId, tier })
    return `The account is ${tier}: ${TIER_BUDGETS[tier]} tokens a minute.`
  }),

  command(
    'debts:recover',
    "set whether a merchant's spot wallet repays what its users owe for more than a day",
    argument('<yes or no>', 'it does', ['yes', 'no']),
    ...[REASON, ...ANY_ACCOUNT],
  ).does(async (context, answer, { reason, ...options }) => {
    const { id: accountId } = await keyHolderOf(context, options)
    const recoversDebts = answer === 'yes'
    await changeDebtRecovery(context, context.actor, { accountId, recoversDebts, reason })
    return recoversDebts
      ? 'What its users owe for more than a day is taken from its spot wallet.'
      : 'What its users owe is taken from their own wallets alone.'
  }),

  command('account:suspend', 'suspend an account', ACCOUNT, REASON).does(
    (context, account, { reason }) => setStatus(context, account, 'suspended', reason),
  ),
  command('account:reactivate', 'end the suspension of an account', ACCOUNT, REASON).does(
    (context, account, { reason }) => setStatus(context, account, 'active', reason),
  ),

  command(
    'account:delete',
    'delete a child or sub-user that has no money and nothing open',
    ...[ACCOUNT, REASON],
  ).does(async (context, account, { reason }) => {
    const { id: accountId } = await findAccountOf(context, account)
    await deleteAccount(context, context.actor, { accountId, reason })
    return `Account ${accountId} is deleted. Its history stays.`
  }),
]

/** Money first: a key of an empty wallet buys nothing. */
const nextSteps = (email: string, option: 'merchant' | 'account'): string =>
  [
    'Next:',
    `  npm run ops -- wallet:credit <amount> --account ${email} --reference <text> --reason <text> --as <administrator>`,
    `  npm run ops -- key:issue "first key" --${option} ${email}`,
  ].join('\n')

async function setStatus(
  context: Context,
  account: string,
  status: 'active' | 'suspended',
  reason: string,
): Promise<string> {
  const { id } = await findAccountOf(context, account)
  await changeStatus(context, context.actor, { accountId: id, status, reason })
  return `Account ${id} is ${status}.`
}

interface FeeOptions {
  readonly fee?: number
  readonly buyFee?: number
  readonly sellFee?: number
  readonly childFee?: number
}

const feesOf = ({ fee, buyFee, sellFee, childFee }: FeeOptions): Partial<MerchantFees> => ({
  ...(fee !== undefined && { feeBps: fee }),
  ...(buyFee !== undefined && { buyFeeBps: buyFee }),
  ...(sellFee !== undefined && { sellFeeBps: sellFee }),
  ...(childFee !== undefined && { childDefaultFeeBps: childFee }),
})
