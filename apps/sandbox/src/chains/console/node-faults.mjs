// What may go wrong with the node of one chain: scripted answers, faults that last, its fee, and its blocks.
import { act, call } from '../../console/control.mjs'
import { el, part, setAttribute, setChildren } from '../../console/dom.mjs'

const WORDS = ['http_429', 'http_500', 'drop_answer', 'swallow_send']
const LASTING = /** @type {const} */ ({
  duplicateLogs: 'every log twice',
  noLogs: 'no logs',
  wrongChainId: 'wrong chain id',
})

/** @param {string} chain */
export function createNodeFaults(chain) {
  const path = `/chains/${chain}`
  return el(
    'details',
    { class: 'faults' },
    el('summary', {}, 'Faults of its node'),
    nextCall(chain, path),
    el(
      'div',
      { class: 'bar' },
      ...Object.entries(LASTING).map(([name, text]) => lasting(chain, path, { name, text })),
    ),
    el(
      'div',
      { class: 'bar' },
      number(chain, {
        label: 'milliseconds late',
        value: '0',
        send: (latencyMs) => call('PUT', path, { latencyMs }),
      }),
      number(chain, {
        label: 'blocks behind',
        value: '0',
        send: (staleBlocks) => call('PUT', path, { staleBlocks }),
      }),
      number(chain, {
        label: 'wei base fee',
        value: '1000000000',
        send: (baseFee) => call('PUT', path, { baseFee: String(baseFee) }),
      }),
      number(chain, {
        label: 'blocks taken back',
        value: '3',
        send: (blocks) => call('POST', `${path}/rollback`, { blocks }),
      }),
    ),
  )
}

/**
 * @param {string} chain
 * @param {string} path
 */
function nextCall(chain, path) {
  const word = el(
    'select',
    { 'aria-label': `Fault of the next call to the node of ${chain}` },
    ...WORDS.map((value) => el('option', { value }, value)),
  )
  return el(
    'form',
    {
      class: 'bar',
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault()
        return act(`${chain}: ${word.value} is set.`, () =>
          call('POST', `${path}/script`, { next: [word.value] }),
        )
      },
    },
    el('span', {}, 'Next call'),
    word,
    el('button', { type: 'submit' }, 'Queue'),
    el('span', { 'data-part': 'empty' }),
  )
}

/**
 * A fault that lasts until it is ended.
 * @param {string} chain
 * @param {string} path
 * @param {{ name: string, text: string }} fault
 */
function lasting(chain, path, { name, text }) {
  const button = el(
    'button',
    {
      type: 'button',
      'aria-pressed': 'false',
      'aria-label': `${chain}: ${text}`,
      'data-part': name,
      onclick: () => {
        const on = button.getAttribute('aria-pressed') !== 'true'
        return act(`${chain}: ${text} ${on ? 'from now on' : 'no longer'}.`, () =>
          call('PUT', path, { [name]: on }),
        )
      },
    },
    text,
  )
  return button
}

/**
 * @param {string} chain
 * @param {{ label: string, value: string, send(value: number): Promise<unknown> }} of
 */
function number(chain, { label, value, send }) {
  const input = el('input', {
    type: 'number',
    min: '0',
    value,
    size: '10',
    'aria-label': `${chain}: ${label}`,
  })
  return el(
    'form',
    {
      class: 'bar',
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault()
        return act(`${chain}: ${input.value} ${label}.`, () => send(Number(input.value)))
      },
    },
    input,
    el('button', { type: 'submit', 'aria-label': `Set ${label} of ${chain}` }, label),
  )
}

/**
 * @param {HTMLElement} row
 * @param {any} network
 */
export function updateNodeFaults(row, network) {
  for (const name of Object.keys(LASTING)) {
    setAttribute(part(row, name), 'aria-pressed', String(network[name]))
  }
  const { chain, script } = network
  setChildren(part(row, 'empty'), String(script.length > 0), () => [
    script.length > 0 &&
      el(
        'button',
        {
          type: 'button',
          class: 'plain',
          onclick: () =>
            act(`The script of ${chain} is empty.`, () =>
              call('DELETE', `/chains/${chain}/script`),
            ),
        },
        'Empty the script',
      ),
  ])
}
