// The cards of both markets.
import { addCard } from '../../console/cards.mjs'
import { act, call } from '../../console/control.mjs'
import { marketName, money } from '../../console/format.mjs'

/** Most used first. */
const WORDS = [
  'reject:sold_out',
  'reject:price_changed',
  'reject:no_funds',
  'reject:unknown',
  'lost_reply_placed',
  'lost_reply_not_placed',
  'http_500',
  '502',
  'html_200',
  '429',
  '403',
  'slow:5000',
  'seller_cancels',
  'seller_cancels_offer',
  'unlikely_seller_cancels',
  'reversal_by:user',
  'reversal_by:supplier',
  'success_without_id',
  'failure_with_id',
  'extra_status_6',
  'lookup_blind:5',
  'lost_reply_placed+lookup_blind:5',
  'socket_cut',
  'token_expired',
  'duplicate_news',
]

for (const id of ['market_a', 'market_b']) {
  const name = marketName(id)
  const path = `/markets/${id}`
  addCard({
    id,
    name,
    path,
    words: WORDS,
    target: 'purchase',
    select: ({ markets }) => markets[id],
    facts: ({ listings, accounts }) => {
      const balances = accounts.map((/** @type {any} */ { balance }) => money(balance))
      return `${listings.toLocaleString('en')} listings · account ${balances.join(', ')}`
    },
    notices: ({ accounts, lookupsBlind, forbidden }) => [
      ...(accounts.some((/** @type {any} */ { revoked }) => revoked)
        ? [restoreKeys(name, path)]
        : []),
      ...(lookupsBlind ? [{ text: 'look-ups blind' }] : []),
      ...(forbidden ? [{ text: 'our address is forbidden' }] : []),
    ],
  })
}

/**
 * @param {string} name
 * @param {string} path
 */
function restoreKeys(name, path) {
  const onclick = () =>
    act(`The keys of ${name} are valid again.`, () => call('PUT', path, { restoreKeys: true }))
  return { text: 'Key revoked: restore', onclick }
}
