// The inventory of a platform account.
import { call, Refused } from '../../console/control.mjs'
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
import { platformIdOf } from '../../console/format.mjs'
import { addTab, viewBar } from '../../console/tabs.mjs'

addTab({ id: 'inventory', label: 'Inventories', show: showInventory })

/**
 * @param {HTMLElement} main
 * @param {string} wanted the platform id that the address names, or nothing
 * @returns {() => Promise<void>}
 */
function showInventory(main, wanted) {
  const input = el('input', {
    type: 'search',
    value: wanted,
    placeholder: 'platform id, partner number or trade URL',
    'aria-label': 'Platform id, partner number or trade URL',
    spellcheck: 'false',
  })
  const owner = el(
    'p',
    { class: 'quiet', 'aria-live': 'polite' },
    'Every valid account id exists and owns 40 items.',
  )
  const rows = el('ul', { class: 'rows', id: 'inventory' })
  main.replaceChildren(
    viewBar(
      'Inventories on the platform',
      el(
        'form',
        {
          role: 'search',
          onsubmit: (/** @type {Event} */ event) => {
            event.preventDefault()
            const id = platformIdOf(input.value)
            if (id === null)
              setPieces(owner, [
                'That is neither a platform id, nor a partner number, nor a trade URL.',
              ])
            else location.hash = `#inventory/${id}`
          },
        },
        input,
        el('button', { type: 'submit' }, 'Show'),
      ),
    ),
    owner,
    rows,
  )
  const show = keyedList(rows, {
    key: (/** @type {any} */ { assetId }) => String(assetId),
    create: createItem,
    update: (row, item) => {
      const state = part(row, 'state')
      setText(state, item.protected ? 'protected' : item.tradable ? 'tradable' : 'not tradable')
      setAttribute(state, 'data-tone', item.protected ? 'hold' : item.tradable ? 'good' : 'wait')
    },
  })
  return async () => {
    if (wanted === '') return
    try {
      const { personaName, items, private: isPrivate } = await call('GET', `/inventories/${wanted}`)
      // Newest first.
      show([...items].reverse())
      setPieces(owner, [personaName, `${items.length} items`, isPrivate && 'private'])
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      setPieces(owner, [error.message])
    }
  }
}

/** @param {any} item */
function createItem(item) {
  return el(
    'li',
    { class: 'row', 'data-asset': item.assetId },
    el(
      'div',
      { class: 'what' },
      picture(item.icon),
      el('strong', {}, bdi(item.marketHashName), item.phase ? ` · ${item.phase}` : null),
      el(
        'small',
        {},
        [`asset ${item.assetId}`, item.wear && `wear ${String(item.wear).slice(0, 8)}`]
          .filter(Boolean)
          .join(' · '),
      ),
    ),
    el('div', { class: 'when' }, el('span', { class: 'badge', 'data-part': 'state' })),
  )
}
