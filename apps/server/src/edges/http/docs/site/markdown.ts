// Markdown as HTML for the site: anchors on headings, links between files as links between pages, code in
// colours, diagrams drawn. All of it happens here, so that a page needs no script to be read.
import markdownIt from 'markdown-it'
import { drawingOf } from './drawings.ts'
import { highlight } from './highlight.ts'

/** What a fence says, what colours it, and what a reader reads. */
const LANGUAGES: Readonly<Record<string, readonly [id: string | null, label: string]>> = {
  ts: ['typescript', 'TypeScript'],
  js: ['javascript', 'JavaScript'],
  sh: ['bash', 'Shell'],
  json: ['json', 'JSON'],
  nginx: ['nginx', 'nginx'],
  haproxy: [null, 'HAProxy'],
  python: ['python', 'Python'],
  php: ['php', 'PHP'],
  go: ['go', 'Go'],
}

export interface Heading {
  readonly level: number
  readonly id: string
  readonly text: string
}

export interface Section extends Heading {
  /** What stands between this heading and the next, as plain words. */
  readonly words: string
}

export interface Rendered {
  readonly title: string
  /** The first paragraph, as plain words. */
  readonly summary: string
  readonly html: string
  readonly sections: readonly Section[]
}

type Tokens = ReturnType<ReturnType<typeof markdownIt>['parse']>

/** `resolve` answers where a link leads, or null for a link that is to be shown as plain words. */
export function renderMarkdown(text: string, resolve: (target: string) => string | null): Rendered {
  const md = createRenderer()
  const tokens = md.parse(text.replace(/<!--[\s\S]*?-->\n*/g, ''), {})
  giveIds(tokens)
  redirectLinks(tokens, resolve)
  tickBoxes(tokens)
  markTabs(tokens)
  const sections = sectionsOf(tokens)
  const firstParagraph = tokens.findIndex(({ type }) => type === 'paragraph_open')
  return {
    title: sections.find(({ level }) => level === 1)?.text ?? '',
    summary: wordsOf(tokens[firstParagraph + 1]),
    html: md.renderer.render(tokens, md.options, {}),
    sections,
  }
}

function createRenderer(): ReturnType<typeof markdownIt> {
  const md = markdownIt({ html: false, linkify: false, typographer: false })
  const { escapeHtml } = md.utils
  md.renderer.rules.fence = (tokens, i) => {
    const { info = '', content = '', meta = null } = tokens[i] ?? {}
    const [name = ''] = info.split(/\s/)
    if (name === 'mermaid') return drawingOf(content)
    const [id, label] = LANGUAGES[name] ?? [null, '']
    const code = id === null ? escapeHtml(content) : highlight(content, id)
    return inTab(
      meta as Tab | null,
      label,
      `<figure class="code"><figcaption>${label}</figcaption>` +
        `<pre tabindex="0"><code>${code}</code></pre></figure>\n`,
    )
  }
  // A picture is shown in the theme of the page. Of the two, only the one that is shown is loaded.
  md.renderer.rules.image = (tokens, i) => {
    const { content = '', attrGet } = tokens[i] ?? {}
    const src = String(attrGet?.call(tokens[i], 'src') ?? '')
    return ['light', 'dark']
      .map((theme) => {
        const address = src.replace(/-light(?=\.\w+$)/, `-${theme}`)
        return `<img class="in-${theme}" src="${escapeHtml(address)}" alt="${escapeHtml(content)}" width="1280" height="800" loading="lazy">`
      })
      .join('')
  }
  // A table that is wider than a phone is pushed aside within its frame, also by the keyboard.
  md.renderer.rules.table_open = () =>
    '<div class="table" tabindex="0" role="region" aria-label="Table"><table>\n'
  md.renderer.rules.table_close = () => '</table></div>\n'
  md.renderer.rules.heading_open = (tokens, i) => {
    const { tag = 'h2', attrGet } = tokens[i] ?? {}
    const id = String(attrGet?.call(tokens[i], 'id') ?? '')
    // Renderers elsewhere make small letters of a heading: links written for them lead here as well.
    const alias = id.toLowerCase() === id ? '' : `<span id="${id.toLowerCase()}"></span>`
    return `${alias}<${tag} id="${id}">`
  }
  md.renderer.rules.heading_close = (tokens, i) => {
    const { tag = 'h2' } = tokens[i] ?? {}
    const id = tokens[i - 2]?.attrGet('id') ?? ''
    const link = tag === 'h1' ? '' : `<a class="anchor" href="#${id}" aria-label="Link here">#</a>`
    return `${link}</${tag}>\n`
  }
  return md
}

