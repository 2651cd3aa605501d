// Our accounts at the markets on the command line.
import type { MarketId } from '#kernel/market-id'
import { formatMills, type Mills, mills } from '#kernel/money'
import { readSupplierAccounts, setMarketReserve } from '#operations'
import { AS_JSON, argument, command, type Declared, needs, REASON, wrong } from './declare.ts'
import { json, table } from './table.ts'

/** Dollars of at most three decimals. */
function dollars(text: string): Mills {
  const found = /^(0|[1-9]\d{0,8})(?:\.(\d{1,3}))?$/.exec(text)
  if (!found) return wrong('It is an amount in dollars, such as 250 or 99.50.')
  const [, whole = '0', fraction = ''] = found
  return mills(BigInt(whole) * 1000n + BigInt(fraction.padEnd(3, '0')))
}

export const marketAccountCommands = (markets: readonly MarketId[]): readonly Declared[] => [
  command(
    'market:account [list]',
    'our accounts at the markets: what they have, what waits for it, and what closes them',
    AS_JSON,
  ).does(async ({ db }, options) => {
    const accounts = (await readSupplierAccounts(db)).map((account) => ({
      ...{ market: account.market, account: account.name, state: account.state },
      currency: account.currency,
      balance: shown(account.balanceMills),
      'read at': account.balanceAt,
      reserve: shown(account.reserveMills),
      spendable: shown(account.spendableMills),
      waiting: account.waiting,
      'waiting dollars': shown(account.waitingMills),
      'cover days': account.coverDays === null ? null : Math.floor(account.coverDays * 10) / 10,
      'closed since': account.closedAt,
      'closed by': account.closedBecause,
      'opens at': shown(account.opensAtMills),
      detail: account.closedDetail,
    }))
    return options.json ? json(accounts, 2) : table(accounts, COLUMNS)
  }),

  command(
    'market:account set',
    'set what of an account’s balance is not spent; below it nothing is bought there',
    argument('<market>', 'which', markets),
    argument('<account>', 'its name', ['main'] as const),
    needs('--reserve <USD>', 'in dollars', dollars),
    REASON,
  ).does(async (context, market, account, { reserve: reserveMills, reason }) => {
    await setMarketReserve(context, context.actor, { market, reserveMills, reason })
    return `The account ${account} at ${market} keeps ${formatMills(reserveMills)} dollars in reserve.`
  }),
]

const shown = (amount: bigint | null): string | null =>
  amount === null ? null : formatMills(amount)

const COLUMNS = [
  ...['market', 'account', 'state', 'currency', 'balance', 'read at', 'reserve', 'spendable'],
  ...[
    'waiting',
    'waiting dollars',
    'cover days',
    'closed since',
    'closed by',
    'opens at',
    'detail',
  ],
]
