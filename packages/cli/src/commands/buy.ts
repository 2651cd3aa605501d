// Buys one listing after showing its cost, under an external id that makes a retry safe.
import { accountOf, amount, type Cli, command, show, withBehalf } from '../cli.ts'
import type { Environment } from '../environment.ts'
import { CommandError, EXIT, refusedBefore, usageError } from '../failure.ts'
import { type BuyBody, type PreflightResponse, TransportError } from '../sdk.ts'
import { behalfWords, shellWord } from '../shell-words.ts'
import { detailsText } from '../table.ts'
import { money } from '../text.ts'
import { confirm } from './confirm.ts'
import type { BuyOptions } from './market-options.ts'
import { buyAsPartner } from './partner-buy.ts'
import { noTradeUrl } from './trade-url.ts'

export function addBuy({ program, environment, anySession, baseUrl }: Cli): void {
  const buy = command(program, 'buy <listing>', 'buy a listing')
    .option('--max-price <amount>', 'highest price to pay, fees included', amount)
    .option('--item <id>', 'for partners: the item of the listing')
    .option('--market <name>', 'for partners: market_a or market_b')
    .option(
      '--price <amount>',
      'for partners, instead of --max-price: exactly this base price',
      amount,
    )
    .option('--trade-url <url>', 'trade URL to deliver to (default: the primary one)')
    .option(
      '--external-id <id>',
      'your reference, for partners the Idempotency-Key; the same one never buys twice',
    )
    .option('-y, --yes', 'do not ask')
    .addHelpText(
      'after',
      '\nWith a key of the partner interface it takes --item, --market, --trade-url and --max-price.\nWithout --external-id one is made and printed before anything is bought. If no answer comes,\nrepeat the command with it: it buys once, and answers the same trade again.',
    )
  withBehalf(buy).action(async (listing: string, options: BuyOptions) => {
    if (options.maxPrice === undefined && options.price === undefined) {
      throw usageError('--max-price is missing.')
    }
    const opened = anySession(options)
    if (opened.speaks === 'partner') {
      return buyAsPartner(environment, opened, { ...options, listing })
    }
    const { maxPrice } = options
    if (maxPrice === undefined) throw usageError('--max-price is missing.')
    const { tradepost } = opened
    const { market } = accountOf(tradepost, options)
    const externalId = options.externalId ?? `cli-${environment.newId()}`
    const body: BuyBody = {
      externalId,
      ...(options.tradeUrl !== undefined && { tradeUrl: options.tradeUrl }),
      items: [{ ...namedListing(listing), maxPrice }],
    }
    const preview = await market.preflight(body, { signal: environment.signal })
    // Whether the account has a trade URL of its own, the service alone knows.
    if (preview.refusals.includes('TRADEURL_REQUIRED')) {
      throw noTradeUrl(opened, '--trade-url is missing: the account has no primary trade URL.')
    }
    environment.terminal.note(previewText(environment, preview, options.tradeUrl))
    if (!preview.passes && preview.tradeId === null) {
      throw refusedBefore(preview.refusals, baseUrl(), adviceOf(preview, maxPrice))
    }
    await confirm(environment, options)
    environment.terminal.note(`external id  ${externalId}`)
    // Not interruptible from here on: after Ctrl-C the outcome would be unknown.
    const bought = await market.buy(body).catch((error: unknown) => {
      if (error instanceof TransportError)
        throw unanswered(environment, error, { ...options, listing, maxPrice, externalId })
      throw error
    })
    show(environment, options, { ...bought, externalId }, () =>
      detailsText(
        [
          ['trade', bought.id],
          ['status', bought.status],
          ['total', money(bought.totalPrice, preview.balance.currency)],
          ['follow', environment.commandLine(`trades show ${bought.id}`)],
        ],
        environment.terminal.outPaint.dim,
      ),
    )
  })
}

/** The service's id is a number; a market's own id has the market in front. */
const namedListing = (listing: string) =>
  listing.includes(':') ? { listingRawId: listing } : { listingId: listing }

function previewText(
  { terminal }: Environment,
  { items, recipient, balance, passes, tradeId }: PreflightResponse,
  tradeUrl: string | undefined,
) {
  const paint = terminal.notePaint
  const [item] = items
  const sum = (value: number | null | undefined): string =>
    value === null || value === undefined ? '?' : money(value, balance.currency)
  const name = item?.marketHashName ?? null
  return detailsText(
    [
      // Of one that was bought or is gone the service names nothing.
      ...(name === null
        ? []
        : ([
            ['item', name],
            ['price', sum(item?.price)],
            ['  of which fees', sum((item?.houseFee ?? 0) + (item?.merchantFee ?? 0))],
          ] as const)),
      ['goes to', recipientText(recipient) ?? tradeUrl ?? '?'],
      [
        'wallet',
        passes ? `${sum(balance.before)}, afterwards ${sum(balance.after)}` : sum(balance.before),
      ],
      tradeId === null
        ? null
        : ['bought already', `trade ${tradeId}, which will be answered again`],
    ],
    paint.dim,
  )
}

/** The figures that a refusal of the service itself would carry. */
const adviceOf = (
  { refusals, balance, items: [item] }: PreflightResponse,
  maxPrice: string,
): string[] => [
  ...(refusals.includes('INSUFFICIENT_BALANCE')
    ? [`It takes ${money(balance.required)}, the wallet has ${money(balance.before)}.`]
    : []),
  ...(refusals.includes('PRICE_MISMATCH') && typeof item?.price === 'number'
    ? [`It costs ${money(item.price)}, which is above ${maxPrice}.`]
    : []),
]

/** Null where the service does not say whose trade URL it is. */
const recipientText = ({
  tradeUrl,
  personaName,
  platformId,
  state,
}: PreflightResponse['recipient']): string | null =>
  tradeUrl === null ? null : `${personaName ?? platformId ?? 'an unknown account'} (${state})`

interface Bought extends BuyOptions {
  readonly listing: string
  readonly maxPrice: string
  readonly externalId: string
}

function unanswered(
  { commandLine }: Environment,
  error: TransportError,
  { listing, maxPrice, externalId, tradeUrl, ...options }: Bought,
): CommandError {
  const to = tradeUrl === undefined ? '' : ` --trade-url ${shellWord(tradeUrl)}`
  const words = `--max-price ${maxPrice} --external-id ${shellWord(externalId)} --yes`
  return new CommandError(`The outcome of the buy is unknown: ${error.message}`, EXIT.unanswered, [
    'This command finds out, and buys it if it was not bought:',
    commandLine(`buy ${shellWord(listing)} ${words}${behalfWords(options)}${to}`),
  ])
}
