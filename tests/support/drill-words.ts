// What the drill's test lets the sandbox play, by its script words, and what differs then.
//
// What a drill can say and the sandbox does not play:
//
// | Part | Says | Why not |
// |---|---|---|
// | all | an answer that cannot be read | its answers have one form: adapters' own tests have false ones |
// | market-a | an old export, one without rows or chances | it makes one when it is asked, of what it has |
// | market-a | a history that is not whole | a market with more orders in a day than pages are read |
// | market-b | a bad link that is good, a snapshot without automatic sellers | it has both kinds |
// | both | an order under an id that was never sent, an absence that is not stated | it knows its orders |
// | buy | two orders under one id | the listing is sold, and no other is given for it |
// | buy | a fault that is not clear, an order under another id | it says who it was, and keeps its ids |
// | gateway | another address, no terms, an order that waits after its end | it keeps its orders |
// | onramp | a quote that is refused | the amount is within its bounds |
import type { MarketId } from './sandbox.ts'

/** What is played together, and what differs then. */
export interface Played {
  readonly words: readonly string[]
  readonly differs: Readonly<Record<string, RegExp>>
}

export const BOT_CHECKS = [
  ...['web-api', 'trade-page', 'own-inventory in context 2', 'own-inventory in context 16'],
  ...['confirmations-list', 'acknowledge'],
]
export const PLATFORM: readonly Played[] = [
  {
    words: ['hold_empty', 'hidden_items'],
    differs: { 'web-api': /says nothing of the hold/, 'inventory, without a log-in': /no item/ },
  },
  {
    words: ['hold_403', 'my_hold', 'refuse_reads:1'],
    differs: {
      'web-api': /says nothing of the hold: status 403/,
      'trade-page': /held for \d+ s because of the bot itself/,
      'inventory, without a log-in': /status 429/,
    },
  },
  { words: ['my_hold'], differs: { 'web-api': /held for \d+ s because of the bot itself/ } },
  {
    words: [
      ...['429:trade-page', '429:web-api', '429:own-inventory', '429:inventory'],
      ...['429:confirmations-list', '429:acknowledge'],
    ],
    differs: {
      'inventory, without a log-in': /status 429/,
      'web-api': /too many calls/,
      'trade-page': /too many calls/,
      'own-inventory in context 2': /too many calls/,
      'confirmations-list': /too many calls/,
      acknowledge: /too many calls/,
    },
  },
]

export const GATEWAY: readonly (readonly [word: string, ...checks: string[]])[] = [
  ['reject:400621', 'create'],
  ['lost_reply_placed', 'create'],
  ['lost_reply_not_placed', 'create'],
  ['http_500', 'create'],
  ['http_500+placed', 'create'],
  ['html_200', 'create'],
  ['429', 'create'],
  ['query_http_500', 'query', 'close'],
  ['query_lost_reply', 'query', 'close'],
  ['other_order', 'query', 'close'],
  ['false_total:3', 'query'],
  ['false_payment:x', 'query', 'close'],
]

export const ONRAMP = ['query_http_500', 'query_lost_reply', 'false_amount:x'] as const

export const CHAINS = [
  ['traces', { noTraces: true }, { noTraces: false }],
  ['block receipts', { noBlockReceipts: true }, { noBlockReceipts: false }],
  ['chain id', { wrongChainId: true }, { wrongChainId: false }],
  ['calls a second', { callsPerSecond: 5 }, { callsPerSecond: 0 }],
  ['chain id', { online: false }, { online: true }],
] as const
export const CHAIN_WORDS = ['http_429', 'http_500'] as const

const EXISTS = /had no answer .*; the order exists: \d+/
const NOT_SHOWN = /had no answer .*; no look-up shows an order/
const NOT_SENT = { accept: /was not sent/, decline: /was not sent/, expire: /was not sent/ }
/** Three purchases each: one that is to be accepted, declined, left alone. */
export const PURCHASES: readonly (Played & { readonly at?: MarketId })[] = [
  {
    words: ['lost_reply_placed', 'failure_with_id', 'success_without_id'],
    differs: { accept: EXISTS, decline: EXISTS, expire: EXISTS },
  },
  {
    words: ['http_500+placed', '502+placed', 'html_200+placed'],
    differs: { accept: EXISTS, decline: EXISTS, expire: EXISTS },
  },
  {
    at: 'market_a',
    words: ['http_500', 'lost_reply_not_placed', 'reject:no_funds'],
    differs: { accept: NOT_SHOWN, decline: NOT_SHOWN, expire: /refused, MARKET_UNAVAILABLE/ },
  },
  {
    at: 'market_a',
    words: ['429', 'slow:1+lookup_blind:60', 'overcharge:500'],
    differs: { accept: NOT_SHOWN, decline: /stated to be absent/, expire: /were taken, above/ },
  },
  {
    at: 'market_b',
    words: ['502', 'html_200', 'reject:no_funds'],
    differs: { accept: NOT_SHOWN, decline: NOT_SHOWN, expire: /refused, MARKET_UNAVAILABLE/ },
  },
  {
    at: 'market_b',
    words: ['reject:unknown', 'slow:1+lookup_blind:60', 'overcharge:500'],
    differs: { accept: NOT_SHOWN, decline: /stated to be absent/, expire: /were taken, above/ },
  },
  { at: 'market_b', words: ['403', '403', '403'], differs: NOT_SENT },
]

/** What no check looks at, and why. */
export const UNSEEN: Readonly<Record<string, string>> = {
  unlikely_seller_cancels: 'seller_cancels, of sellers whose chance is low',
  'reversal_by:supplier': 'as by the user: the balance alone shows it',
  penalties: 'only after a reversal, which comes after the end that a drill waits for',
  extra_status_6: 'the look-up takes the row that was placed: as expected',
  lost_cancel_done: 'the drill cancels nothing',
  lost_cancel_not_done: 'the drill cancels nothing',
  socket_cut: 'the drill opens no socket',
  token_expired: 'the drill opens no socket',
  duplicate_news: 'the drill opens no socket',
  session_lost: 'of a send, and the drill sends nothing',
  end_sessions: 'a drill begins with log-ins',
  foreign_confirmation: 'it is counted with those that wait',
  status_2: 'of a trade, and the drill makes none',
  status_2_bare: 'of a trade, and the drill makes none',
  other_wallet: 'what others are paid is not ours: it is passed over',
  sends: 'the drill pays nothing by card',
  conversion_delay: 'the drill pays nothing',
  payment_blocked: 'the drill pays nothing',
  exchange_failed: 'the drill pays nothing',
  notice_lost: 'notices go to the service',
  notice_doubled: 'notices go to the service',
  notice_delayed: 'notices go to the service',
  notice_reordered: 'notices go to the service',
  notice_forged: 'notices go to the service',
  drop_answer: 'of a transaction, and the drill sends none',
  swallow_send: 'of a transaction, and the drill sends none',
  latencyMs: 'an answer that is too late is as none: it is away',
  balance: 'reject:no_funds',
  settling: 'it is shown beside the balance',
  restoreKeys: 'it ends a fault',
  paymentLists: 'the detail is asked for, and has them',
  halted: 'the head is as good as before',
  baseFee: 'the drill sends no transaction',
  staleBlocks: 'an older head is as good',
  duplicateLogs: 'the drill reads no logs',
  noLogs: 'the drill reads no logs',
}
