// Search over headings, text and routes. The index is small enough to be read whole, when it is first needed.

/** @typedef {{url: string, page: string, title: string, words: string}} Entry */

const MOST_SHOWN = 12
const EXCERPT = 110

export function addSearch() {
  const place = document.getElementById('search')
  if (place === null) return
  const input = make('input', {
    type: 'search',
    placeholder: 'Search',
    'aria-label': 'Search the documentation',
    role: 'combobox',
    'aria-expanded': 'false',
    'aria-controls': 'found',
    'aria-autocomplete': 'list',
    autocomplete: 'off',
    spellcheck: 'false',
  })
  const list = make('ul', { id: 'found', role: 'listbox', 'aria-label': 'Found', hidden: '' })
  place.append(input, make('kbd', { 'aria-hidden': 'true' }, '/'), list)
  let chosen = -1

  const show = (/** @type {Entry[]} */ entries) => {
    chosen = -1
    input.removeAttribute('aria-activedescendant')
    list.replaceChildren(...entries.map((entry, i) => row(entry, i, input.value)))
    if (entries.length === 0 && input.value.trim() !== '') {
      list.replaceChildren(make('li', { class: 'nothing' }, 'Nothing found.'))
    }
    const isOpen = input.value.trim() !== ''
    list.hidden = !isOpen
    input.setAttribute('aria-expanded', String(isOpen))
  }
  const choose = (/** @type {number} */ to) => {
    const rows = [...list.querySelectorAll('[role=option]')]
    if (rows.length === 0) return
    chosen = (to + rows.length) % rows.length
    rows.forEach((one, i) => {
      one.setAttribute('aria-selected', String(i === chosen))
    })
    const row = rows[chosen]
    if (row === undefined) return
    input.setAttribute('aria-activedescendant', row.id)
    row.scrollIntoView({ block: 'nearest' })
  }

  input.addEventListener('input', async () => {
    const asked = input.value
    const entries = await readIndex()
    if (asked === input.value) show(find(entries, asked))
  })
  input.addEventListener('focus', () => void readIndex())
  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown') choose(chosen + 1)
    else if (event.key === 'ArrowUp') choose(chosen - 1)
    else if (event.key === 'Enter') list.querySelectorAll('a')[Math.max(0, chosen)]?.click()
    else if (event.key === 'Escape') {
      input.value = ''
      show([])
    } else return
    event.preventDefault()
  })
  place.addEventListener('focusout', (event) => {
    if (event.relatedTarget instanceof Node && place.contains(event.relatedTarget)) return
    list.hidden = true
    input.setAttribute('aria-expanded', 'false')
  })
  list.addEventListener('click', () => {
    input.value = ''
    show([])
  })
  addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea')
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    input.focus()
  })
}

/** @param {string} title */
const isRoute = (title) => /^(GET|POST|PUT|PATCH|DELETE) \//.test(title)

/**
 * Entries that have every word; a word in a title counts most, at the start of a word more than inside.
 * Guides come before routes, unless a route is what is typed, and the dashboard's own routes last. Behind
 * them come parts of a guide that has the words in several of its parts. A word that is nowhere is read as
 * one that differs by a typing error.
 * @param {Entry[]} entries
 * @param {string} text
 */
export function find(entries, text) {
  const asked = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (asked.length === 0) return []
  const words = asked.map((word) => (entries.some(has(word)) ? word : nearest(entries, word)))
  const found = ranked(entries, (entry) => scoreOf(entry, words, text.includes('/')))
  const others = ofPages(entries, words).filter((entry) => !found.includes(entry))
  return [...found, ...others].slice(0, MOST_SHOWN)
}

/**
 * @param {Entry[]} entries
 * @param {(entry: Entry) => number} score 0 leaves the entry out
 */
const ranked = (entries, score) =>
  entries
    .map((entry) => ({ entry, score: score(entry) }))
    .filter((one) => one.score > 0)
    .sort((one, other) => other.score - one.score)
    .map(({ entry }) => entry)

/**
 * Parts of guides whose page has every word: by how many of them the part has itself.
 * @param {Entry[]} entries
 * @param {string[]} words
 */
