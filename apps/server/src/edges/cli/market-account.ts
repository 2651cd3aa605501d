// Our accounts at the markets on the command line.
import { readFile } from 'node:fs/promises'
import {
  type AccountRef,
  hashKey,
  keyContext,
  listOpenOrders,
  MAIN,
  type NewAccount,
} from '#buying'
import type { SecretBox } from '#infra/process/secrets'
import { newId } from '#kernel/id'
import type { MarketId } from '#kernel/market-id'
import { formatMills, type Mills, mills } from '#kernel/money'
import {
  addMarketAccount,
  changeMarketAccount,
  type IsTaken,
  readSupplierAccounts,
  rotateMarketKey,
} from '#operations'
import { type Context, fail, usage } from './context.ts'
import {
  AS_JSON,
  argument,
  command,
  type Declared,
  needs,
  option,
  REASON,
  wrong,
} from './declare.ts'
import { json, table } from './table.ts'
import type { AskedMarket, Pace } from './tools.ts'

/** Dollars of at most three decimals. */
function dollars(text: string): Mills {
  const found = /^(0|[1-9]\d{0,8})(?:\.(\d{1,3}))?$/.exec(text)
  if (!found) return wrong('It is an amount in dollars, such as 250 or 99.50.')
  const [, whole = '0', fraction = ''] = found
  return mills(BigInt(whole) * 1000n + BigInt(fraction.padEnd(3, '0')))
}

const accountName = (text: string): string =>
  /^[a-z][a-z0-9-]{0,23}$/.test(text)
    ? text
    : wrong('It is a name of small letters, digits and dashes, such as second.')

const USES = ['buying', 'feed', 'both'] as const
const KEY_FILE = option('--key-file <path>', 'the file with the key; without it: standard input')

const STATES = [
  {
    word: 'drain',
    state: 'draining',
    done: 'buys nothing more; its orders are followed.',
    sentence: 'buy nothing more with an account, and follow its orders to their ends',
  },
  {
    word: 'disable',
    state: 'disabled',
    done: 'is disabled; its orders are still followed.',
    sentence: 'the same, for an account that is given up',
  },
  {
    word: 'enable',
    state: 'enabled',
    done: 'buys again.',
    sentence: 'buy with an account again',
  },
] as const

