// The chains: blocks, the faucet, and what may go wrong with a node. One row a chain.
import { act, call } from '../../console/control.mjs'
import { el, keyedList, part, setAttribute, setText } from '../../console/dom.mjs'
import { addTab, viewBar } from '../../console/tabs.mjs'
import { createNodeFaults, updateNodeFaults } from './node-faults.mjs'
import { createPrices } from './prices.mjs'

addTab({
  id: 'chains',
  label: 'Chains',
  show: showChains,
  count: ({ chains }) => chains.networks.filter((/** @type {any} */ { online }) => !online).length,
})

const TOKENS = ['USDT', 'USDC', 'NATIVE']
const MODES = ['drop', 'move', 'double_spend']

/**
 * @param {HTMLElement} main
 * @returns {() => Promise<void>}
 */
function showChains(main) {
  const rows = el('ul', { class: 'rows', id: 'chains' })
  const off = el('p', { class: 'empty' })
  const prices = createPrices()
  main.replaceChildren(viewBar('Chains and their prices'), faucet(), rows, off, prices.element)
  const show = keyedList(rows, {
    key: (/** @type {any} */ { chain }) => chain,
    create: createChain,
    update: updateChain,
  })
  return async () => {
    const state = await call('GET', '/state')
    const { chains } = state
    show(chains.networks)
    prices.update(state)
    prices.element.hidden = chains.offReason !== null
    setText(off, chains.offReason ?? '')
    off.hidden = chains.offReason === null
  }
}

function faucet() {
  const chain = select('Chain of the payment', ['ethereum', 'base', 'arbitrum', 'optimism', 'bsc'])
  const token = select('Token of the payment', TOKENS)
  const amount = el('input', {
    type: 'text',
    inputmode: 'decimal',
    value: '25',
    size: '8',
    'aria-label': 'Amount of the payment',
  })
  const address = el('input', {
    type: 'text',
    placeholder: '0x… to pay to',
    size: '44',
    'aria-label': 'Address that is paid',
    autocomplete: 'off',
    spellcheck: 'false',
  })
  return el(
    'form',
    {
      class: 'bar',
      'aria-label': 'Faucet',
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault()
        const body = { address: address.value.trim(), token: token.value, amount: amount.value }
        return act(`${amount.value} ${token.value} is on its way on ${chain.value}.`, () =>
          call('POST', `/chains/${chain.value}/faucet`, body),
        )
      },
    },
    chain,
    amount,
    token,
    address,
    el('button', { type: 'submit' }, 'Pay'),
  )
}

/**
 * @param {string} label
 * @param {readonly string[]} values
 */
function select(label, values) {
  const options = values.map((value) => el('option', { value }, value))
  return el('select', { 'aria-label': label }, ...options)
}

/** @param {any} network */
function createChain({ chain, chainId }) {
  const path = `/chains/${chain}`
  const depth = el('input', {
    type: 'number',
    min: '1',
    max: '60',
    value: '3',
    'aria-label': `Depth of a re-organisation of ${chain}`,
  })
  const mode = select(`What becomes of the transactions on ${chain}`, MODES)
  const only = el('input', {
    type: 'text',
    placeholder: 'only 0x…',
    'aria-label': `Hash of the only transaction of ${chain} that it affects; empty for all`,
    autocomplete: 'off',
    spellcheck: 'false',
  })
  const reorganise = () => {
    const txHash = only.value.trim()
    return act(`The newest ${depth.value} blocks of ${chain} are replaced.`, () =>
      call('POST', `${path}/reorg`, {
        depth: Number(depth.value),
        mode: mode.value,
        ...(txHash === '' ? {} : { txHash }),
      }),
    )
  }
  const mine = () =>
    act(`${chain} has ten blocks more.`, () => call('POST', `${path}/mine`, { blocks: 10 }))
  return el(
    'li',
    { class: 'row', 'data-chain': chain },
    el(
      'div',
      { class: 'what' },
      el('strong', {}, `${chain} `),
      el('small', {}, `chain id ${chainId}`),
      el('small', { 'data-part': 'faults' }),
    ),
    el('div', { class: 'when' }, el('span', { 'data-part': 'head' })),
    el(
      'div',
      { class: 'acts' },
      toggle(chain, 'online', (online) => ({ online })),
      toggle(chain, 'mining', (mining) => ({ halted: !mining })),
      el('button', { type: 'button', onclick: mine }, 'Mine 10'),
      depth,
      mode,
      only,
      el('button', { type: 'button', class: 'warn', onclick: reorganise }, 'Re-organise'),
    ),
    createNodeFaults(chain),
  )
}

/**
 * @param {string} chain
 * @param {'online' | 'mining'} what
 * @param {(on: boolean) => object} change the body of the control call
 */
function toggle(chain, what, change) {
  /** @type {HTMLButtonElement} */
  const button = el('button', {
    type: 'button',
    class: 'switch',
    role: 'switch',
    'aria-label': `${chain} ${what}`,
    'data-part': what,
    onclick: () => {
      const on = button.getAttribute('aria-checked') !== 'true'
      return act(`${chain}: ${WORDS[what][on ? 1 : 0]}.`, () =>
        call('PUT', `/chains/${chain}`, change(on)),
      )
    },
  })
  return button
}

/** Of a switch that is off, and of one that is on. */
const WORDS = /** @type {const} */ ({
  online: ['offline', 'online'],
  mining: ['halted', 'mining'],
})

/**
 * @param {HTMLElement} row
 * @param {any} network
 */
function updateChain(row, network) {
  const {
    head,
    online,
    halted,
    latencyMs,
    duplicateLogs,
    noLogs,
    staleBlocks,
    wrongChainId,
    script,
  } = network
  setText(part(row, 'head'), head === null ? 'not started' : `block ${head}`)
  const faults = [
    latencyMs > 0 && `${latencyMs} ms late`,
    duplicateLogs && 'duplicate logs',
    noLogs && 'no logs',
    staleBlocks > 0 && `${staleBlocks} blocks behind`,
    wrongChainId && 'wrong chain id',
    ...script,
  ]
  setText(part(row, 'faults'), faults.filter(Boolean).join(' · '))
  showSwitch(part(row, 'online'), online, WORDS.online[online ? 1 : 0])
  updateNodeFaults(row, network)
  showSwitch(part(row, 'mining'), !halted, WORDS.mining[halted ? 0 : 1])
}

/**
 * @param {HTMLElement} button
 * @param {boolean} checked
 * @param {string} text
 */
function showSwitch(button, checked, text) {
  setAttribute(button, 'aria-checked', String(checked))
  setText(button, text)
}
