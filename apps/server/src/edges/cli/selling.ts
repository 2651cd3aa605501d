// What the bots pay, and what they have bought, on the command line.
import { findItemName, itemIdOf } from '#catalog'
import { type Cents, formatCents, parseAmount } from '#kernel/money'
import { changeBand, changeItemPolicy, changePolicy } from '#operations'
import { listStock, type Policy, readPolicy } from '#selling'
import { type Context, usage } from './invocation.ts'
import { json, percent, table } from './table.ts'

const MOST_LISTED = 500

export async function selling(context: Context): Promise<string> {
  switch (context.argument) {
    case undefined:
    case 'policy':
      return show(context)
    case 'set':
      return set(context)
    case 'band':
      return band(context)
    case 'item':
      return item(context)
    case 'stock':
      return stock(context)
    default:
      return usage('selling policy, set, band, item or stock')
  }
}

async function show({ db, options }: Context): Promise<string> {
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
}

const boundsOf = ({ leastQuote, mostQuote, offerSharePercent, waitingLimit }: Policy): string =>
  `Quotes from ${formatCents(leastQuote)} to ${formatCents(mostQuote)} USD. A merchant may have open at the ` +
  `bots ${offerSharePercent} % of what it has and what is free, and ${waitingLimit} sells waiting.`

function whole(option: string, text: string, most: number): number {
  const value = /^\d{1,7}$/.test(text) ? Number(text) : 0
  return value >= 1 && value <= most ? value : usage(`${option} is a number from 1 to ${most}`)
}

async function set(context: Context): Promise<string> {
  const { buying, least, most, share, waiting } = context.options
  if (buying !== undefined && buying !== 'yes' && buying !== 'no') {
    return usage('--buying is yes or no')
  }
  const change = {
    ...(buying !== undefined && { buying: buying === 'yes' }),
    ...(least !== undefined && { leastQuote: amount('--least', least) }),
    ...(most !== undefined && { mostQuote: amount('--most', most) }),
    ...(share !== undefined && { offerSharePercent: whole('--share', share, 100) }),
    ...(waiting !== undefined && { waitingLimit: whole('--waiting', waiting, 1_000_000) }),
  }
  if (Object.keys(change).length === 0) {
    return usage('selling set needs --buying, --least, --most, --share or --waiting')
  }
  await changePolicy(context, context.actor, change)
  const policy = await readPolicy(context.db)
  return `${policy.buying ? 'The bots buy.' : 'The bots buy nothing.'} ${boundsOf(policy)}`
}

async function band(context: Context): Promise<string> {
  const {
    more: [volume = ''],
    options,
  } = context
  if (!/^\d{1,9}$/.test(volume)) return usage('selling band <sales a day> --discount 25 | --clear')
  const discountBps = options.clear ? null : bps(options.discount)
  await changeBand(context, context.actor, { leastVolume: Number(volume), discountBps })
  return discountBps === null
    ? `There is no band from ${volume} sales a day any more.`
    : `From ${volume} sales a day: ${percent(discountBps)} below the reference price.`
}

async function item(context: Context): Promise<string> {
  const {
    db,
    more: [named = ''],
    options,
  } = context
  const id = /^[0-9a-f]{16}$/.test(named) ? named : itemIdOf(named, options.phase ?? null)
  const name = (await findItemName(db, id)) ?? usage('there is no such item in the catalogue')
  if (options.clear) {
    await changeItemPolicy(context, context.actor, id, null)
    return `${name} is bought as its band says.`
  }
  const reason = options.reason?.trim() || usage('selling item needs --reason')
  const chosen = [options.refuse, options.price, options.discount].filter(
    (one) => one !== undefined,
  )
  if (chosen.length !== 1) {
    return usage('selling item needs one of --refuse, --price <USD>, --discount <percent>, --clear')
  }
  const change = {
    accepted: options.refuse !== true,
    quote: options.price === undefined ? null : amount('--price', options.price),
    discountBps: options.discount === undefined ? null : bps(options.discount),
    reason,
  }
  await changeItemPolicy(context, context.actor, id, change)
  return `${name}: ${JSON.stringify({ ...change, quote: change.quote && formatCents(change.quote) })}`
}

async function stock({ db, options }: Context): Promise<string> {
  const { state = 'all' } = options
  if (!['protected', 'owned', 'returned', 'all'].includes(state)) {
    return usage('--state is protected, owned, returned or all')
  }
  const rows = await listStock(db, { state: state === 'all' ? null : state, limit: MOST_LISTED })
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
}

const amount = (option: string, text: string): Cents =>
  parseAmount(text) ?? usage(`${option} is an amount such as 5.50`)

/** Percent with at most two decimals, as basis points. */
function bps(text: string | undefined): number {
  const match = /^(\d{1,2})(?:\.(\d{1,2}))?%?$/.exec(text ?? '')
  if (!match) return usage('--discount is a percentage below 100, such as 25 or 12.5')
  return Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0'))
}
