// Trade offers, with a button for every action that is still possible.
import { act, call, Refused } from '../../console/control.mjs'
import {
  el,
  keyedList,
  part,
  picture,
  setAttribute,
  setChildren,
  setPieces,
  setText,
  tradeLink,
} from '../../console/dom.mjs'
import { ago, marketName, money } from '../../console/format.mjs'
import { addTab, viewBar } from '../../console/tabs.mjs'

addTab({ id: 'offers', label: 'Offers', show: showOffers, count: countWaiting })

/** The tone of a state, for its badge. */
const TONES = /** @type {Record<string, string>} */ ({
  needs_confirmation: 'wait',
  active: 'act',
  accepted: 'hold',
  settled: 'good',
  declined: 'bad',
  expired: 'bad',
  canceled: 'bad',
  reversed: 'bad',
})

const SHOWN = 100

/**
 * @param {HTMLElement} main
 * @returns {(state: {nowMs: number, serviceUrl: string | null}) => Promise<void>}
 */
function showOffers(main) {
  const filter = el(
    'select',
    { 'aria-label': 'State of the offers shown' },
    ...[
      'all states',
      'active',
      'accepted',
      'settled',
      'declined',
      'expired',
      'canceled',
      'reversed',
    ].map((state, i) => el('option', { value: i === 0 ? '' : state }, state)),
  )
  /** @type {string[]} */
  let active = []
  const all = el(
    'button',
    {
      type: 'button',
      hidden: true,
      onclick: () => {
        const ids = active
        return act(`${ids.length} offers are accepted.`, () => acceptAll(ids))
      },
    },
    'Accept all',
  )
  const rows = el('ul', { class: 'rows', id: 'offers' })
  const empty = el(
    'p',
    { class: 'empty' },
    'No offer yet. Buy something with the token manual00 in the trade URL, and it waits here for you.',
  )
  main.replaceChildren(viewBar('Trade offers on the platform', filter, all), rows, empty)
  let nowMs = 0
  /** @type {string | null} */
  let serviceUrl = null
  const show = keyedList(rows, {
    key: (/** @type {any} */ offer) => String(offer.offerId),
    create: createOffer,
    update: (row, offer) => {
      updateOffer(row, offer, nowMs)
      const id = offer.customId ?? offer.offerId
      setChildren(part(row, 'trade'), `${serviceUrl} ${id}`, () => [tradeLink(serviceUrl, id)])
    },
  })
  return async (state) => {
    const narrowed = filter.value === '' ? '' : `&state=${filter.value}`
    const { items } = await call('GET', `/offers?limit=${SHOWN}${narrowed}`)
    nowMs = state.nowMs
    serviceUrl = state.serviceUrl
    // Sellers' offers and those of bots are two lists, each newest first.
    items.sort((/** @type {any} */ one, /** @type {any} */ other) =>
      String(other.offeredAt ?? '9').localeCompare(String(one.offeredAt ?? '9')),
    )
    active = items.flatMap((/** @type {any} */ { state: is, offerId }) =>
      is === 'active' ? [String(offerId)] : [],
    )
    all.hidden = active.length < 2
    setText(all, `Accept all ${active.length}`)
    show(items)
    empty.hidden = items.length > 0
  }
}

/**
 * One after the other: one that has just ended by itself keeps none of the others waiting.
 * @param {readonly string[]} ids
 */
async function acceptAll(ids) {
  let refused = null
  for (const id of ids) {
    try {
      await call('POST', `/offers/${id}/accept`)
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      refused = error
    }
  }
  if (refused !== null) throw refused
}

/** @param {any} offer */
function createOffer(offer) {
  return el(
    'li',
    { class: 'row', tabindex: '-1', 'data-offer': offer.offerId },
    el(
      'div',
      { class: 'what' },
      picture(iconOf(offer)),
      el('strong', { 'data-part': 'name' }),
      el('small', { 'data-part': 'about' }),
    ),
    el(
      'div',
      { class: 'who' },
      el('span', { 'data-part': 'price' }),
      el('small', { 'data-part': 'buyer' }),
      el('small', { 'data-part': 'trade' }),
    ),
    el(
      'div',
      { class: 'when' },
      el('span', { class: 'badge', 'data-part': 'state' }),
      el('small', { 'data-part': 'time' }),
    ),
    el('div', { class: 'acts', 'data-part': 'acts' }),
  )
}

/**
 * Of the first item.
 * @param {any} offer
 */
const iconOf = ({ icon, take = [], give = [] }) => icon ?? [...take, ...give][0]?.icon

