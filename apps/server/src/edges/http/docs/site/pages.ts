// The pages of the site: which file of the repository is shown where. A page that is made from code (errors,
// states) is read as the file that was made; so what the site shows is what a reader of the repository sees.
import { readdirSync } from 'node:fs'
import { join, posix } from 'node:path'

export const GROUPS = ['Start', 'Guides', 'Reference'] as const

export interface PageEntry {
  /** Below /docs/; empty for the first page. */
  readonly slug: string
  /** Below the root of the repository. */
  readonly file: string
  /** As the menu says it; the page's own heading may be longer. */
  readonly label: string
  /** Null: it is in no menu. */
  readonly group: (typeof GROUPS)[number] | null
}

export const PAGES: readonly PageEntry[] = [
  { slug: '', file: 'docs/guides/README.md', label: 'Overview', group: 'Start' },
  guide('first-purchase', 'First purchase', 'Start'),
  guide('sandbox', 'Test tokens of the sandbox', 'Start'),
  guide('buying', 'Buying well'),
  guide('market-orders', 'Name your price'),
  guide('selling', 'Selling to the bots'),
  guide('deposits', 'Deposits'),
  guide('payouts', 'Payouts'),
  guide('users-and-money', 'Sub-users and money'),
  guide('webhooks', 'Webhooks'),
  guide('live-market', 'Live market'),
  guide('errors-and-retries', 'Errors and retries'),
  guide('rate-limits', 'Rate limits'),
  guide('partner-operator', 'Partner: one account'),
  guide('partner-platform', 'Partner: a platform'),
  guide('partner-v1-to-v2', 'Partner: v1 to v2'),
  guide('api-clients', 'Postman and Bruno'),
  guide('production', 'Going to production'),
  guide('chains', 'Chains in production'),
  { slug: 'scaling-out', file: 'docs/scaling-out.md', label: 'Scaling out', group: 'Guides' },
  { slug: 'errors', file: 'docs/errors.md', label: 'Errors', group: 'Reference' },
  { slug: 'events', file: 'docs/events.md', label: 'Events', group: 'Reference' },
  { slug: 'states', file: 'docs/states.md', label: 'States', group: 'Reference' },
  { slug: 'sdk', file: 'packages/sdk/README.md', label: 'SDK', group: 'Reference' },
  { slug: 'cli', file: 'packages/cli/README.md', label: 'Command line', group: 'Reference' },
  { slug: 'changelog', file: 'CHANGELOG.md', label: 'Changelog', group: 'Reference' },
]

/** Files that a page leads to and a reader may want to have, by their address. */
export const DOWNLOADS: Readonly<Record<string, { readonly file: string; readonly type: string }>> =
  {
    '/docs/files/webhook-signatures.json': {
      file: 'packages/sdk/vectors/webhook-signatures.json',
      type: 'application/json; charset=utf-8',
    },
    '/docs/files/verify.py': {
      file: 'packages/sdk/python/verify.py',
      type: 'text/plain; charset=utf-8',
    },
    '/docs/postman/merchant.json': {
      file: 'docs/postman/merchant.json',
      type: 'application/json; charset=utf-8',
    },
    '/docs/postman/partner.json': {
      file: 'docs/postman/partner.json',
      type: 'application/json; charset=utf-8',
    },
  }

/** Folders that a reader has as one file, by its address. */
export const ARCHIVES: Readonly<Record<string, { readonly folder: string }>> = {
  '/docs/bruno/merchant.zip': { folder: 'docs/bruno/merchant' },
  '/docs/bruno/partner.zip': { folder: 'docs/bruno/partner' },
}

const PICTURES = 'docs/pictures'
/** Pages of the dashboard, each in both themes: `npm run photographs -- --pictures` takes them. */
export const PICTURE_FILES: readonly string[] = ['market', 'trades', 'trade', 'overview'].flatMap(
  (name) => ['light', 'dark'].map((theme) => `${PICTURES}/${name}-${theme}.jpg`),
)

export const REFERENCE_URL = '/docs/reference'

/** Below it are the pages for those who run the service. No menu, search or list of pages names them. */
export const RUNBOOKS_URL = '/docs/runbooks'

export const ROOT = join(import.meta.dirname, '../../../../../../..')

/** The first one lists the others. */
export const runbookEntries = (): readonly PageEntry[] =>
  readdirSync(join(ROOT, 'docs/runbooks'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => ({
      slug: name === 'README.md' ? 'runbooks' : `runbooks/${name.replace(/\.md$/, '')}`,
      file: `docs/runbooks/${name}`,
      label: 'Runbook',
      group: null,
    }))

function guide(slug: string, label: string, group: PageEntry['group'] = 'Guides'): PageEntry {
  return { slug, file: `docs/guides/${slug}.md`, label, group }
}

export const urlOf = ({ slug }: PageEntry): string => (slug === '' ? '/docs' : `/docs/${slug}`)

/** The Markdown of a page, for programs that read and people who copy. */
export const markdownUrlOf = (entry: PageEntry): string => `${urlOf(entry)}.md`

/**
 * Where a link of a file leads on the site; null when it leads to a file that the site does not show, as
 * the pages for those who work on the service do.
 */
export function addressOf(
  target: string,
  from: string,
  runbooks: readonly PageEntry[] = [],
): string | null {
  if (/^([a-z]+:|#)/i.test(target)) return target
  const [path = '', hash = ''] = target.split('#')
  const file = posix.join(posix.dirname(from), path)
  const anchor = hash === '' ? '' : `#${hash}`
  if (/^docs\/openapi\/\w+\.json$/.test(file)) return `${REFERENCE_URL}${anchor}`
  if (PICTURE_FILES.includes(file)) return `/${file}`
  const page = [...PAGES, ...runbooks].find((entry) => entry.file === file)
  if (page !== undefined) return `${urlOf(page)}${anchor}`
  const download = Object.entries(DOWNLOADS).find(([, entry]) => entry.file === file)
  const archive = Object.entries(ARCHIVES).find(([, { folder }]) => folder === file)
  return download?.[0] ?? archive?.[0] ?? null
}
