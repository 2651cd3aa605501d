// A person of a hostile merchant in the dashboard: guesses the password of another login, searches and reads
// what is dear, loads files and does not read them, and changes the webhook endpoint, its secret and the
// callback of withdrawals while events leave.

import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Browser,
  createBrowser,
} from '../../../../apps/server/src/edges/http/testing/dashboard-server.ts'
import type { Db } from '../../../../apps/server/src/infra/database/db.ts'
import {
  addPerson,
  createPasswords,
} from '../../../../apps/server/src/modules/accounts/people/index.ts'
import { pickWith } from '../../dice.ts'
import type { AttackDeps } from './deps.ts'
import { assertServed, inTurns } from './tally.ts'

const PASSWORD = 'correct horse battery staple'

/** An owner of the merchant, with a login of the dashboard. */
export async function openOwner(
  db: Db,
  { accountId, email }: { readonly accountId: string; readonly email: string },
): Promise<void> {
  const passwordHash = await createPasswords().hash(PASSWORD, 'test')
  const membership = { accountId, accountKind: 'merchant', role: 'owner' } as const
  await db.transaction((tx) => addPerson(tx, { email, passwordHash, membership, at: new Date() }))
}

export interface DashboardAttack {
  step(): Promise<void>
}

const READS = [
  'overview',
  'trades?itemName=no%20such%20name&limit=100',
  'trades?status=failed&limit=100',
  'ledger?limit=100',
  'ledger?type=fund_in',
  'events?type=trade.completed',
  'audit',
  'search?q=0',
  'search?q=%25',
  'users?q=bench-0&page=2',
  'webhook/deliveries',
  'market?q=a',
  'deposits',
  'payouts/withdrawals',
  'sessions',
] as const
const GUESSES = 8
const EXPORTS = ['trades', 'ledger', 'audit', 'deposits'] as const
const UNREAD_MS = 3000
/** Sensitive acts ask for a factor that is not older than ten minutes. */
const SESSION_MS = 8 * 60_000

export function createDashboardAttack({
  baseUrl,
  owner,
  victimEmail,
  endpointUrls,
  tally,
  throwDice,
}: AttackDeps & {
  readonly baseUrl: string
  /** The e-mail address of the attacker's own login. */
  readonly owner: string
  /** Of a person of another merchant. */
  readonly victimEmail: string
  readonly endpointUrls: readonly string[]
}): DashboardAttack {
  const pick = pickWith(throwDice)
  let session: { readonly browser: Browser; readonly until: number } | null = null
  const enter = async (): Promise<Browser | null> => {
    if (session !== null && Date.now() < session.until) return session.browser
    const browser = createBrowser(baseUrl)
    const answer = await browser.logIn(owner, PASSWORD)
    counted('log-ins', answer)
    if (answer.status !== 200) return null
    session = { browser, until: Date.now() + SESSION_MS }
    return browser
  }
  const counted = (what: string, { status, key }: { status: number; key?: string | undefined }) => {
    assertServed(what, { status, error: key === undefined ? null : { key } })
    tally.count(`${what}: ${key ?? 'accepted'}`)
  }
  const guess = async (): Promise<void> => {
    const email = pick([victimEmail, victimEmail, 'unknown@attack.example'])
    const answer = await createBrowser(baseUrl).logIn(email, `guess ${throwDice()}`)
    counted('guessed passwords', answer)
    assert.notEqual(answer.status, 200, 'a guessed password opens nothing')
  }
  const load = async (browser: Browser, isRead: boolean): Promise<void> => {
    const what = pick(EXPORTS)
    counted('exports prepared', await browser.call('POST', 'exports', { what }))
    const response = await fetch(`${baseUrl}/dashboard/api/exports/${what}`, {
      headers: { cookie: browser.cookie ?? '' },
      signal: AbortSignal.timeout(120_000),
    })
    const { status, headers, body } = response
    assertServed('an export', { status })
    tally.count(`exports loaded: ${status === 200 ? 'accepted' : status}`)
    if (status === 200) assert.match(headers.get('content-type') ?? '', /^text\/csv/)
    if (isRead || body === null) {
      await response.arrayBuffer()
      return
    }
    const reader = body.getReader()
    await reader.read()
    await sleep(UNREAD_MS)
    await reader.cancel()
  }
  const change = async (browser: Browser): Promise<void> => {
    const url = pick(endpointUrls)
    const works = [
      () => browser.call('PUT', 'webhook', { url }),
      () => browser.call('PUT', 'payouts/callback', { url }),
      () => browser.call('POST', 'webhook/secret/rotate', { overlapHours: pick([0, 1, 24]) }),
      () => browser.call('POST', 'webhook/secret/rotate', { overlapHours: 1 }),
      () => browser.call('POST', 'webhook/test', {}),
      () => browser.call('POST', 'payouts/callback/test', {}),
      () => browser.call('POST', 'webhook/recover', { since: new Date(0).toISOString() }),
      () => browser.call('POST', 'payouts/callback/secret/rotate', { overlapHours: 0 }),
    ]
    const answers = await Promise.all(works.map((work) => work()))
    for (const answer of answers) counted('changes of endpoints', answer)
  }
  return {
    step: async () => {
      const browser = await enter()
      const reads = Array.from({ length: 6 }, () => async () => {
        if (browser === null) return
        const path = pick(READS)
        counted('dashboard reads', await browser.call('GET', path))
      })
      await Promise.all([
        inTurns(
          4,
          Array.from({ length: GUESSES }, () => guess),
        ),
        inTurns(3, reads),
        ...(browser === null ? [] : [change(browser)]),
        ...(browser === null || throwDice() < 0.5
          ? []
          : [load(browser, false), load(browser, false), load(browser, throwDice() < 0.3)]),
      ])
      if (throwDice() < 0.1) session = null
    },
  }
}
