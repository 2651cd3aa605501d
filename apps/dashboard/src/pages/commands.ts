// Commands to paste into a terminal, in the order of a newcomer's first day. They need a shell and curl, and
// nothing of ours: a newcomer has no checkout, and the command line is in no registry.

/** What a command reads the key from. */
export type KeyVariable = 'TRADEPOST_API_KEY' | 'TRADEPOST_PARTNER_KEY'

/** The variable for a key of this kind of account, or of a child of it. */
export const keyVariableOf = (kind: 'merchant' | 'partner' | 'admin' | undefined): KeyVariable =>
  kind === 'partner' ? 'TRADEPOST_PARTNER_KEY' : 'TRADEPOST_API_KEY'

export const exportOf = (
  variable: KeyVariable | 'TRADEPOST_WEBHOOK_SECRET',
  secret: string,
): string => `export ${variable}='${secret}'`

/** One option a line, so that no line has to be broken where it is shown. */
const curl = (path: string, ...options: readonly string[]): string =>
  [`curl -s "${location.origin}${path}"`, ...options].join(' \\\n  ')

const API_KEY = '-H "api-key: $TRADEPOST_API_KEY"'

/** A text of the body that is `$NAME` becomes what the shell has in that variable. */
const post = (path: string, body: object, ...headers: readonly string[]): string =>
  curl(path, API_KEY, ...headers, '-H "content-type: application/json"', `-d '${dataOf(body)}'`)

const SHORT = 60

function dataOf(body: object): string {
  const line = JSON.stringify(body)
  const data = line.length <= SHORT ? line : JSON.stringify(body, null, 2).replaceAll('\n', '\n  ')
  return data.replace(/"(\$[A-Z_]+)"/g, (_, variable: string) => `"'"${variable}"'"`)
}

const GATEWAY = '/user/wallet/deposit/gate'
const QUOTE = post(`${GATEWAY}/quote`, { amount: '100.00', currency: 'USDT' })
/** The first one shows its answer, and keeps the quote token of it for the second one. */
export const PAY_IN: readonly string[] = [
  `QUOTE=$(${QUOTE} |\n  tee /dev/stderr | sed -n 's/.*"quoteToken":"\\([^"]*\\)".*/\\1/p')`,
  post(GATEWAY, { quoteToken: '$QUOTE', chain: 'BASEEVM' }),
]

/** It answers 200 to whatever it is sent, and this machine alone can reach it. */
export const ENDPOINT = `node -e 'require("http").createServer((q, r) => r.end()).listen(4000, "127.0.0.1")'`
export const ADD_USER = post('/merchant/users', { externalId: 'user-1' })
export const TRY_OUT = curl('/market/search?inStock=true&limit=5', API_KEY)
/** For the key of a partner, or of a child. */
const PARTNER_KEY = '-H "X-API-Key: $TRADEPOST_PARTNER_KEY"'
export const PARTNER_TRY_OUT = curl('/v2/market/search?end=5', PARTNER_KEY)
/** Listings, each with what a buy of it names. */
export const PARTNER_LISTINGS = curl('/v2/partner/live/listings', PARTNER_KEY)

/** With ID, PRICE and MARKET of a listing for the reader to fill in; the price is a number. */
export const partnerBuyOne = (isSandbox: boolean): string => {
  const tradeUrl = tradeUrlIn(isSandbox)
  const data = dataOf({ itemId: 'ID', price: 'PRICE', market: 'MARKET', tradeUrl })
  const options = [PARTNER_KEY, '-H "content-type: application/json"']
  return curl('/v2/market/buy', ...options, `-d '${data.replace('"PRICE"', 'PRICE')}'`)
}

/** Any partner number is a buyer of the sandbox; this token accepts each offer. */
const SANDBOX_TRADE_URL = 'https://steamcommunity.com/tradeoffer/new/?partner=42&token=accept00'

const tradeUrlIn = (isSandbox: boolean): string => (isSandbox ? SANDBOX_TRADE_URL : '$TRADE_URL')

/** With ITEM and PRICE for the reader to fill in. */
export const buyOne = (isSandbox: boolean): string =>
  post('/market/quick-buy', {
    ...{ itemId: 'ITEM', maxPrice: 'PRICE', amount: 1, delivery: 'standard' },
    tradeUrl: tradeUrlIn(isSandbox),
  })

interface BuyListing {
  readonly id: string
  readonly maxPrice: string
  /** The sub-user that buys, by its id or external id; empty: the merchant itself. */
  readonly subUser: string
  readonly isSandbox: boolean
}

/** The listing is bought once, however often the call is sent: its id is the external id. */
export const buyListing = ({ id, maxPrice, subUser, isSandbox }: BuyListing): string =>
  post(
    '/market/buy',
    {
      ...{ externalId: `listing-${id}`, tradeUrl: tradeUrlIn(isSandbox) },
      items: [{ listingId: id, maxPrice }],
    },
    ...(subUser === '' ? [] : [`-H ${quoted(`On-Behalf-Of: ${subUser}`)}`]),
  )

/** As one word of a shell, whatever is in it. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
