// Causes an event in the sandbox: a real purchase by a buyer whose behaviour leads to it, a real deposit, or
// a real withdrawal.
import {
  accountOf,
  amount,
  type BehalfOptions,
  type Cli,
  command,
  wholeNumber,
  withBehalf,
} from '../cli.ts'
import type { Environment } from '../environment.ts'
import { eventLine } from '../event-line.ts'
import { eventSubject } from '../event-subject.ts'
import { CommandError, usageError } from '../failure.ts'
import { refuseRealMoney } from '../sandbox.ts'
import { DEPOSIT_SCENARIOS } from '../scenarios/deposit.ts'
import { PAYOUT_SCENARIOS } from '../scenarios/payout.ts'
import type { OwnData } from '../scenarios/stage.ts'
import { type Account, type EventType, TradepostError, type WebhookEvent } from '../sdk.ts'
import { behalfWords } from '../shell-words.ts'
import { placeOfNow, tail } from '../tail.ts'
import { clean, itemName, jsonText, money } from '../text.ts'

interface TriggerOptions extends BehalfOptions, OwnData {
  readonly timeout: number
  readonly tradeUrlHost: string
  /** Of a trade: what is bought, by words, and for how much at most. */
  readonly item?: string
  readonly maxPrice?: string
}

const OWN_DATA = ['item', 'maxPrice', 'externalId', 'amount', 'to'] as const
const TAKEN_BY_TRADES: readonly string[] = ['item', 'maxPrice', 'externalId']

interface TradeScenario {
  readonly token: string
  readonly what: string
  /** Canceled by the buyer as soon as the market allows. */
  readonly isCanceled?: true
}

/** The token at the end of the trade URL decides what the buyer in the sandbox does. */
const SCENARIOS: Readonly<Partial<Record<EventType, TradeScenario>>> = {
  'trade.initiated': { token: 'accept00', what: 'a buy' },
  'trade.pending': { token: 'accept00', what: 'a buy' },
  'trade.active': { token: 'accept00', what: 'a buy' },
  'trade.hold': { token: 'accept00', what: 'a buy whose offer is accepted' },
  'trade.completed': { token: 'accept00', what: 'a buy whose hold runs to its end' },
  'trade.settled': { token: 'accept00', what: 'a buy whose hold runs to its end' },
  'trade.declined': { token: 'declin00', what: 'a buyer who declines the offer' },
  'trade.refunded': { token: 'declin00', what: 'a buyer who declines the offer' },
  'trade.failed': { token: 'banned00', what: 'a buyer who may not trade' },
  'trade.reverted': { token: 'rvsupp00', what: 'a seller who takes the item back' },
  'trade.canceled': {
    token: 'slowly00',
    what: 'a buy that is canceled while the seller takes his time',
    isCanceled: true,
  },
}

const OTHER_SCENARIOS = { ...DEPOSIT_SCENARIOS, ...PAYOUT_SCENARIOS }

const CHOICES = `One of: ${Object.keys({ ...SCENARIOS, ...OTHER_SCENARIOS }).join(', ')}`