/**
 * @param {HTMLElement} row
 * @param {any} offer
 * @param {number} nowMs
 */
function updateOffer(row, offer, nowMs) {
  setPieces(part(row, 'name'), [nameOf(offer)])
  setPieces(part(row, 'about'), [
    `offer ${offer.offerId}`,
    originOf(offer),
    offer.customId,
    offer.message,
  ])
  setText(part(row, 'price'), sizeOf(offer))
  setChildren(part(row, 'buyer'), `${offer.platformId} ${offer.token}`, () => [
    offer.platformId
      ? el('a', { href: `#inventory/${offer.platformId}` }, `${offer.partner ?? offer.platformId}`)
      : null,
    offer.token ? ` · ${offer.token}` : '',
  ])
  const state = part(row, 'state')
  setText(state, offer.state.replaceAll('_', ' '))
  setAttribute(state, 'data-tone', TONES[offer.state] ?? 'wait')
  setText(part(row, 'time'), timeOf(offer, nowMs))
  const acts = part(row, 'acts')
  const hadFocus = acts.contains(document.activeElement)
  setChildren(acts, offer.state, () => actsOf(offer))
  // The button that was pressed is gone: the keyboard goes on from the row.
  if (hadFocus && !acts.contains(document.activeElement)) row.focus()
}

/** @param {any} offer */
function sizeOf({ price, give = [], take = [] }) {
  if (price !== undefined) return money(price)
  const count = give.length + take.length
  return `${count} item${count === 1 ? '' : 's'}`
}

const MOST_NAMES = 3

/** @param {any} offer */
function nameOf({ marketHashName, phase, give = [], take = [] }) {
  if (marketHashName) return `${marketHashName}${phase ? ` · ${phase}` : ''}`
  const parts = [namesOf('takes', take), namesOf('gives', give)].filter(Boolean)
  return parts.length === 0 ? 'Items' : `Bot ${parts.join(', ')}`
}

/**
 * @param {string} verb
 * @param {any[]} items
 */
function namesOf(verb, items) {
  if (items.length === 0) return ''
  const names = items.slice(0, MOST_NAMES).map((item) => item.marketHashName ?? item.assetId)
  const more = items.length > MOST_NAMES ? ` and ${items.length - MOST_NAMES} more` : ''
  return `${verb} ${names.join(', ')}${more}`
}

/** @param {any} offer */
function originOf({ market, botId }) {
  return market ? marketName(market) : botId && `bot ${botId}`
}

/**
 * @param {any} offer
 * @param {number} nowMs
 */
function timeOf(offer, nowMs) {
  if (offer.endedAt) return ago(offer.endedAt, nowMs)
  if (offer.state === 'accepted' && offer.settlesAt) return `settles ${ago(offer.settlesAt, nowMs)}`
  if (offer.state === 'active' && offer.expiresAt) return `expires ${ago(offer.expiresAt, nowMs)}`
  return ago(offer.offeredAt, nowMs)
}

/** @param {any} offer */
function actsOf({ offerId, state, botId }) {
  /**
   * @param {string} label
   * @param {string} verb
   * @param {string} done
   * @param {object} [body]
   */
  const button = (label, verb, done, body) =>
    el(
      'button',
      {
        type: 'button',
        'data-verb': verb,
        class: verb === 'accept' ? 'main' : '',
        'aria-label': `${label} offer ${offerId}`,
        onclick: () =>
          act(`Offer ${offerId} ${done}.`, () => call('POST', `/offers/${offerId}/${verb}`, body)),
      },
      label,
    )
  if (state === 'active') {
    return [
      button('Accept', 'accept', 'is accepted'),
      button('Decline', 'decline', 'is declined'),
      button('Expire', 'expire', 'has run out'),
    ]
  }
  // A trade with a bot can be reverted only by the account on the other side.
  if (state === 'accepted' && botId) {
    return [button('Account reverts', 'revert', 'was taken back')]
  }
  if (state === 'accepted') {
    return [
      button('Buyer reverts', 'revert', 'was taken back by the buyer', { by: 'user' }),
      button('Seller reverts', 'revert', 'was taken back by the seller', { by: 'supplier' }),
    ]
  }
  return []
}

/**
 * Offers of sellers that wait for an answer.
 * @param {any} state
 */
function countWaiting({ markets }) {
  return Object.values(markets).reduce(
    (/** @type {number} */ sum, /** @type {any} */ { orders }) => sum + (orders.offered ?? 0),
    0,
  )
}
