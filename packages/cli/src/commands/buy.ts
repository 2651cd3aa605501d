// Buys one listing after showing its cost, under an external id that makes a retry safe.
import { accountOf, amount, type Cli, command, show, withBehalf } from '../cli.ts'
import type { Environment } from '../environment.ts'
import { CommandError, EXIT, refusedBefore, usageError } from '../failure.ts'
import { type BuyBody, type PreflightResponse, TransportError } from '../sdk.ts'
import { detailsText } from '../table.ts'
import { money } from '../text.ts'
import { confirm, profileWords, shellWord } from './confirm.ts'
import type { BuyOptions } from './market-options.ts'
import { buyAsPartner } from './partner-buy.ts'

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
    environment.terminal.note(previewText(environment, preview, options.tradeUrl))
    if (!preview.passes && preview.tradeId === null) {
      throw refusedBefore(preview.refusals, baseUrl(), adviceOf(preview, maxPrice))
    }
    await confirm(environment, options)
    environment.terminal.note(`external id  ${externalId}`)
    // Not interruptible from here on: after Ctrl-C the outcome would be unknown.
    const bought = await market.buy(body).catch((error: unknown) => {
      if (error instanceof TransportError)
        throw unanswered(error, listing, { ...options, maxPrice }, externalId)
      throw error
    })
    show(environment, options, { ...bought, externalId }, () =>
      detailsText(
        [
          ['trade', bought.id],
          ['status', bought.status],
          ['total', money(bought.totalPrice, preview.balance.currency)],
          ['follow', `tradepost trades show ${bought.id}${profileWords(options)}`],
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
  { items, recipient, balance, tradeId }: PreflightResponse,
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
      ['goes to', recipientText(recipient, tradeUrl)],
      ['wallet', `${sum(balance.before)}, afterwards ${sum(balance.after)}`],
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

const recipientText = (
  recipient: PreflightResponse['recipient'],
  named: string | undefined,
): string =>
  recipient.tradeUrl === null
    ? (named ?? 'no trade URL is set: name one with --trade-url')
    : `${recipient.personaName ?? recipient.platformId ?? 'an unknown account'} (${recipient.state})`

const unanswered = (
  error: TransportError,
  listing: string,
  options: BuyOptions & { readonly maxPrice: string },
  externalId: string,
): CommandError => {
  const { maxPrice, onBehalfOf, tradeUrl } = options
  return new CommandError(`The outcome of the buy is unknown: ${error.message}`, EXIT.unanswered, [
    'This command finds out, and buys it if it was not bought:',
    `tradepost buy ${listing} --max-price ${maxPrice} --external-id ${externalId} --yes${
      onBehalfOf === undefined ? '' : ` --on-behalf-of ${shellWord(onBehalfOf)}`
    }${tradeUrl === undefined ? '' : ` --trade-url ${shellWord(tradeUrl)}`}${profileWords(options)}`,
  ])
}
