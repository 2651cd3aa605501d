// All pages with their links, read once and rendered together: a page must know that the others exist.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pageHtml } from './layout.ts'
import { type Rendered, renderMarkdown } from './markdown.ts'
import {
  addressOf,
  GROUPS,
  markdownUrlOf,
  PAGES,
  type PageEntry,
  REFERENCE_URL,
  ROOT,
  runbookEntries,
  urlOf,
} from './pages.ts'
import { plainMarkdown } from './plain-markdown.ts'

export interface Site {
  /** By their addresses. */
  readonly pages: Readonly<Record<string, string>>
  /** The same pages as Markdown, by the addresses of that. */
  readonly texts: Readonly<Record<string, string>>
  /** A list of all pages in the form of llmstxt.org, which names their Markdown. */
  readonly list: string
  readonly index: readonly SearchEntry[]
}

/** One thing that a search can find. */
export interface SearchEntry {
  readonly url: string
  readonly page: string
  readonly title: string
  readonly words: string
}

export async function renderSite(documents: readonly object[]): Promise<Site> {
  const pages: Record<string, string> = {}
  const texts: Record<string, string> = {}
  const summaries = new Map<PageEntry, string>()
  const index: SearchEntry[] = []
  for (const entry of PAGES) {
    const text = await readFile(join(ROOT, entry.file), 'utf8')
    const rendered = renderMarkdown(text, (target) => addressOf(target, entry.file))
    pages[urlOf(entry)] = pageHtml(entry, rendered)
    texts[markdownUrlOf(entry)] = plainMarkdown(text, (target) => addressOf(target, entry.file))
    summaries.set(entry, rendered.summary)
    index.push(...entriesOf(urlOf(entry), entry.label, rendered))
  }
  return {
    pages,
    texts,
    list: listOf(summaries),
    index: [...index, ...documents.flatMap(operationsOf)],
  }
}

/** By their addresses. */
export async function renderRunbooks(): Promise<Readonly<Record<string, string>>> {
  const entries = runbookEntries()
  const pages = entries.map(async (entry) => {
    const text = await readFile(join(ROOT, entry.file), 'utf8')
    const resolve = (target: string) => addressOf(target, entry.file, entries)
    return [urlOf(entry), pageHtml(entry, renderMarkdown(text, resolve))] as const
  })
  return Object.fromEntries(await Promise.all(pages))
}

function listOf(summaries: ReadonlyMap<PageEntry, string>): string {
  const [first] = summaries.values()
  const groups = GROUPS.map((group) => {
    const entries = [...summaries].filter(([entry]) => entry.group === group)
    const lines = entries.map(
      ([entry, summary]) => `- [${entry.label}](${markdownUrlOf(entry)}): ${summary}`,
    )
    return `## ${group}\n\n${lines.join('\n')}\n`
  })
  return `# Tradepost\n\n> ${first}\n\n${groups.join('\n')}${OPENAPI}`
}

const OPENAPI = `- [OpenAPI of the merchant interface](/openapi/merchant.json)
- [OpenAPI of the partner interface](/openapi/partner.json)
- [Postman collection of the merchant interface](/docs/postman/merchant.json)
- [Postman collection of the partner interface](/docs/postman/partner.json)
- [Bruno folder of the merchant interface](/docs/bruno/merchant.zip)
- [Bruno folder of the partner interface](/docs/bruno/partner.zip)
`

const MOST_WORDS = 400

function entriesOf(url: string, page: string, { sections }: Rendered): SearchEntry[] {
  return sections.map(({ level, id, text, words }) => ({
    url: level === 1 ? url : `${url}#${id}`,
    page,
    title: text,
    words: words.slice(0, MOST_WORDS),
  }))
}

interface Document {
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

interface Operation {
  readonly summary?: string
  readonly tags?: readonly string[]
}

/** Every route of the reference, under the anchor that its viewer gives it. */
function operationsOf(document: object): SearchEntry[] {
  return Object.entries((document as Document).paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { summary = '', tags = [] }]) => ({
      url: `${REFERENCE_URL}#tag/${slugOf(tags[0] ?? '')}/${method.toUpperCase()}${path}`,
      page: 'API reference',
      title: `${method.toUpperCase()} ${path}`,
      words: summary,
    })),
  )
}

const slugOf = (tag: string): string => tag.toLowerCase().replace(/[^a-z0-9]+/g, '-')
