// Accounts, keys and fees on the command line.
import { TIER_BUDGETS, TIERS } from '@tradepost/contract'
import { listKeys, type MerchantFees } from '#identity'
import {
  changeDebtRecovery,
  changeFees,
  changeGlobalDefault,
  changeStatus,
  changeTier,
  deleteAccount,
  issueAccountKey,
  openMerchant,
  openPartner,
  revokeAccountKey,
  rotateAccountKey,
} from '#operations'
import {
  type Command,
  type Context,
  emailOf,
  findAccountOf,
  keyHolderOf,
  reasonOf,
  UUID,
  usage,
} from './invocation.ts'
import { json, percent, table } from './table.ts'

export const accountCommands: Readonly<Record<string, Command>> = {
  'merchant:create': async (context) => {
    const { options } = context
    const email = emailOf(context)
    const currency = options.currency ?? 'USD'
    if (currency !== 'USD' && currency !== 'EUR') return usage('--currency is USD or EUR')
    const tier = tierOf(options.tier ?? 'standard')
    const fees = {
      ...{ feeBps: 500, buyFeeBps: 0, sellFeeBps: 0, childDefaultFeeBps: null },
      ...feesOf(context),
    }
    const id = await openMerchant(context, context.actor, {
      email,
      name: options.name?.trim() || usage('merchant:create needs --name'),
      ...{ currency, country: null, tier, fees },
    })
    if (options.json) return json({ id }, 2)
    const { feeBps, buyFeeBps, sellFeeBps } = fees
    const agreed =
      `Its wallets are in ${currency}, its tier is ${tier}. The house takes ${percent(feeBps)} of a trade, ` +
      `the merchant ${percent(buyFeeBps)} of a buy and ${percent(sellFeeBps)} of a sell; fees:set changes it.`
    return `Merchant ${id} is open. ${agreed}\n${nextSteps(email, 'merchant')}`
  },

  'partner:create': async (context) => {
    const { options } = context
    const email = emailOf(context)
    const { feeBps = null, buyFeeBps = null } = feesOf(context)
    const id = await openPartner(context, context.actor, {
      email,
      name: options.name?.trim() || usage('partner:create needs --name'),
      fees: { feeBps, buyFeeBps },
    })
    return options.json ? json({ id }, 2) : `Partner ${id} is open. ${nextSteps(email, 'account')}`
  },

  'key:issue': async (context) => {
    const { argument, options, keyEnvironment: environment } = context
    const name = argument ?? usage('key:issue needs a name for the key')
    const { id: accountId, kind } = await keyHolderOf(context)
    const allowlist = options.allow?.split(',').map((network) => network.trim()) ?? []
    const order = { accountId, kind, name, allowlist, environment }
    return shown(context, await issueAccountKey(context, context.actor, order))
  },

  'key:rotate': async (context) => {
    const overlapHours = Number(context.options.overlap ?? 24)
    if (!(overlapHours >= 0 && overlapHours <= 24 * 30))
      return usage('--overlap is hours, up to 720')
    const order = {
      keyId: keyIdOf(context),
      overlapHours,
      environment: context.keyEnvironment,
    }
    return shown(context, await rotateAccountKey(context, context.actor, order))
  },

  'key:revoke': async (context) => {
    const keyId = keyIdOf(context)
    await revokeAccountKey(context, context.actor, { keyId, reason: reasonOf(context) })
    return `Key ${keyId} is revoked.`
  },

  'key:list': async (context) => {
    const keys = await listKeys(context.db, (await keyHolderOf(context)).id)
    if (context.options.json) return json(keys, 2)
    const rows = keys.map(({ prefix, last4, allowlist, ...key }) => ({
      ...key,
      key: `${prefix}…${last4}`,
      allowlist: allowlist.join(',') || 'any',
    }))
    return table(rows, ['id', 'name', 'key', 'status', 'allowlist', 'validUntil', 'lastUsedAt'])
  },

  'fees:set': async (context) => {
    const fees = feesOf(context)
    const { default: globalDefault } = context.options
    const reason = context.options.reason?.trim() || null
    if (globalDefault !== undefined) {
      await changeGlobalDefault(context, context.actor, bps('--default', globalDefault), reason)
    }
    if (Object.keys(fees).length > 0) {
      const { id: accountId } = await keyHolderOf(context)
      await changeFees(context, context.actor, { accountId, fees, reason })
    } else if (globalDefault === undefined) {
      return usage('fees:set needs --fee, --buy-fee, --sell-fee, --child-fee or --default')
    }
    return 'The fees are set. They apply to new trades.'
  },

  'tier:set': async (context) => {
    const tier = tierOf(context.argument)
    const { id: accountId } = await keyHolderOf(context)
    await changeTier(context, context.actor, { accountId, tier })
    return `The account is ${tier}: ${TIER_BUDGETS[tier]} tokens a minute.`
  },

  'debts:recover': async (context) => {
    const { argument } = context
    if (argument !== 'yes' && argument !== 'no') return usage('debts:recover needs yes or no')
    const { id: accountId } = await keyHolderOf(context)
    const recoversDebts = argument === 'yes'
    const order = { accountId, recoversDebts, reason: reasonOf(context) }
    await changeDebtRecovery(context, context.actor, order)
    return recoversDebts
      ? 'What its users owe for more than a day is taken from its spot wallet.'
      : 'What its users owe is taken from their own wallets alone.'
  },

  'account:suspend': (context) => setStatus(context, 'suspended'),
  'account:reactivate': (context) => setStatus(context, 'active'),

  'account:delete': async (context) => {
    const { id } = await findAccountOf(context, context.argument)
    const order = { accountId: id, reason: reasonOf(context) }
    await deleteAccount(context, context.actor, order)
    return `Account ${id} is deleted. Its history stays.`
  },
}