export const marketAccountCommands = (markets: readonly MarketId[]): readonly Declared[] => [
  command(
    'market:account [list]',
    'our accounts at the markets: what they have, what waits for it, and what closes them',
    AS_JSON,
  ).does(async ({ db }, options) => {
    const accounts = (await readSupplierAccounts(db)).map((account) => ({
      ...{ market: account.market, account: account.name, state: account.state, use: account.use },
      pace: account.pace,
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
    'market:account add',
    'buy with another account at a market: its key is in a file or on standard input, and its balance is read first',
    argument('<market>', 'which', markets),
    needs('--name <name>', 'small letters, digits and dashes, at most 24', accountName),
    KEY_FILE,
    option('--reserve <USD>', 'what of its balance is not spent; nothing without it', dollars),
    option('--use <use>', 'what its calls are for', USES, 'buying'),
    REASON,
  ).does(async (context, market, { name: account, keyFile, reserve, use, reason }) => {
    const of = { market, account }
    const { sealedKey, isTaken, ask } = await readNewKey(context, of, keyFile)
    const balance = await ask(({ read }) => balanceOf(read))
    const given = await addMarketAccount(
      context,
      context.actor,
      { ...of, sealedKey, use, reserveMills: reserve ?? mills(0n), balance, reason },
      isTaken,
    )
    if (given === 'exists') return fail(`${market} has an account ${account} already.`)
    if (given === 'taken') return fail(TAKEN)
    return `${market} has the account ${account} with ${formatMills(balance.balanceMills)} dollars. Workers use it within seconds.`
  }),

  command(
    'market:account rotate',
    'give an account another key, in a file or on standard input; it must know the orders that are open',
    argument('<market>', 'which', markets),
    argument('<account>', 'its name', accountName),
    KEY_FILE,
    REASON,
  ).does(async (context, market, account, { keyFile, reason }) => {
    const of = { market, account }
    const { key, sealedKey, isTaken, ask } = await readNewKey(context, of, keyFile)
    const keys = account === MAIN ? [context.mainKey(market), key] : []
    const hashes = keys.map((each) => hashKey(of, each))
    await ask(({ read }) => balanceOf(read))
    const rotate = async (): ReturnType<typeof rotateMarketKey> => {
      const knowsOrders = await ask((asked) => knowsOpenOrders(context, of, asked))
      const rotation = { ...of, sealedKey, hashes, knowsOrders, reason }
      return rotateMarketKey(context, context.actor, rotation, isTaken)
    }
    // The first order of the account may have begun while its market was asked.
    let given = await rotate()
    if (given === 'begun') given = await rotate()
    if (given === 'taken') return fail(TAKEN)
    if (given === 'begun') return fail(BEGUN)
    const then = account === MAIN ? ' Put it into the setting as well.' : ''
    return `The account ${account} at ${market} has another key. Workers use it within seconds.${then}`
  }),

  ...STATES.map(({ word, state, sentence, done }) =>
    command(
      `market:account ${word}`,
      sentence,
      argument('<market>', 'which', markets),
      argument('<account>', 'its name', accountName),
      REASON,
    ).does(async (context, market, account, { reason }) => {
      await changeMarketAccount(context, context.actor, { market, account, state, reason })
      return `The account ${account} at ${market} ${done}`
    }),
  ),

  command(
    'market:account set',
    'set what of an account’s balance is not spent, what its calls are for, or how quickly it calls',
    argument('<market>', 'which', markets),
    argument('<account>', 'its name', accountName),
    option('--reserve <USD>', 'in dollars; below it nothing is bought there', dollars),
    option('--use <use>', 'what its calls are for; with feed nothing is bought', USES),
    option(
      '--pace <pace>',
      'of its calls, as the setting of its market says it: milliseconds between two at market_a, calls in a minute at market_b; default: as that setting',
    ),
    REASON,
  ).does(async (context, market, account, { reserve: reserveMills, use, pace: given, reason }) => {
    if ([reserveMills, use, given].every((each) => each === undefined)) {
      return usage('give --reserve, --use or --pace')
    }
    const rules = context.paceOf(market)
    const pace = given === undefined ? undefined : readPace(given, rules)
    await changeMarketAccount(context, context.actor, {
      ...{ market, account, reason },
      ...(reserveMills !== undefined && { reserveMills }),
      ...(use && { use }),
      ...(pace !== undefined && { pace }),
    })
    const said = [
      reserveMills !== undefined && `keeps ${formatMills(reserveMills)} dollars in reserve`,
      use && `is used for ${use}`,
      pace === null && `has the pace of ${rules.variable}`,
      pace != null && `has a pace of ${pace} ${rules.unit}`,
    ]
    return `The account ${account} at ${market} ${said.filter(Boolean).join(' and ')}.`
  }),
]

const BEGUN =
  'Orders have begun with the present key, and the new one knows none: drain the account, and rotate when they have ended.'
const TAKEN = 'Another account of ours at this market has this key.'

/** Null: that of the setting. */
function readPace(text: string, { variable, unit, bounds: [least, most] }: Pace): number | null {
  if (text === 'default') return null
  const pace = /^[1-9]\d{0,5}$/.test(text) ? Number(text) : 0
  if (pace >= least && pace <= most) return pace
  return fail(`A pace is ${least} to ${most} ${unit}, as in ${variable}, or the word default.`)
}

/** What an account is given, and what asks its market with it. */
async function readNewKey(context: Context, of: AccountRef, file: string | undefined) {
  const key = await readKey(context, file)
  const secrets = context.openSecrets()
  return {
    key,
    sealedKey: secrets.seal(key, keyContext(of)),
    isTaken: isKeyTaken(context, secrets, { ...of, key }),
    ask: <Result>(act: (market: AskedMarket) => Promise<Result>): Promise<Result> =>
      context.withMarketKey({ ...of, key }, act),
  }
}

/** A key is never an argument: those are in the shell's history and in lists of processes. */
async function readKey({ readInput }: Context, file: string | undefined): Promise<string> {
  const text = file === undefined ? await readInput() : await readFile(file, 'utf8')
  if (text === null) return usage('give the key with --key-file, or on standard input')
  const key = text.trim()
  return /^[\w.-]{4,200}$/.test(key)
    ? key
    : fail('What was given is no key: one word of letters, digits, dots and dashes is expected.')
}

async function balanceOf(read: AskedMarket['read']): Promise<NewAccount['balance']> {
  const reading = await read()
  if (reading === null) return fail('The market does not answer: nothing was changed.')
  const { said, askedAt } = reading
  if (said.kind === 'served') {
    const { currency, balanceMills } = said
    return { currency, balanceMills, askedAt }
  }
  return fail(`The market does not serve this key: ${said.detail}.`)
}

/**
 * At a market whose orders belong to keys, another key would lose sight of those that are open. Whether it
 * was seen to know some; a key that does not know one of them is refused.
 */
async function knowsOpenOrders(
  { db }: Context,
  of: AccountRef,
  { traits, lookUp }: AskedMarket,
): Promise<boolean> {
  const open = await listOpenOrders(db, of, traits.lookUpBatch)
  if (open.length === 0) return false
  const answer = await lookUp(open, { requestId: newId() })
  if (answer.kind === 'unavailable') return fail(`The market does not answer: ${answer.detail}.`)
  const unknown = open.find(({ customId }) => answer.orders.get(customId) === 'absent')
  if (unknown === undefined) {
    return open.some(({ customId }) => answer.orders.get(customId) !== undefined)
  }
  return fail(
    `This key does not know the open order ${unknown.customId}: drain the account, and add the key as another one.`,
  )
}

/** A key that `main` has had stays its own, and it may go back to one that it was rotated from. */
export const isKeyTaken =
  (
    { mainKey }: Pick<Context, 'mainKey'>,
    secrets: SecretBox,
    { market, account, key }: AccountRef & { readonly key: string },
  ): IsTaken =>
  (others) => {
    const there = others.filter((one) => one.market === market)
    const main = there.find((one) => one.account === MAIN)
    const isRotatedMain = account === MAIN && main !== undefined && main.sealedKey !== null
    return (
      (!isRotatedMain && isKeyOfMain(main?.keyHashes ?? [], { market, key }, mainKey)) ||
      there.some(
        (one) => one.sealedKey !== null && secrets.open(one.sealedKey, keyContext(one)) === key,
      )
    )
  }

/** Until a worker has started, the settings alone say which it is; later they may name the next one. */
const isKeyOfMain = (
  hashes: readonly string[],
  { market, key }: { readonly market: MarketId; readonly key: string },
  mainKey: Context['mainKey'],
): boolean =>
  hashes.length === 0
    ? key === mainKey(market)
    : hashes.includes(hashKey({ market, account: MAIN }, key))

const shown = (amount: bigint | null): string | null =>
  amount === null ? null : formatMills(amount)

const COLUMNS = [
  ...[
    'market',
    'account',
    'state',
    'use',
    'pace',
    'currency',
    'balance',
    'read at',
    'reserve',
    'spendable',
  ],
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
