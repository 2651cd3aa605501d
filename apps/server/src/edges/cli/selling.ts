// What the bots pay, and what they have bought, on the command line.
import { findItemName, itemIdOf } from '#catalog'
import { type Cents, formatCents, parseAmount } from '#kernel/money'
import { changeBand, changeItemPolicy, changePolicy } from '#operations'
import { listStock, type Policy, readPolicy } from '#selling'
import { fail, usage } from './context.ts'
import { AS_JSON, argument, command, option, WHY, wrong } from './declare.ts'
import { json, percent, table } from './table.ts'

const MOST_LISTED = 500

const amount = (text: string): Cents => parseAmount(text) ?? wrong('It is an amount such as 5.50.')

const whole =
  (most: number) =>
  (text: string): number => {
    const value = /^\d{1,7}$/.test(text) ? Number(text) : 0
    return value >= 1 && value <= most ? value : wrong(`It is a number from 1 to ${most}.`)
  }

/** Percent with at most two decimals, as basis points. */
function bps(text: string): number {
  const match = /^(\d{1,2})(?:\.(\d{1,2}))?%?$/.exec(text)
  if (!match) return wrong('It is a percentage below 100, such as 25 or 12.5.')
  return Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0'))
}

const DISCOUNT = option('--discount <percent>', 'below the reference price', bps)
const volume = (text: string): number =>
  /^\d{1,9}$/.test(text) ? Number(text) : wrong('It is a number of sales a day.')

export const sellingCommands = [
  command(
    'selling [policy]',
    'what the bots pay: bounds, bands by liquidity, exceptions',
    AS_JSON,
  ).does(async ({ db }, options) => {
    const policy = await readPolicy(db)
    if (options.json) return json({ ...policy, items: Object.fromEntries(policy.items) }, 2)
    const bands = policy.bands.map(({ leastVolume, discountBps }) => ({
      'sales a day': `${leastVolume} or more`,
      'below reference': percent(discountBps),
    }))
    const exceptions = await Promise.all(
      [...policy.items].map(async ([id, own]) => ({
        id,
        item: (await findItemName(db, id)) ?? '',
        holds: !own.accepted
          ? 'not bought'
          : own.quote !== null
            ? `${formatCents(own.quote)} USD`
            : own.discountBps !== null
              ? `${percent(own.discountBps)} below reference`
              : 'as its band says',
      })),
    )
    return [
      policy.buying ? 'The bots buy.' : 'The bots buy nothing.',
      boundsOf(policy),
      '',
      table(bands, ['sales a day', 'below reference']),
      ...(exceptions.length === 0 ? [] : ['', table(exceptions, ['id', 'item', 'holds'])]),
    ].join('\n')
  }),

  command(
    'selling set',
    'whether the bots buy, and the bounds',
    option('--buying <yes or no>', 'whether they buy', ['yes', 'no']),
    option('--least <USD>', 'the least that is quoted', amount),
    option('--most <USD>', 'the most that is quoted', amount),
    option(
      '--share <percent>',
      'of what a merchant has and what is free, what it may have open at the bots',
      whole(100),
    ),
    option('--waiting <sells>', 'of a merchant, that may wait', whole(1_000_000)),
  ).does(async (context, { buying, least, most, share, waiting }) => {
    const change = {
      ...(buying !== undefined && { buying: buying === 'yes' }),
      ...(least !== undefined && { leastQuote: least }),
      ...(most !== undefined && { mostQuote: most }),
      ...(share !== undefined && { offerSharePercent: share }),
      ...(waiting !== undefined && { waitingLimit: waiting }),
    }
    if (Object.keys(change).length === 0) {
      return usage('selling set needs --buying, --least, --most, --share or --waiting')
    }
    await changePolicy(context, context.actor, change)
    const policy = await readPolicy(context.db)
    return `${policy.buying ? 'The bots buy.' : 'The bots buy nothing.'} ${boundsOf(policy)}`
  }),

  command(
    'selling band',
    'the discount on items that sell so often, or more often',
    argument('<sales a day>', 'the least', volume),
    DISCOUNT,
    option('--clear', 'no such band'),
  ).does(async (context, leastVolume, { discount, clear }) => {
    if ((discount === undefined) === (clear === undefined)) {
      return usage('selling band needs --discount <percent> or --clear')
    }
    const discountBps = discount ?? null
    await changeBand(context, context.actor, { leastVolume, discountBps })
    return discountBps === null
      ? `There is no band from ${leastVolume} sales a day any more.`
      : `From ${leastVolume} sales a day: ${percent(discountBps)} below the reference price.`
  }),

  command(
    'selling item',
    'an exception: one of --discount, --price, --refuse, all with --reason, and --clear',
    argument('<id or name>'),
    option('--phase <phase>', 'of an item that has phases, when it is named'),
    DISCOUNT,
    option('--price <USD>', 'instead of one by its band', amount),
    option('--refuse', 'it is not bought'),
    option('--clear', 'it is bought as its band says'),
    WHY,
  ).does(async (context, named, { phase, discount, price, refuse, clear, reason }) => {
    if ([discount, price, refuse, clear].filter((one) => one !== undefined).length !== 1) {
      return usage(
        'selling item needs one of --refuse, --price <USD>, --discount <percent>, --clear',
      )
    }
    const id = /^[0-9a-f]{16}$/.test(named) ? named : itemIdOf(named, phase ?? null)
    const name =
      (await findItemName(context.db, id)) ?? fail('there is no such item in the catalogue')
    if (clear) {
      await changeItemPolicy(context, context.actor, id, null)
      return `${name} is bought as its band says.`
    }
    if (reason === undefined) return usage('selling item needs --reason')
    const change = {
      accepted: refuse !== true,
      quote: price ?? null,
      discountBps: discount ?? null,
      reason,
    }
    await changeItemPolicy(context, context.actor, id, change)
    return `${name}: ${JSON.stringify({ ...change, quote: change.quote && formatCents(change.quote) })}`
  }),

  command(
    'selling stock',
    'what the bots bought',
    option('--state <state>', 'which', ['protected', 'owned', 'returned', 'all'], 'all'),
    AS_JSON,
  ).does(async ({ db }, { state, ...options }) => {
    const rows = await listStock(db, {
      state: state === 'all' ? null : state,
      limit: MOST_LISTED,
    })
    if (options.json) return json(rows, 2)
    if (rows.length === 0) return 'No such stock.'
    const shown = rows.map((row) => ({
      item: row.marketHashName,
      asset: row.assetId,
      bot: row.botId,
      state: row.state,
      cost: `${formatCents(row.cost)} ${row.currency}`,
      acquired: row.acquiredAt,
      unlocks: row.unlocksAt,
    }))
    return table(shown, ['item', 'asset', 'bot', 'state', 'cost', 'acquired', 'unlocks'])
  }),
]

const boundsOf = ({ leastQuote, mostQuote, offerSharePercent, waitingLimit }: Policy): string =>
  `Quotes from ${formatCents(leastQuote)} to ${formatCents(mostQuote)} USD. A merchant may have open at the ` +
  `bots ${offerSharePercent} % of what it has and what is free, and ${waitingLimit} sells waiting.`