export function addTrigger({ program, environment, session }: Cli): void {
  const trigger = command(program, 'trigger [event]', 'cause an event, in the sandbox')
    .option('--timeout <seconds>', 'how long to wait', wholeNumber(1, 3600), 120)
    .option('--trade-url-host <host>', 'host of trade URLs', 'steamcommunity.com')
    .option('--item <words>', 'of a trade: buy an item that these words find')
    .option('--max-price <amount>', 'of a trade: pay no more than this', amount)
    .option('--external-id <id>', 'of a trade or withdrawal: your own id of it')
    .option('--amount <usd>', 'of a deposit or withdrawal: US dollars', amount)
    .option('--to <address>', 'of a withdrawal: where it goes')
    .addHelpText(
      'after',
      `\nEvents:\n${Object.entries({ ...SCENARIOS, ...OTHER_SCENARIOS })
        .map(([type, { what }]) => `  ${type.padEnd(33)} ${what}`)
        .join(
          '\n',
        )}\n\nThe other events on the way to it happen too. It is for the merchant, or for the\nsub-user of --on-behalf-of.`,
    )
  withBehalf(trigger).action(async (wanted: string | undefined, options: TriggerOptions) => {
    if (wanted === undefined) throw usageError('Name an event.', CHOICES)
    const type = wanted as EventType
    const ofTrade = Object.hasOwn(SCENARIOS, wanted) ? SCENARIOS[type] : undefined
    const other = Object.hasOwn(OTHER_SCENARIOS, wanted) ? OTHER_SCENARIOS[type] : undefined
    const scenario = ofTrade ?? other
    if (scenario === undefined) {
      throw usageError(`There is no scenario for ${wanted}.`, CHOICES)
    }
    refuseUntaken(wanted, options, other?.takes ?? TAKEN_BY_TRADES)
    const opened = session(options)
    const sandboxUrl = await refuseRealMoney(environment, opened)
    const place = await placeOfNow(opened, environment.signal)
    const { terminal } = environment
    terminal.note(`causing  ${scenario.what}`)
    const account = accountOf(opened.tradepost, options)
    const { tradepost } = opened
    const subjectId = other
      ? await other.run({ environment, tradepost, account, sandboxUrl, data: options })
      : await runTrade(environment, account, ofTrade as TradeScenario, options)
    const timeoutMs = 1000 * options.timeout
    const event = await untilEventArrives(environment, opened, {
      place,
      type,
      subjectId,
      timeoutMs,
      options,
    })
    terminal.out(options.json ? jsonText(event, 2) : eventLine(event, terminal))
  })
}

async function runTrade(
  environment: Environment,
  account: Account,
  { token, isCanceled }: TradeScenario,
  options: TriggerOptions,
): Promise<string> {
  const tradeUrl = `https://${options.tradeUrlHost}/tradeoffer/new/?partner=39734273&token=${token}`
  const tradeId = await buySomething(environment, account, { ...options, tradeUrl })
  if (isCanceled) await cancel(environment, account, tradeId)
  return tradeId
}

/** Data that the event has no use for would be left out without a word. */
function refuseUntaken(type: string, options: TriggerOptions, taken: readonly string[]): void {
  const untaken = OWN_DATA.find((name) => options[name] !== undefined && !taken.includes(name))
  if (untaken === undefined) return
  const option = (name: string): string =>
    `--${name.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)}`
  throw usageError(
    `${type} takes no ${option(untaken)}.`,
    `It takes: ${taken.map(option).join(', ')}`,
  )
}

/** Prices that a demo wallet can pay many times. */
const BOUNDS = { minPrice: '1.00', maxPrice: '30.00' }

type Wanted = Pick<TriggerOptions, 'item' | 'maxPrice' | 'externalId'> & {
  readonly tradeUrl: string
}

/** Who says what to buy, or for how much, has chosen the price too. */
const boundsOf = ({ item, maxPrice }: Wanted): { minPrice?: string; maxPrice?: string } =>
  maxPrice !== undefined ? { maxPrice } : item !== undefined ? {} : BOUNDS

/** Buys the cheapest listing. Another buyer may be faster, so several are tried. */
async function buySomething(
  environment: Environment,
  { market }: Account,
  wanted: Wanted,
): Promise<string> {
  const { signal, terminal } = environment
  const { tradeUrl, item: q, externalId: own } = wanted
  const bounds = boundsOf(wanted)
  const query = { ...bounds, ...(q !== undefined && { q }), inStock: true, limit: 10 }
  const found = await market.search(query, { signal })
  for (const item of found.items) {
    const { items } = await market.listings(item.id, { ...bounds, limit: 1 }, { signal })
    const [listing] = items
    if (listing === undefined) continue
    const externalId = own ?? `trigger-${environment.newId()}`
    try {
      const { id, totalPrice } = await market.buy({
        externalId,
        tradeUrl,
        items: [{ listingId: listing.id, maxPrice: wanted.maxPrice ?? roomFor(listing.price) }],
      })
      terminal.note(`bought   ${clean(itemName(listing))} for ${money(totalPrice)}: trade ${id}`)
      return id
    } catch (error) {
      if (!(error instanceof TradepostError && PASSED_BY.has(error.key))) throw error
    }
  }
  throw new CommandError(
    q === undefined && wanted.maxPrice === undefined
      ? 'Nothing is for sale in the sandbox at the moment.'
      : 'Nothing like that is for sale in the sandbox at the moment.',
  )
}

