// The listings of the markets: search, change a price, sell one to another buyer.
import { act, call } from '../../console/control.mjs'
import { bdi, el, keyedList, part, picture, setText } from '../../console/dom.mjs'
import { marketName, money } from '../../console/format.mjs'
import { addTab, viewBar } from '../../console/tabs.mjs'

addTab({ id: 'listings', label: 'Listings', show: showListings })

const SHOWN = 50

/**
 * @param {HTMLElement} main
 * @returns {() => Promise<void>}
 */
function showListings(main) {
  const market = el(
    'select',
    { name: 'market', 'aria-label': 'Market' },
    el('option', { value: 'market_a' }, 'Market A'),
    el('option', { value: 'market_b' }, 'Market B'),
  )
  const words = el('input', {
    type: 'search',
    name: 'q',
    placeholder: 'words of the name, e.g. ak-47 redline',
    'aria-label': 'Words of the name',
  })
  const found = el('p', { class: 'quiet found', 'aria-live': 'polite' })
  const rows = el('ul', { class: 'rows', id: 'listings' })
  main.replaceChildren(
    viewBar(
      'Listings at the markets',
      el(
        'form',
        { role: 'search', onsubmit: (/** @type {Event} */ event) => event.preventDefault() },
        market,
        words,
      ),
    ),
    found,
    rows,
  )
  const show = keyedList(rows, {
    key: (/** @type {any} */ { market, listing }) => `${market} ${listing.id}`,
    create: createListing,
    update: (row, { listing }) => {
      setText(part(row, 'price'), money(listing.price))
    },
  })
  const refresh = async () => {
    const asked = `${market.value} ${words.value}`
    const query = new URLSearchParams({ q: words.value, limit: String(SHOWN) })
    const { items, total } = await call('GET', `/markets/${market.value}/listings?${query}`)
    // A response to an older query must not replace that to the newest.
    if (asked !== `${market.value} ${words.value}`) return
    show(items.map((/** @type {any} */ listing) => ({ market: market.value, listing })))
    setText(
      found,
      `${total.toLocaleString('en')} found${total > SHOWN ? `, the cheapest ${SHOWN} shown` : ''}`,
    )
  }
  market.addEventListener('change', () => void refresh().catch(() => {}))
  words.addEventListener('input', () => void refresh().catch(() => {}))
  return refresh
}

/** @param {{market: string, listing: any}} item */
function createListing({ market, listing }) {
  const path = `/markets/${market}/listings/${listing.id}`
  const price = el('input', {
    type: 'text',
    inputmode: 'decimal',
    size: '8',
    placeholder: 'new price',
    'aria-label': `New price of listing ${listing.id}`,
    autocomplete: 'off',
  })
  return el(
    'li',
    { class: 'row', 'data-listing': listing.id },
    el(
      'div',
      { class: 'what' },
      picture(listing.icon),
      el('strong', {}, bdi(listing.marketHashName), listing.phase ? ` · ${listing.phase}` : null),
      el(
        'small',
        {},
        [
          `${market}:${listing.id}`,
          listing.wear && `wear ${String(listing.wear).slice(0, 8)}`,
          listing.auto ? 'instant' : 'standard',
        ]
          .filter(Boolean)
          .join(' · '),
      ),
    ),
    el('div', { class: 'who' }, el('span', { 'data-part': 'price' })),
    el(
      'form',
      {
        class: 'acts',
        onsubmit: async (/** @type {Event} */ event) => {
          event.preventDefault()
          const isDone = await act(`Listing ${listing.id} costs ${price.value} now.`, () =>
            call('PUT', path, { price: price.value }),
          )
          if (isDone) price.value = ''
        },
      },
      price,
      el(
        'button',
        { type: 'submit', 'aria-label': `Set the price of listing ${listing.id}` },
        'Set',
      ),
      el(
        'button',
        {
          type: 'button',
          'aria-label': `Sell listing ${listing.id} of ${marketName(market)} to another buyer`,
          onclick: () => act(`Listing ${listing.id} is gone.`, () => call('DELETE', path)),
        },
        'Sell to another',
      ),
    ),
  )
}