interface Tab {
  readonly group: number
  readonly isFirst: boolean
  readonly isLast: boolean
}

/** Whole programs (`python run`), one after the other, are one program in several languages. */
function markTabs(tokens: Tokens): void {
  const isProgram = (i: number): boolean => / run$/.test(tokens[i]?.info ?? '')
  let group = 0
  tokens.forEach((token, i) => {
    const [isFirst, isLast] = [!isProgram(i - 1), !isProgram(i + 1)]
    if (!isProgram(i) || (isFirst && isLast)) return
    if (isFirst) group++
    token.meta = { group, isFirst, isLast } satisfies Tab
  })
}

/** Works without a script: the browser shows the figure of the button that is chosen. */
function inTab(tab: Tab | null, label: string, figure: string): string {
  if (tab === null) return figure
  const id = `tab-${tab.group}-${label.toLowerCase()}`
  return [
    tab.isFirst ? '<div class="tabs" role="radiogroup" aria-label="Language">' : '',
    `<input type="radio" name="tab-${tab.group}" id="${id}"${tab.isFirst ? ' checked' : ''}>`,
    `<label for="${id}">${label}</label>${figure}`,
    tab.isLast ? '</div>\n' : '',
  ].join('')
}

/** A key of the catalogue is its own anchor; other headings are named as GitHub names them. */
function giveIds(tokens: Tokens): void {
  const taken = new Map<string, number>()
  tokens.forEach((token, i) => {
    if (token.type !== 'heading_open') return
    const text = wordsOf(tokens[i + 1])
    const plain = /^[A-Z][A-Z0-9_]+$/.test(text) ? text : slugOf(text)
    const before = taken.get(plain) ?? 0
    taken.set(plain, before + 1)
    token.attrSet('id', before === 0 ? plain : `${plain}-${before}`)
  })
}

function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-')
}

function redirectLinks(tokens: Tokens, resolve: (target: string) => string | null): void {
  for (const { children } of tokens) {
    /** Links do not nest, so the one that is open is the last that was opened. */
    let isDropped = false
    for (const token of children ?? []) {
      if (token.type === 'image') {
        token.attrSet('src', resolve(String(token.attrGet('src') ?? '')) ?? '')
      }
      if (token.type === 'link_open') {
        const address = resolve(String(token.attrGet('href') ?? ''))
        isDropped = address === null
        if (address !== null) token.attrSet('href', address)
      }
      if (isDropped && (token.type === 'link_open' || token.type === 'link_close')) {
        token.type = 'text'
        token.content = ''
      }
    }
  }
}

/** `- [ ]` is a box for the reader's pen. */
function tickBoxes(tokens: Tokens): void {
  tokens.forEach((token, i) => {
    const [first] = token.children ?? []
    if (!first?.content.startsWith('[ ] ')) return
    first.content = first.content.slice(4)
    tokens[i - 2]?.attrSet('class', 'box')
  })
}

function sectionsOf(tokens: Tokens): Section[] {
  const sections: { level: number; id: string; text: string; words: string }[] = []
  tokens.forEach((token, i) => {
    if (token.type === 'heading_open') {
      sections.push({
        level: Number(token.tag.slice(1)),
        id: String(token.attrGet('id') ?? ''),
        text: wordsOf(tokens[i + 1]),
        words: '',
      })
      return
    }
    const section = sections.at(-1)
    const isHeading = tokens[i - 1]?.type === 'heading_open'
    if (section === undefined || isHeading || token.type !== 'inline') return
    section.words = `${section.words} ${wordsOf(token)}`.trim()
  })
  return sections
}

function wordsOf(token: Tokens[number] | undefined): string {
  return (token?.children ?? [])
    .map(({ type, content }) => (type === 'softbreak' || type === 'hardbreak' ? ' ' : content))
    .join('')
}
