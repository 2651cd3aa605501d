// The gateway's orders, with the buttons of a payer and of the gateway.
import { act, call } from '../../console/control.mjs'
import { el, keyedList, part, setAttribute, setChildren, setText } from '../../console/dom.mjs'
import { ago } from '../../console/format.mjs'
import { addTab } from '../../console/tabs.mjs'

addTab({
  id: 'gateway',
  label: 'Gateway',
  show: showOrders,
  count: ({ gateway }) => gateway.open,
})

const TONES = /** @type {Record<string, string>} */ ({
  PENDING: 'act',
  PROCESS: 'wait',
  PAID: 'good',
})

/**
 * @param {HTMLElement} main
 * @returns {(state: {nowMs: number}) => Promise<void>}
 */
function showOrders(main) {
  const rows = el('ul', { class: 'rows', id: 'gateway-orders' })
  const empty = el('p', { class: 'empty' }, 'No deposit was begun at the gateway yet.')
  main.replaceChildren(el('div', { class: 'bar' }, el('h2', {}, 'Gateway orders')), rows, empty)
  let nowMs = 0
  const show = keyedList(rows, {
    key: (/** @type {any} */ order) => order.prepayId,
    create: createOrder,
    update: (row, order) => updateOrder(row, order, nowMs),
  })
  return async (state) => {
    const { items } = await call('GET', '/gateway/orders')
    nowMs = state.nowMs
    show(items)
    empty.hidden = items.length > 0
  }
}

/** @param {any} order */
function createOrder({ prepayId, payAmount, payCurrency, chain, address }) {
  const amount = el('input', {
    type: 'text',
    inputmode: 'decimal',
    size: '10',
    placeholder: 'the rest',
    'aria-label': `Amount to pay for order ${prepayId}`,
  })
  const button = (/** @type {string} */ verb, /** @type {() => unknown} */ body) =>
    el(
      'button',
      {
        type: 'button',
        class: verb === 'pay' ? '' : 'plain',
        onclick: () =>
          act(`Order ${prepayId}: ${verb}.`, () =>
            call('POST', `/gateway/${prepayId}/${verb}`, body()),
          ),
      },
      verb,
    )
  const given = () => (amount.value.trim() === '' ? {} : { amount: amount.value.trim() })
  return el(
    'li',
    { class: 'row', 'data-prepay': prepayId },
    el(
      'div',
      { class: 'what' },
      el('strong', {}, `${payAmount} ${payCurrency} on ${chain}`),
      el('small', {}, `${prepayId} · ${address}`),
      el('small', { 'data-part': 'payments' }),
    ),
    el(
      'div',
      { class: 'who' },
      amount,
      button('pay', given),
      button('expire', () => ({})),
      button('refund', given),
    ),
    el(
      'div',
      { class: 'when' },
      el('span', { class: 'badge', 'data-part': 'status' }),
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
  const status = part(row, 'status')
  setText(status, order.status)
  setAttribute(status, 'data-tone', TONES[order.status] ?? 'bad')
  const isOpen = order.status === 'PENDING'
  setText(
    part(row, 'time'),
    isOpen ? `ends ${ago(order.expiresAt, nowMs)}` : ago(order.createdAt, nowMs),
  )
  const lines = [
    ...order.payments.map(
      (/** @type {any} */ { amount, state, isLate }) =>
        `${amount} ${state}${isLate ? ', after the end' : ''}`,
    ),
    ...order.refunds.map((/** @type {any} */ { amount, state }) => `${amount} ${state}`),
  ]
  setChildren(part(row, 'payments'), lines.join(), () => [lines.join(' · ')])
}
