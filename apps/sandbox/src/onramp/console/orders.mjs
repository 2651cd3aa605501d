// The on-ramp's orders: the page of each, and the end that the developer gives it.
import { act, call } from '../../console/control.mjs'
import { bdi, el, keyedList, part, setAttribute, setText } from '../../console/dom.mjs'
import { ago, depositName } from '../../console/format.mjs'
import { addTab, viewBar } from '../../console/tabs.mjs'

addTab({ id: 'onramp', label: 'On-ramp', show: showOrders, count: ({ onramp }) => onramp.open })

const NAMES = /** @type {Record<string, string>} */ ({
  '-4': 'amount mismatch',
  '-3': 'name mismatch',
  '-2': 'abandoned',
  '-1': 'timed out',
  0: 'waiting',
  2: 'paid',
  12: 'buying',
  14: 'sending',
  15: 'complete',
  16: 'complete',
})

const DONE = { complete: 'complete', fail: 'failed' }

/**
 * @param {HTMLElement} main
 * @returns {(state: {nowMs: number}) => Promise<void>}
 */
function showOrders(main) {
  const rows = el('ul', { class: 'rows', id: 'onramp-orders' })
  const empty = el('p', { class: 'empty' }, 'No deposit was begun at the on-ramp yet.')
  main.replaceChildren(viewBar('Orders at the card on-ramp'), rows, empty)
  let nowMs = 0
  const show = keyedList(rows, {
    key: (/** @type {any} */ order) => String(order.orderId),
    create: createOrder,
    update: (row, order) => updateOrder(row, order, nowMs),
  })
  return async (state) => {
    const { items } = await call('GET', '/onramp/orders')
    nowMs = state.nowMs
    show(items)
    empty.hidden = items.length > 0
  }
}

/** @param {any} order */
function createOrder({ orderId, merchantRecognitionId, fiatAmount, fiat, pagePath }) {
  const button = (/** @type {'complete' | 'fail'} */ verb) =>
    el(
      'button',
      {
        type: 'button',
        'data-part': verb,
        onclick: () =>
          act(`Order ${orderId} is ${DONE[verb]}.`, () =>
            call('POST', `/onramp/${orderId}/${verb}`),
          ),
      },
      verb,
    )
  return el(
    'li',
    { class: 'row', 'data-order': orderId },
    el(
      'div',
      { class: 'what' },
      el('strong', {}, `${fiatAmount} ${fiat}`),
      el('small', {}, bdi(depositName(merchantRecognitionId)), ` · order ${orderId}`),
    ),
    el('div', { class: 'who' }, el('small', { 'data-part': 'coins' })),
    el(
      'div',
      { class: 'when' },
      el('span', { class: 'badge', 'data-part': 'status' }),
      el('small', { 'data-part': 'time' }),
    ),
    el(
      'div',
      { class: 'acts' },
      el('a', { href: pagePath, target: '_blank', rel: 'noopener noreferrer' }, 'page'),
      button('complete'),
      button('fail'),
    ),
  )
}

/**
 * @param {HTMLElement} row
 * @param {any} order
 * @param {number} nowMs
 */
function updateOrder(row, order, nowMs) {
  const status = part(row, 'status')
  setText(status, NAMES[order.status] ?? String(order.status))
  setAttribute(status, 'data-tone', order.status < 0 ? 'bad' : order.status > 14 ? 'good' : 'wait')
  setText(part(row, 'time'), ago(order.updatedAt, nowMs))
  const amount = order.status > 14 ? order.sentAmount : order.coinAmount
  setText(part(row, 'coins'), `${amount} ${order.coinCode} on ${order.network}`)
  const hasEnded = order.status < 0 || order.status > 14
  part(row, 'complete').hidden = hasEnded
  part(row, 'fail').hidden = hasEnded
}