const PASSED_BY: ReadonlySet<string> = new Set([
  'LISTING_NOT_FOUND',
  'PRICE_MISMATCH',
  'MARKET_UNAVAILABLE',
])

/** A tenth above the current price: prices move in the sandbox too. */
const roomFor = (price: number): string => (Math.ceil(price * 110) / 100).toFixed(2)

/** A market cancels an order only after its minimum age, which is 3 s in the sandbox. */
const CANCEL_EVERY_MS = 1500
const CANCEL_TRIES = 12

async function cancel(
  { terminal, signal, sleep, commandLine }: Environment,
  { transactions }: Account,
  tradeId: string,
): Promise<void> {
  for (let tried = 0; tried < CANCEL_TRIES; tried++) {
    const { cancelled } = await transactions.cancel(tradeId, { signal })
    if (cancelled > 0) return
    if (tried === 0) terminal.note('         it is too young to be canceled: asking again')
    await sleep(CANCEL_EVERY_MS)
    signal.throwIfAborted()
  }
  throw new CommandError('The market did not cancel it.', undefined, [
    `Its state: ${commandLine(`trades show ${tradeId}`)}`,
  ])
}

async function untilEventArrives(
  environment: Environment,
  session: ReturnType<Cli['session']>,
  wanted: {
    readonly place: string
    readonly type: EventType
    readonly subjectId: string
    readonly timeoutMs: number
    readonly options: BehalfOptions
  },
): Promise<WebhookEvent> {
  const { place, type, subjectId, timeoutMs, options } = wanted
  const timeout = AbortSignal.timeout(timeoutMs)
  const signal = AbortSignal.any([environment.signal, timeout])
  const { terminal } = environment
  for await (const event of tail(environment, session, { place, types: null, signal })) {
    if (eventSubject(event).id !== subjectId) continue
    if (event.type === type) return event
    terminal.note(`         ${event.type}`)
    refuseRefund(environment, event, type)
  }
  environment.signal.throwIfAborted()
  throw new CommandError(`${type} did not come within ${timeoutMs / 1000} s.`, undefined, [
    `Its state: ${environment.commandLine(stateOf(type, subjectId, options))}`,
  ])
}

/** A withdrawal that was refunded has no further event. */
function refuseRefund(
  { commandLine }: Environment,
  { data, type }: WebhookEvent,
  wanted: EventType,
): void {
  if (type !== 'payout.crypto.withdraw.refunded' || !('withdrawal' in data)) return
  const { id, failureReason } = data.withdrawal
  const reason = clean(failureReason ?? 'no reason given')
  throw new CommandError(
    `The withdrawal was refunded: ${reason}. There will be no ${wanted}.`,
    undefined,
    [
      ...(reason.startsWith('approval_')
        ? ['Your approval endpoint must be running and answer 2xx.']
        : []),
      `The withdrawal: ${commandLine(`payouts status ${id}`)}`,
    ],
  )
}

/** The command that shows what such an event is about: a deposit is one of its own account. */
function stateOf(type: EventType, id: string, options: BehalfOptions): string {
  if (type.startsWith('payout.')) return `payouts status ${id}`
  return type.startsWith('deposit.')
    ? `deposits show ${id}${behalfWords(options)}`
    : `trades show ${id}`
}
