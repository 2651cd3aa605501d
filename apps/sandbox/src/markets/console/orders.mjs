// Every purchase at the two markets, with or without an offer.
import { call } from '../../console/control.mjs'
import {
  bdi,
  el,
  keyedList,
  part,
  picture,
  setAttribute,
  setPieces,
  setText,
} from '../../console/dom.mjs'
import { ago, marketName, money } from '../../console/format.mjs'
import { addTab, viewBar } from '../../console/tabs.mjs'

addTab({ id: 'orders', label: 'Orders', show: showOrders })

const TONES = /** @type {Record<string, string>} */ ({
  placed: 'wait',
  confirming: 'wait',
  offered: 'act',
  held: 'hold',
  released: 'good',
})

const SHOWN = 200

/**
 * @param {HTMLElement} main
 * @returns {(state: {nowMs: number}) => Promise<void>}
 */
function showOrders(main) {
  const market = el(
    'select',
    { 'aria-label': 'Market of the orders shown' },
    el('option', { value: '' }, 'both markets'),
    el('option', { value: 'market_a' }, 'Market A'),
    el('option', { value: 'market_b' }, 'Market B'),
  )
  const rows = el('ul', { class: 'rows', id: 'orders' })
  const empty = el('p', { class: 'empty' }, 'Nothing was bought yet.')
  main.replaceChildren(viewBar('Orders at the markets', market), rows, empty)
  let nowMs = 0
  const show = keyedList(rows, {
    key: (/** @type {any} */ order) => String(order.order),
    create: createOrder,
    update: (row, order) => updateOrder(row, order, nowMs),
  })
  return async (state) => {
    const narrowed = market.value === '' ? '' : `&market=${market.value}`
    const { items } = await call('GET', `/orders?limit=${SHOWN}${narrowed}`)
    nowMs = state.nowMs
    show(items)
    empty.hidden = items.length > 0
  }
}

/** @param {any} order */
function createOrder(order) {
  return el(
    'li',
    { class: 'row', 'data-order': order.order },
    el(
      'div',
      { class: 'what' },
      picture(order.icon),
      el('strong', {}, bdi(order.marketHashName)),
      el('small', { 'data-part': 'about' }),
    ),
    el(
      'div',
      { class: 'who' },
      el('span', {}, money(order.price)),
      el('small', { 'data-part': 'refund' }),
    ),
    el(
      'div',
      { class: 'when' },
      el('span', { class: 'badge', 'data-part': 'stage' }),
      el('small', { 'data-part': 'time' }),
    ),
  )
}

/**
 * @param {HTMLElement} row
 * @param {any} order
 * @param {number} nowMs
 */
function updateOrder(row, order, nowMs) {
  const ids = [
    marketName(order.market),
    `listing ${order.listingId}`,
    order.customId,
    order.offerId && `offer ${order.offerId}`,
    order.isHidden && 'hidden from look-ups',
  ]
  setPieces(part(row, 'about'), ids)
  setText(
    part(row, 'refund'),
    Number(order.refund) > 0 ? `${money(order.refund)} came back` : order.token,
  )
  const stage = part(row, 'stage')
  setText(stage, order.stage)
  setAttribute(stage, 'data-tone', TONES[order.stage] ?? 'bad')
  setText(part(row, 'time'), ago(order.placedAt, nowMs))
}