/** Money first: a key of an empty wallet buys nothing. */
const nextSteps = (email: string, option: 'merchant' | 'account'): string =>
  [
    'Next:',
    `  npm run ops -- wallet:credit <amount> --account ${email} --reference <text> --reason <text> --as <administrator>`,
    `  npm run ops -- key:issue "first key" --${option} ${email}`,
  ].join('\n')

async function setStatus(context: Context, status: 'active' | 'suspended'): Promise<string> {
  const { id } = await findAccountOf(context, context.argument)
  await changeStatus(context, context.actor, { accountId: id, status, reason: reasonOf(context) })
  return `Account ${id} is ${status}.`
}

const shown = ({ options }: Context, issued: { id: string; secret: string }): string =>
  options.json
    ? json(issued, 2)
    : `Key ${issued.id} is issued. It is shown this once: ${issued.secret}`

const tierOf = (name: string | undefined) =>
  TIERS.find((tier) => tier === name) ?? usage(`a tier is one of ${TIERS.join(', ')}`)

const keyIdOf = ({ command, argument = '' }: Context): string =>
  UUID.test(argument) ? argument : usage(`${command} needs the id of a key: key:list shows them`)

function feesOf({ options }: Context): Partial<MerchantFees> {
  const { fee, 'buy-fee': buyFee, 'sell-fee': sellFee, 'child-fee': childFee } = options
  return {
    ...(fee !== undefined && { feeBps: bps('--fee', fee) }),
    ...(buyFee !== undefined && { buyFeeBps: bps('--buy-fee', buyFee) }),
    ...(sellFee !== undefined && { sellFeeBps: bps('--sell-fee', sellFee) }),
    ...(childFee !== undefined && { childDefaultFeeBps: bps('--child-fee', childFee) }),
  }
}

function bps(option: string, text: string): number {
  const value = Number(text)
  if (/^\d{1,5}$/.test(text) && value <= 10_000) return value
  return usage(`${option} is basis points from 0 to 10000: 250 is 2.5%`)
}
