// What the two price sources report: the exchange, and the feeds on the chains.
import { act, call } from '../../console/control.mjs'
import { el, keyedList, part, setAttribute, setText } from '../../console/dom.mjs'

/** @returns {{ element: HTMLElement, update(state: any): void }} */
export function createPrices() {
  const rows = el('ul', { class: 'rows', id: 'prices' })
  const exchange = exchangeSwitch()
  const show = keyedList(rows, {
    key: (/** @type {any} */ { asset }) => asset,
    create: createPrice,
    update: updatePrice,
  })
  return {
    element: el(
      'section',
      { 'aria-label': 'Prices' },
      el('div', { class: 'bar' }, el('h3', {}, 'Prices'), exchange),
      rows,
    ),
    update: ({ prices, exchange: { online } }) => {
      setAttribute(exchange, 'aria-checked', String(online))
      setText(exchange, `exchange ${online ? 'online' : 'offline'}`)
      show(prices)
    },
  }
}

function exchangeSwitch() {
  /** @type {HTMLButtonElement} */
  const button = el('button', {
    type: 'button',
    class: 'switch',
    role: 'switch',
    'aria-label': 'Exchange online',
    onclick: () => {
      const online = button.getAttribute('aria-checked') !== 'true'
      return act(`The exchange is ${online ? 'online' : 'offline'}.`, () =>
        call('PUT', '/exchange', { online }),
      )
    },
  })
  return button
}

/** @param {any} price */
function createPrice({ asset, exchangeUsd, chainUsd, ageSeconds }) {
  const input = (/** @type {string} */ label, /** @type {string} */ value) =>
    el('input', {
      type: 'text',
      inputmode: 'decimal',
      value,
      size: '9',
      'aria-label': `${label} of ${asset}`,
    })
  const atExchange = input('Price at the exchange', exchangeUsd)
  const onChain = input('Price on the chains', chainUsd)
  const age = input('Age in seconds of the price', String(ageSeconds))
  return el(
    'li',
    { class: 'row', 'data-asset': asset },
    el('div', { class: 'what' }, el('strong', {}, asset), el('small', { 'data-part': 'now' })),
    el(
      'form',
      {
        class: 'acts',
        onsubmit: (/** @type {Event} */ event) => {
          event.preventDefault()
          const body = {
            exchangeUsd: atExchange.value,
            chainUsd: onChain.value,
            ageSeconds: Number(age.value),
          }
          return act(`${asset} has a new price.`, () => call('PUT', `/prices/${asset}`, body))
        },
      },
      atExchange,
      onChain,
      age,
      el('button', { type: 'submit', 'aria-label': `Set the price of ${asset}` }, 'Set'),
    ),
  )
}

/**
 * @param {HTMLElement} row
 * @param {any} price
 */
function updatePrice(row, { exchangeUsd, chainUsd, ageSeconds }) {
  const age = ageSeconds > 0 ? `, ${ageSeconds} s old` : ''
  setText(part(row, 'now'), ` ${exchangeUsd} USD at the exchange, ${chainUsd} on the chains${age}`)
}
