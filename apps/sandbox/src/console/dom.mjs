// The little that the console needs of a framework: elements with their text, and lists whose rows stay
// the same elements while their data change, so that nothing flickers and the focus stays where it is.
// Text is only ever set as text: what suppliers, buyers and mails say is never read as markup, and what in it
// is invisible and would turn the rest of a line around is shown as an escape.

/** @typedef {Node | string | null | false} Child */

/**
 * @template Item
 * @typedef {{
 *   key(item: Item): string,
 *   create(item: Item): HTMLElement,
 *   update(row: HTMLElement, item: Item): void,
 * }} Rows
 */

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, unknown>} [properties] attributes, and listeners by their `on…` names
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function el(tag, properties = {}, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue
    if (typeof value === 'function') {
      element.addEventListener(name.slice(2), /** @type {EventListener} */ (value))
    } else {
      element.setAttribute(name, value === true ? '' : String(value))
    }
  }
  element.append(...shown(children))
  return element
}

/**
 * What others wrote, apart from the words around it.
 * @param {unknown} text
 */
export const bdi = (text) => el('bdi', {}, String(text))

/**
 * The picture of an item, whose name stands beside it.
 * @param {string | undefined} hash
 */
export const picture = (hash) =>
  hash
    ? el('img', { src: `/pictures/${hash}`, alt: '', width: 44, height: 44, loading: 'lazy' })
    : null

/**
 * The trade that the service made this for, in its dashboard: an administrator's search for the id opens it.
 * @param {string | null} serviceUrl null while the service has not said where it is
 * @param {string | null | undefined} id
 */
export const tradeLink = (serviceUrl, id) =>
  serviceUrl && id
    ? el(
        'a',
        {
          href: `${serviceUrl}/dashboard/admin/find?q=${encodeURIComponent(id)}`,
          target: '_blank',
          rel: 'noreferrer',
          'aria-label': `Trade of ${id}`,
        },
        'trade',
      )
    : null

/**
 * Pieces of text in one line, each apart from the others.
 * @param {HTMLElement} element
 * @param {readonly unknown[]} pieces those that are empty are left out
 */
export function setPieces(element, pieces) {
  const texts = pieces.filter(Boolean).map(String)
  setChildren(element, texts.join('\n'), () =>
    texts.flatMap((text, i) => (i === 0 ? [bdi(text)] : [' · ', bdi(text)])),
  )
}

/** @param {string} text */
const visible = (text) =>
  text.replace(
    /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu,
    (/** @type {string} */ character) =>
      /[\n\r\t]/.test(character)
        ? character
        : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/**
 * @param {readonly Child[]} children
 * @returns {(Node | string)[]}
 */
const shown = (children) =>
  children
    .filter((child) => child !== null && child !== false)
    .map((child) => (typeof child === 'string' ? visible(child) : child))

/**
 * @param {Element} element
 * @param {string} text
 */
export function setText(element, text) {
  const next = visible(text)
  if (element.textContent !== next) element.textContent = next
}

/**
 * @param {Element} element
 * @param {string} name
 * @param {string} value
 */
export function setAttribute(element, name, value) {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value)
}

/**
 * Puts new children in place of the old ones only when `signature` says that they would differ.
 * @param {HTMLElement} element
 * @param {string} signature
 * @param {() => Child[]} make
 */
export function setChildren(element, signature, make) {
  if (element.dataset.signature === signature) return
  element.dataset.signature = signature
  element.replaceChildren(...shown(make()))
}

/**
 * A list whose rows are known by their keys.
 * @template Item
 * @param {Element} container
 * @param {Rows<Item>} how
 * @returns {(items: readonly Item[]) => void}
 */
export function keyedList(container, how) {
  /** @type {Map<string, HTMLElement>} */
  const rows = new Map()
  return (items) => {
    const wanted = new Set(items.map(how.key))
    for (const [key, row] of rows) {
      if (wanted.has(key)) continue
      row.remove()
      rows.delete(key)
    }
    /** @type {Element | null} */
    let before = null
    for (const item of items) {
      const key = how.key(item)
      const row = rows.get(key) ?? how.create(item)
      rows.set(key, row)
      how.update(row, item)
      // A row that is already in its place is not touched: moving it would take the focus away.
      /** @type {Element | null} */
      const here = before === null ? container.firstElementChild : before.nextElementSibling
      if (here !== row) container.insertBefore(row, here)
      before = row
    }
  }
}

/**
 * The element of a row that was marked with `data-part`.
 * @param {ParentNode} row
 * @param {string} name
 * @returns {HTMLElement}
 */
export function part(row, name) {
  const found = row.querySelector(`[data-part="${name}"]`)
  if (!(found instanceof HTMLElement)) throw new Error(`there is no part ${name}`)
  return found
}
