// The frame around each page: menu, search, the page's own headings, and where to go next.
import { headerHtml, LOOK, SKIP } from './frame.ts'
import type { Heading, Rendered } from './markdown.ts'
import { GROUPS, markdownUrlOf, PAGES, type PageEntry, REFERENCE_URL, urlOf } from './pages.ts'

export function pageHtml(entry: PageEntry, { title, summary, html, sections }: Rendered): string {
  const isFirst = entry.slug === ''
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="description" content="${textOf(summary)}">
    <title>${textOf(isFirst ? title : `${title} · Tradepost`)}</title>
    ${LOOK}
${alternate(entry)}    <link rel="stylesheet" href="/docs/site.css">
    <script type="module" src="/docs/site.mjs"></script>
  </head>
  <body${isFirst ? ' class="first"' : ''}>
    ${SKIP}
    ${headerHtml()}
    <div class="frame">
      <nav class="menu" aria-label="Pages">
        <details id="menu" open>
          <summary>Menu</summary>
${menuHtml(urlOf(entry))}
        </details>
      </nav>
      <main id="content" tabindex="-1">
${html}
${neighbours(entry)}
${asMarkdown(entry)}
      </main>
${isFirst ? '' : contents(sections)}
    </div>
  </body>
</html>
`
}

/** What a browser is shown at an address that no page has. */
export const missingPageHtml = (url: string): string =>
  pageHtml(
    { slug: '404', file: '', label: 'Not found', group: null },
    {
      title: 'Not found',
      summary: 'No page of the documentation has this address.',
      html: `<h1>Not found</h1>
<p>No page of the documentation has the address <code>${textOf(addressIn(url))}</code>. It may have been renamed.</p>
<ul>
<li><a href="#search">Search the documentation</a>, or press <kbd>/</kbd></li>
<li><a href="/docs">Overview</a> of all pages</li>
<li><a href="${REFERENCE_URL}">API reference</a> with every route</li>
</ul>`,
      sections: [],
    },
  )

/** Without its query, and no longer than a line or two. It stays encoded: nothing in it is markup. */
const addressIn = (url: string): string => (url.split('?', 1)[0] ?? '').slice(0, MOST_OF_ADDRESS)

const MOST_OF_ADDRESS = 200

/** All pages by their groups; the one that is shown is marked. */
export function menuHtml(current: string): string {
  const link = (url: string, label: string): string =>
    `<a href="${url}"${url === current ? ' aria-current="page"' : ''}>${textOf(label)}</a>`
  return GROUPS.map((group) => {
    const links = PAGES.filter((entry) => entry.group === group).map((entry) =>
      link(urlOf(entry), entry.label),
    )
    const all = group === 'Reference' ? [link(REFERENCE_URL, 'API reference'), ...links] : links
    return `<h2>${group}</h2>\n<ul>\n${all.map((one) => `<li>${one}</li>`).join('\n')}\n</ul>`
  }).join('\n')
}

/** The headings of the second level, and of the third where there are few of them. */
function contents(sections: readonly Heading[]): string {
  const second = sections.filter(({ level }) => level === 2)
  const both = sections.filter(({ level }) => level === 2 || level === 3)
  const shown = both.length <= 14 ? both : second
  if (shown.length < 2) return ''
  const items = shown.map(
    ({ level, id, text }) => `<li class="level-${level}"><a href="#${id}">${textOf(text)}</a></li>`,
  )
  return `<aside class="contents" aria-label="On this page"><h2>On this page</h2><ul>${items.join('')}</ul></aside>`
}

function neighbours(current: PageEntry): string {
  const guides = PAGES.filter(({ group }) => group !== 'Reference')
  const at = guides.indexOf(current)
  if (at < 0) return ''
  const [before, after] = [guides[at - 1], guides[at + 1]]
  const one = (entry: PageEntry | undefined, word: string): string =>
    entry === undefined
      ? '<span></span>'
      : `<a href="${urlOf(entry)}"><small>${word}</small> ${textOf(entry.label)}</a>`
  return `<nav class="next" aria-label="Before and after">${one(before, 'Before')}${one(after, 'Next')}</nav>`
}

/** Runbooks, and a page that no file has, are none of the list. */
const hasText = (entry: PageEntry): boolean => entry.group !== null

const alternate = (entry: PageEntry): string =>
  hasText(entry)
    ? `    <link rel="alternate" type="text/markdown" href="${markdownUrlOf(entry)}">\n`
    : ''

const asMarkdown = (entry: PageEntry): string =>
  hasText(entry)
    ? `<p class="as-markdown"><a href="${markdownUrlOf(entry)}">This page as Markdown</a></p>`
    : ''

const textOf = (text: string): string =>
  text.replace(
    /[&<>"]/g,
    (char) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[char] ?? '',
  )
