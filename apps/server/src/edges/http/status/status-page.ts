// The page /status: what the board knows, for people. It needs no log-in, no script and no database.
import { marketName } from '@tradepost/contract'
import type { Clock } from '#infra/process/clock'
import { type Day, HISTORY_DAYS } from '#status'
import { brandHtml, LOOK, SKIP } from '../docs/site/frame.ts'
import type { Board, Known } from './board.ts'

export interface StatusPageDeps {
  readonly board: Pick<Board, 'known'>
  readonly clock: Clock
}

/** Read longer ago than this, it is said to be old. */
const OLD_MS = 30_000

/** Anyone may ask, as often as they like: a page is written once for each reading and age that it shows. */
const pages = new WeakMap<Known, { readonly age: string | null; readonly html: string }>()

export function statusPageHtml({ board, clock }: StatusPageDeps): string {
  const known = board.known()
  if (known === null) return pageHtml(UNKNOWN)
  const age = shownAge(known, clock.now())
  const last = pages.get(known)
  if (last?.age === age) return last.html
  const html = pageHtml(knownHtml(known, age))
  pages.set(known, { age, html })
  return html
}

/** Null while the reading is fresh. */
function shownAge({ readAt }: Known, now: Date): string | null {
  const ageMs = now.getTime() - readAt.getTime()
  return ageMs > OLD_MS ? ageText(ageMs) : null
}

const pageHtml = (content: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Status · Tradepost</title>
    ${LOOK}
    <link rel="stylesheet" href="/docs/site.css">
    <link rel="stylesheet" href="/docs/status.css">
  </head>
  <body class="status">
    ${SKIP}
    <header class="top">
      ${brandHtml('/status', 'status')}
      <nav aria-label="Service"><a href="/docs">Docs</a> <a href="/dashboard">Dashboard</a></nav>
    </header>
    <main id="content" tabindex="-1">
${content}
    </main>
  </body>
</html>
`

const UNKNOWN = `<h1>Status unknown</h1>
<p class="notice">This server has not been able to read the status of the service yet.</p>`

function knownHtml({ readAt, components }: Known, age: string | null): string {
  const groups = GROUPS.map(([title, kind]) => ({
    title,
    rows: components
      .filter(({ component }) => component === kind)
      .toSorted((one, other) => ORDER.indexOf(one.name) - ORDER.indexOf(other.name)),
  })).filter(({ rows }) => rows.length > 0)
  return `<h1>${headlineOf(components)}</h1>
${asOfHtml(readAt, age)}
${groups.map(({ title, rows }) => groupHtml(title, rows)).join('\n')}
<p class="quiet">Each bar is a day in UTC, the last ${HISTORY_DAYS} days. Programs read
<a href="/docs/reference#tag/market/GET/market/status"><code>GET /market/status</code></a>; a change is the event
<a href="/docs/events"><code>service.status_changed</code></a>.</p>`
}

type Row = Known['components'][number]

const GROUPS = [
  ['Trading', 'trading'],
  ['Markets', 'market'],
  ['Game platform', 'platform'],
  ['Deposits', 'deposit'],
  ['Payouts', 'payout'],
] as const

function headlineOf(components: readonly Row[]): string {
  const isTradingPaused = components.some(({ status }) => status === 'paused')
  if (isTradingPaused) return 'Trading is paused'
  if (components.some(({ status }) => status === 'down')) return 'Some systems are down'
  const isDegraded = components.some(({ status }) => status === 'degraded')
  return isDegraded ? 'Some systems are degraded' : 'All systems operational'
}

function asOfHtml(readAt: Date, age: string | null): string {
  const asOf = `As of ${timeHtml(readAt)}`
  if (age === null) return `<p class="quiet">${asOf}.</p>`
  return `<p class="notice" role="status">${asOf}, ${age} ago. Newer information cannot be read at the moment: this is the last known status.</p>`
}

const groupHtml = (title: string, rows: readonly Row[]): string => `<section>
<h2>${title}</h2>
<ul class="parts">
${rows.map(rowHtml).join('\n')}
</ul>
</section>`

function rowHtml({ component, name, status, reason, since, days }: Row): string {
  const label = textOf(labelOf(component, name))
  const why = reason === null ? '' : `<p class="reason">${textOf(reason)}</p>`
  return `<li>
<h3>${label}</h3>
<p class="state ${status}"><strong>${STATUS_WORDS[status]}</strong> since ${timeHtml(since)}</p>
${why}${daysHtml(label, days)}
</li>`
}

const STATUS_WORDS: Readonly<Record<Row['status'], string>> = {
  operational: 'Operational',
  degraded: 'Degraded',
  down: 'Down',
  disabled: 'Switched off',
  paused: 'Paused',
}

const NAMES: Readonly<Record<string, string>> = {
  gateway: 'Payment gateway',
  onramp: 'Card on-ramp',
  ethereum: 'Ethereum',
  base: 'Base',
  arbitrum: 'Arbitrum',
  optimism: 'Optimism',
  bsc: 'BNB Smart Chain',
}

/** As they are read, which the names that programs read are not in. Markets are in the order of theirs. */
const ORDER = Object.keys(NAMES)

function labelOf(component: Row['component'], name: string): string {
  if (component === 'trading') return 'Buys, sells and withdrawals'
  if (component === 'platform') return 'Trade offers and inventories'
  return component === 'market' ? marketName(name) : (NAMES[name] ?? name)
}

/** The bars are a picture; what is to be read of them stands in the list below it. */
function daysHtml(label: string, days: readonly Day[]): string {
  const bars = days
    .map((day) => `<span class="${day.status ?? 'none'}" title="${dayText(day)}"></span>`)
    .join('')
  const troubled = days.filter(({ seconds }) => Object.keys(seconds).length > 0).toReversed()
  const list =
    troubled.length === 0
      ? ''
      : `<details><summary>${troubled.length === 1 ? '1 day' : `${troubled.length} days`} with changes</summary>
<ul>${troubled.map((day) => `<li>${dayText(day)}</li>`).join('')}</ul></details>`
  return `<div class="days" role="img" aria-label="${label}, the last ${HISTORY_DAYS} days">${bars}</div>
${list}`
}

function dayText({ date, status, seconds }: Day): string {
  const parts = Object.entries(seconds).map(
    ([one, length]) =>
      `${STATUS_WORDS[one as Row['status']].toLowerCase()} ${ageText(length * 1000)}`,
  )
  if (parts.length > 0) return `${date}: ${parts.join(', ')}`
  return `${date}: ${status === null ? 'not recorded' : 'operational'}`
}

function ageText(ms: number): string {
  const seconds = Math.round(ms / 1000)
  if (seconds < 120) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  if (minutes < 120) return `${minutes} min`
  return `${Math.round(minutes / 60)} h`
}

const timeHtml = (at: Date): string => {
  const text = at.toISOString()
  return `<time datetime="${text}">${text.slice(0, 10)} ${text.slice(11, 19)} UTC</time>`
}

const textOf = (text: string): string =>
  text.replace(
    /[&<>"]/g,
    (char) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[char] ?? '',
  )