function ofPages(entries, words) {
  const pages = Map.groupBy(
    entries.filter(({ title }) => !isRoute(title)),
    ({ page }) => page,
  )
  const parts = [...pages.values()].filter((ofPage) => words.every((word) => ofPage.some(has(word))))
  return ranked(parts.flat(), (entry) =>
    words.filter((word) => has(word)(entry)).reduce((sum, word) => sum + scoreOf(entry, [word], false), 0),
  )
}

/** @param {string} word */
const has = (word) => (/** @type {Entry} */ entry) => textOf(entry).includes(word)

/** @param {Entry} entry */
const textOf = ({ page, title, words }) => `${title} ${page} ${words}`.toLowerCase()

const LEAST_LETTERS_FOR_ERRORS = 5

/**
 * The shortest word of all entries that begins as this one but for one typing error; itself without one.
 * @param {Entry[]} entries
 * @param {string} asked
 */
function nearest(entries, asked) {
  if (asked.length < LEAST_LETTERS_FOR_ERRORS) return asked
  const own = entries.flatMap((entry) => textOf(entry).match(/[\p{L}\p{N}_]+/gu) ?? [])
  const near = own.filter((word) => beginsWithOneError(word, asked))
  return near.reduce((best, word) => (word.length < best.length ? word : best), near[0] ?? asked)
}

/**
 * Is some beginning of the word the asked one but for a letter wrong, missing, too many, or swapped with
 * its neighbour? One error is always where they part.
 * @param {string} word
 * @param {string} asked
 */
function beginsWithOneError(word, asked) {
  let at = 0
  while (at < asked.length && word[at] === asked[at]) at++
  const rest = asked.slice(at)
  const swapped = (rest[1] ?? '') + (rest[0] ?? '') + rest.slice(2)
  return (
    word.startsWith(rest.slice(1), at + 1) ||
    word.startsWith(rest.slice(1), at) ||
    word.startsWith(rest, at + 1) ||
    word.startsWith(swapped, at)
  )
}

/**
 * @param {Entry} entry
 * @param {string[]} words
 * @param {boolean} isPath whether a route is asked for
 */
function scoreOf(entry, words, isPath) {
  const title = entry.title.toLowerCase()
  const rest = `${entry.page} ${entry.words}`.toLowerCase()
  if (isRoute(entry.title) && !isPath) {
    const isFound = words.every((word) => title.includes(word) || rest.includes(word))
    return !isFound ? 0 : title.includes(' /dashboard/') ? 0.1 : 0.5
  }
  const page = entry.page.toLowerCase()
  let score = 0
  for (const word of words) {
    if (page.startsWith(word)) score += 3
    const inTitle = title.indexOf(word)
    if (title === word) score += 20
    else if (inTitle === 0) score += 10
    else if (inTitle > 0) score += /[\w]/.test(title[inTitle - 1] ?? '') ? 4 : 7
    else if (rest.includes(word)) score += 1
    else return 0
  }
  return score
}

/** @type {Promise<Entry[]> | undefined} */
let index

/** @returns {Promise<Entry[]>} */
function readIndex() {
  index ??= fetch('/docs/search.json')
    .then((response) => response.json())
    .catch(() => {
      index = undefined
      return []
    })
  return index
}

/**
 * @param {Entry} entry
 * @param {number} i
 * @param {string} text what was asked for
 */
function row({ url, page, title, words }, i, text) {
  const link = make(
    'a',
    { href: url, tabindex: '-1' },
    make('strong', {}, title),
    make('small', {}, page),
  )
  link.append(make('span', {}, excerptOf(words, text)))
  return make('li', { role: 'option', id: `found-${i}`, 'aria-selected': 'false' }, link)
}

/**
 * The words around the first that was asked for.
 * @param {string} words
 * @param {string} text
 */
function excerptOf(words, text) {
  const first = text.toLowerCase().split(/\s+/).find(Boolean) ?? ''
  const at = words.toLowerCase().indexOf(first)
  if (at < EXCERPT / 2) return words.slice(0, EXCERPT)
  const from = words.indexOf(' ', at - EXCERPT / 3) + 1
  return `… ${words.slice(from, from + EXCERPT)}`
}

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string>} attributes
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
function make(tag, attributes, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  element.append(...children)
  return element
}
