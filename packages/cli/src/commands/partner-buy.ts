// Buys one listing with a key of the partner interface: at the base price that was read, and not above a
// bound with fees; under an idempotency key that makes a retry safe.
import { show } from '../cli.ts'
import type { Environment } from '../environment.ts'
import { CommandError, EXIT, refusedBefore, usageError } from '../failure.ts'
import { type partner, TransportError } from '../sdk.ts'
import type { PartnerSession } from '../session.ts'
import { shellWord } from '../shell-words.ts'
import { detailsText } from '../table.ts'
import { money } from '../text.ts'
import { confirm } from './confirm.ts'
import type { BuyOptions } from './market-options.ts'
import { refuseOptions } from './partner-market.ts'
import { noTradeUrl } from './trade-url.ts'

interface Wanted extends BuyOptions {
  readonly listing: string
}

export async function buyAsPartner(
  environment: Environment,
  session: PartnerSession,
  options: Wanted,
): Promise<void> {
  const { account } = session
  refuseOptions({ '--on-behalf-of': options.onBehalfOf })
  const market = marketOf(options)
  const { listing, tradeUrl } = options
  if (tradeUrl === undefined) throw noTradeUrl(session, '--trade-url is missing.')
  const price = await priceOf(environment, session, { ...options, market })
  await confirm(environment, options)
  const idempotencyKey = options.externalId ?? `cli-${environment.newId()}`
  environment.terminal.note(`idempotency key  ${idempotencyKey}`)
  const body: partner.BuyBody = { itemId: listing, price, market, tradeUrl }
  // Not interruptible from here on: after Ctrl-C the outcome would be unknown.
  const bought = await account.market.buy(body, { idempotencyKey }).catch((error: unknown) => {
    if (error instanceof TransportError) throw unanswered(environment, error, body, idempotencyKey)
    throw error
  })
  const { order, item } = bought
  show(environment, options, { ...bought, externalId: idempotencyKey }, () =>
    detailsText(
      [
        ['order', order.serviceOrderId],
        ['status', order.status],
        ['paid', money(item.priceWithFee, 'USD')],
        ['follow', environment.commandLine('orders')],
      ],
      environment.terminal.outPaint.dim,
    ),
  )
}

function marketOf({ market }: BuyOptions): partner.Market {
  if (market === 'market_a' || market === 'market_b') return market
  throw usageError('--market is market_a or market_b.')
}

/** The base price to name: the given one, or that of now when the bound covers it with its fees. */
async function priceOf(
  environment: Environment,
  { account, baseUrl }: PartnerSession,
  { listing, item, market, price, maxPrice }: Wanted & { readonly market: partner.Market },
): Promise<number> {
  if (price !== undefined) return Number(price)
  if (maxPrice === undefined) throw usageError('--max-price is missing.')
  if (item === undefined) throw usageError('--item is missing: the item of the listing.')
  const [found] = await account.market.details([{ item, listing, market }], {
    signal: environment.signal,
  })
  if (found === undefined || 'error' in found) {
    throw refusedBefore([found?.error ?? 'LISTING_NOT_FOUND'], baseUrl)
  }
  environment.terminal.note(
    detailsText(
      [
        ['item', found.marketHashName],
        ['base price', money(found.price, 'USD')],
        ['you pay', money(found.priceWithFee, 'USD')],
      ],
      environment.terminal.notePaint.dim,
    ),
  )
  if (found.priceWithFee > Number(maxPrice)) {
    throw new CommandError(
      `It costs ${money(found.priceWithFee)}, which is above ${maxPrice}. Nothing was bought.`,
      EXIT.refused,
    )
  }
  return found.price
}

function unanswered(
  { commandLine }: Environment,
  error: TransportError,
  { itemId, price, market, tradeUrl = '' }: partner.BuyBody,
  idempotencyKey: string,
): CommandError {
  const names = `--external-id ${shellWord(idempotencyKey)} --yes`
  const order = `--market ${market} --price ${price.toFixed(2)} ${names}`
  return new CommandError(`The outcome of the buy is unknown: ${error.message}`, EXIT.unanswered, [
    'This command finds out, and buys it if it was not bought:',
    commandLine(`buy ${shellWord(itemId)} ${order} --trade-url ${shellWord(tradeUrl)}`),
  ])
}
