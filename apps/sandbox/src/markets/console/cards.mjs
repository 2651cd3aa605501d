// The cards of both markets.
import { addCard } from '../../console/cards.mjs'
import { act, call } from '../../console/control.mjs'
import { marketName, money } from '../../console/format.mjs'

/** Most used first. */
const WORDS = {
  'reject:sold_out': 'refused: sold out',
  'reject:price_changed': 'refused: the price has changed',
  'reject:no_funds': 'refused: our balance is too low',
  'reject:unknown': 'refused: no reason is given',
  lost_reply_placed: 'bought, but the answer is lost',
  lost_reply_not_placed: 'not bought, and the answer is lost',
  http_500: 'answers 500, not bought',
  502: 'answers 502, not bought',
  html_200: 'answers 200 with a web page, not bought',
  429: 'answers 429, too many calls',
  403: 'answers 403',
  'slow:5000': 'answers 5 seconds late',
  seller_cancels: 'the seller cancels before the offer',
  seller_cancels_offer: 'the seller cancels after the offer',
  unlikely_seller_cancels: 'an unlikely seller cancels before the offer (market A)',
  'reversal_by:user': 'the buyer reverses it in the hold',
  'reversal_by:supplier': 'the seller reverses it in the hold',
  success_without_id: 'bought, the answer has no id',
  failure_with_id: 'bought, the answer says that it failed',
  extra_status_6: 'a refused attempt stays in the list (market B)',
  'lookup_blind:5': 'now: look-ups show no orders for 5 seconds',
  'lost_reply_placed+lookup_blind:5':
    'bought, the answer is lost and look-ups do not show it for 5 seconds',
  socket_cut: 'now: sockets close',
  token_expired: 'now: tokens of sockets expire (market A)',
  duplicate_news: 'now: 20 messages come twice',
}

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
    summary: ({ listings, accounts }) => {
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
