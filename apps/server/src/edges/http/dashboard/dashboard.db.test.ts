import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { dashboardRouteList, requestExample } from '@tradepost/contract'
import { createCatalog } from '#catalog'
import { sql } from '#infra/database/db'
import { newId } from '#kernel/id'
import { capabilitiesOf, type MemberRole } from '#people'
import { until } from '../../../infra/testing/until.ts'
import { aMerchant } from '../../../modules/accounts/identity/testing/accounts.ts'
import {
  type LoggedInBrowser,
  PASSWORD,
  startDashboardServer,
  tokenIn,
} from '../testing/dashboard-server.ts'
import { fingerprint } from '../testing/fingerprint.ts'
import { givenDashboardServer } from '../testing/given-dashboard-server.ts'
import { heldBack } from '../testing/held-back.ts'

// Every change is a slow one: the caller is asked about again after its body.
const { database, server } = await givenDashboardServer({ limits: { slowBodyMs: 0 } })

const nextMinute = (): void => server.nextMinute()
const loggedIn = (role?: MemberRole): Promise<LoggedInBrowser> => server.loggedIn(role)

const SEEN = sql('test.session_seen', 'select last_seen_at at from people.session where id = $1')

describe('a registration', () => {
  const password = 'plenty of quiet rivers'

  it('is confirmed by the link of a mail, which logs in the browser that registered, to a merchant of its own', async () => {
    nextMinute()
    const browser = server.browser()
    const email = 'new@example.com'
    const registered = await browser.call('POST', 'auth/register', {
      email,
      password,
      country: 'DE',
    })
    assert.deepEqual(registered.data, { mailSent: true })
    assert.equal((await browser.logIn(email, password)).key, 'EMAIL_NOT_VERIFIED')
    const [mail] = await server.mailTo(email)
    const token = tokenIn(mail?.text ?? '')
    assert.equal((await browser.call('POST', 'auth/verify-email', { token })).status, 200)
    const session = await browser.call('GET', 'session')
    assert.equal(session.data.user.emailVerified, true)
    assert.deepEqual(session.data.roles, ['user', 'merchant'])
    assert.equal((await browser.call('GET', 'keys')).data.length, 0)
    const again = server.browser()
    assert.equal((await again.call('POST', 'auth/verify-email', { token })).key, 'TOKEN_INVALID')
    assert.equal((await again.logIn(email, password)).status, 200)
  })

  it('that is confirmed in another browser logs in neither of them', async () => {
    nextMinute()
    const [registering, other, foreign] = [server.browser(), server.browser(), server.browser()]
    const email = `elsewhere-${newId()}@example.com`
    await registering.call('POST', 'auth/register', { email, password })
    // A browser that registered another address, or the same one again, has a mark that does not fit.
    await foreign.call('POST', 'auth/register', { email: `x-${newId()}@example.com`, password })
    other.registration = foreign.registration
    const [mail] = await server.mailTo(email)
    const token = tokenIn(mail?.text ?? '')
    const confirmed = await other.call('POST', 'auth/verify-email', { token })
    assert.deepEqual(
      [confirmed.status, confirmed.data],
      [200, { emailVerified: true, loggedIn: false }],
    )
    assert.equal(confirmed.headers.get('set-cookie'), null)
    assert.deepEqual([other.cookie, registering.cookie], [null, null])
    assert.equal((await registering.call('GET', 'session')).key, 'UNAUTHENTICATED')
  })

  it('of a known address answers the same, changes nothing and is reported to its owner', async () => {
    nextMinute()
    const { email } = await server.person()
    const browser = server.browser()
    const answer = await browser.call('POST', 'auth/register', { email, password })
    assert.deepEqual([answer.status, answer.data], [200, { mailSent: true }])
    assert.match((await server.mailTo(email))[0]?.subject ?? '', /already have/)
    // As it is answered where the registration opened an account.
    assert.equal((await browser.logIn(email, password)).key, 'EMAIL_NOT_VERIFIED')
    assert.equal((await browser.logIn(email)).status, 200)
  })

  it('of an address under which an operator has opened an account answers the same', async () => {
    nextMinute()
    const email = `opened-${newId()}@example.com`
    await aMerchant(database.db, { email })
    const browser = server.browser()
    const answer = await browser.call('POST', 'auth/register', { email, password })
    assert.deepEqual([answer.status, answer.data], [200, { mailSent: true }])
    assert.match((await server.mailTo(email))[0]?.subject ?? '', /already have/)
    assert.equal((await browser.logIn(email, password)).key, 'EMAIL_NOT_VERIFIED')
  })

  it('is over with its confirmation: its password is a wrong one after another was set', async () => {
    nextMinute()
    const email = `over-${newId()}@example.com`
    const browser = server.browser()
    await browser.call('POST', 'auth/register', { email, password })
    await server.mailTo(email)
    await browser.call('POST', 'auth/password/forgot', { email })
    const token = tokenIn((await server.mailTo(email))[0]?.text ?? '')
    const next = { token, password: 'another quiet meadow' }
    assert.equal((await browser.call('POST', 'auth/password/reset', next)).status, 200)
    assert.equal((await browser.logIn(email, password)).key, 'INVALID_CREDENTIALS')
    assert.equal((await browser.logIn(email, next.password)).status, 200)
  })

  it('with letters that are no country’s code is refused', async () => {
    nextMinute()
    const browser = server.browser()
    const body = { email: 'somewhere@example.com', password, country: 'XX' }
    assert.equal((await browser.call('POST', 'auth/register', body)).key, 'VALIDATION_FAILED')
  })

  it('with a weak password is refused', async () => {
    nextMinute()
    const browser = server.browser()
    for (const weak of ['short', 'password123', 'aaaaaaaaaaaa', 'weak@example.com']) {
      const body = { email: 'weak@example.com', password: weak }
      assert.equal((await browser.call('POST', 'auth/register', body)).key, 'PASSWORD_TOO_WEAK')
    }
  })
})

describe('a login', () => {
  it('refuses an unknown address and a wrong password alike', async () => {
    nextMinute()
    const { email } = await server.person()
    const browser = server.browser()
    const unknown = await browser.logIn('who@example.com')
    const wrong = await browser.logIn(email, 'wrong')
    assert.deepEqual([unknown.status, unknown.key], [401, 'INVALID_CREDENTIALS'])
    assert.deepEqual([wrong.status, wrong.key], [401, 'INVALID_CREDENTIALS'])
    assert.equal(browser.cookie, null)
  })

  it('waits longer after each failure, from the same network only', async () => {
    nextMinute()
    const { email } = await server.person()
    const browser = server.browser()
    for (let i = 0; i < 5; i++) await browser.logIn(email, 'wrong')
    const refused = await browser.logIn(email)
    assert.deepEqual([refused.status, refused.key], [429, 'RATE_LIMITED'])
    assert.equal(refused.meta.policy, 'login-failures')
    server.clock.advance(6_000)
    assert.equal((await browser.logIn(email)).status, 200)
  })

  it('sets a cookie that scripts cannot read, and a token that changes need', async () => {
    const browser = await loggedIn()
    const session = await browser.call('GET', 'session')
    assert.equal(session.data.csrfToken, browser.csrfToken)
    const attributes = (await server.browser().logIn(browser.email)).headers.getSetCookie()[0] ?? ''
    assert.match(
      attributes,
      /^tp_session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/,
    )
    const body = { name: 'k' }
    for (const [token, origin] of [
      ['', undefined],
      ['x', undefined],
      [browser.csrfToken ?? '', 'https://evil.example'],
      [browser.csrfToken ?? '', 'null'],
    ] as const) {
      const headers = { 'x-csrf-token': token, ...(origin && { origin }) }
      const refused = await browser.call('POST', 'keys', body, headers)
      assert.deepEqual([refused.status, refused.key], [403, 'CSRF_TOKEN_INVALID'])
    }
    const own = { origin: server.url }
    assert.equal((await browser.call('POST', 'keys', body, own)).status, 201)
  })

  it('ends: after a logout, after a week without use, when another session ends it', async () => {
    const browser = await loggedIn()
    const other = server.browser()
    await other.logIn(browser.email)
    const { data: sessions } = await browser.call('GET', 'sessions')
    assert.equal(sessions.length, 2)
    const [theirs] = sessions.filter(({ current }: { current: boolean }) => !current)
    assert.equal((await browser.call('DELETE', `sessions/${theirs.id}`)).data.ended, 1)
    assert.equal((await other.call('GET', 'session')).key, 'SESSION_EXPIRED')
    const cookie = browser.cookie
    assert.equal((await browser.call('POST', 'auth/logout')).status, 200)
    browser.cookie = cookie
    assert.equal((await browser.call('GET', 'session')).key, 'SESSION_EXPIRED')
    nextMinute()
    await browser.logIn(browser.email)
    server.clock.advance(7 * 86_400_000)
    assert.equal((await browser.call('GET', 'session')).key, 'SESSION_EXPIRED')
  })

  it('lives on by what its person does, not by what an open page asks', async () => {
    const browser = await loggedIn()
    const left = server.browser()
    nextMinute()
    await left.logIn(browser.email)
    server.clock.advance(6 * 86_400_000)
    assert.equal((await browser.call('GET', 'keys')).status, 200)
    const unattended = { 'x-unattended': '1' }
    assert.equal((await left.call('GET', 'keys', undefined, unattended)).status, 200)
    assert.equal((await left.call('GET', 'changes')).status, 200)
    server.clock.advance(86_400_000)
    assert.equal((await left.call('GET', 'keys')).key, 'SESSION_EXPIRED')
    // On a change the header means nothing; a read without it counts, though one with it came before.
    server.clock.advance(5 * 86_400_000)
    assert.equal((await browser.call('GET', 'keys', undefined, unattended)).status, 200)
    assert.equal((await browser.call('GET', 'keys')).status, 200)
    server.clock.advance(6 * 86_400_000)
    assert.equal((await browser.call('POST', 'auth/refresh', undefined, unattended)).status, 200)
    server.clock.advance(6 * 86_400_000)
    assert.equal((await browser.call('GET', 'keys')).status, 200)
  })

  it('is remembered for a second by reads; a change asks, and what it changed holds at once', async () => {
    const browser = await loggedIn()
    assert.equal((await browser.call('GET', 'keys')).status, 200)
    // As another process ends it.
    const [session] = (await browser.call('GET', 'sessions')).data
    const end = sql('test.end_session', 'update people.session set ended_at = $2 where id = $1')
    await database.db.query(end, [session.id, server.clock.now()])
    assert.equal((await browser.call('GET', 'keys')).status, 200)
    assert.equal((await browser.call('POST', 'keys', { name: 'k' })).key, 'SESSION_EXPIRED')
    server.clock.advance(1000)
    assert.equal((await browser.call('GET', 'keys')).key, 'SESSION_EXPIRED')
  })

  it('that ends while the body of a call is held back has that call refused, and nothing is done', async () => {
    for (const [method, path, body] of [
      ['POST', 'keys', { name: 'made too late' }],
      ['PUT', 'password', { currentPassword: PASSWORD, newPassword: 'too late by a body' }],
    ] as const) {
      const browser = await loggedIn()
      const other = server.browser()
      assert.equal((await other.logIn(browser.email)).status, 200)
      const [own] = (await browser.call('GET', 'sessions')).data.filter(
        ({ current }: { current: boolean }) => current,
      )
      nextMinute()
      const end = async (): Promise<void> => {
        await until('the use of the session is noted', async () => {
          const [row] = await database.db.query<{ at: Date }>(SEEN, [own.id])
          return row?.at.getTime() === server.clock.now().getTime()
        })
        assert.equal((await other.call('DELETE', `sessions/${own.id}`)).status, 200)
      }
      const [answer] = await heldBack(server.url, browser, { method, path, body, meanwhile: end })
      assert.equal(answer?.json.error?.key, 'SESSION_EXPIRED')
      assert.deepEqual((await other.call('GET', 'keys')).data, [])
      nextMinute()
      assert.equal((await server.browser().logIn(browser.email)).status, 200)
    }
  })

  it('is refreshed with a new token, and the old one is good for other tabs for half a minute', async () => {
    const browser = await loggedIn()
    const tab = Object.assign(server.browser(), {
      cookie: browser.cookie,
      csrfToken: browser.csrfToken,
    })
    const before = browser.cookie
    assert.equal((await browser.call('POST', 'auth/refresh')).status, 200)
    assert.notEqual(browser.cookie, before)
    assert.equal((await tab.call('GET', 'session')).status, 200)
    server.clock.advance(31_000)
    assert.equal((await tab.call('GET', 'session')).key, 'UNAUTHENTICATED')
    assert.equal((await browser.call('GET', 'session')).status, 200)
  })
})

describe('a password', () => {
  it('that was forgotten is set by the link of a mail, once, and every session ends', async () => {
    const browser = await loggedIn()
    nextMinute()
    const anonymous = server.browser()
    const forgot = (email: string) => anonymous.call('POST', 'auth/password/forgot', { email })
    assert.deepEqual((await forgot(browser.email)).data, (await forgot('who@example.com')).data)
    assert.equal((await server.mailTo('who@example.com')).length, 1)
    const [mail] = await server.mailTo(browser.email)
    const body = { token: tokenIn(mail?.text ?? ''), password: 'another good secret' }
    const reset = () => anonymous.call('POST', 'auth/password/reset', body)
    assert.equal((await reset()).status, 200)
    assert.equal((await reset()).key, 'TOKEN_INVALID')
    assert.equal((await browser.call('GET', 'session')).key, 'SESSION_EXPIRED')
    assert.equal((await anonymous.logIn(browser.email)).key, 'INVALID_CREDENTIALS')
    assert.equal((await anonymous.logIn(browser.email, body.password)).status, 200)
  })

  it('is changed with the current one, and all other sessions end', async () => {
    const browser = await loggedIn()
    const other = server.browser()
    await other.logIn(browser.email)
    const change = (currentPassword: string) =>
      browser.call('PUT', 'password', { currentPassword, newPassword: 'a longer new phrase' })
    assert.equal((await change('wrong')).key, 'INVALID_CREDENTIALS')
    assert.equal((await change(PASSWORD)).status, 200)
    assert.equal((await browser.call('GET', 'session')).status, 200)
    assert.equal((await other.call('GET', 'session')).key, 'SESSION_EXPIRED')
  })
})

describe('administration', () => {
  it('says of the lists of the catalogue how old they are and why one was not believed', async () => {
    const { clock } = server
    const catalog = createCatalog({ db: database.db, clock })
    const empty = { fetch: async () => ({ etag: '', items: [], unreadable: 0, examples: [] }) }
    await catalog.refreshItems(empty, null)
    const goodAt = clock.now().toISOString()
    const admin = await loggedIn('administrator')
    const { catalogue } = (await admin.call('GET', 'admin/health')).data
    assert.deepEqual(catalogue, {
      lists: [{ name: 'items', goodAt, refused: 'it names no item' }],
      stubItems: 0,
    })
  })

  it('lists accounts, changes tier and status, and switches trading', async () => {
    const merchant = await server.person()
    const admin = await loggedIn('administrator')
    const page = await admin.call('GET', `admin/merchants?q=${merchant.email}`)
    assert.deepEqual([page.data.total, page.data.items[0].id], [1, merchant.accountId])
    const path = `admin/merchants/${merchant.accountId}`
    const changed = await admin.call('PATCH', path, { tier: 'premium', status: 'suspended' })
    assert.deepEqual([changed.data.tier, changed.data.status], ['premium', 'suspended'])
    const paused = { paused: true, reason: 'a drill' }
    assert.deepEqual((await admin.call('PUT', 'admin/trading', paused)).data, { paused: true })
    const health = async () => (await admin.call('GET', 'admin/health')).data
    const { tradingPaused, pause } = await health()
    assert.deepEqual([tradingPaused, pause.reason], [true, 'a drill'])
    assert.equal(pause.by, (await admin.call('GET', 'session')).data.user.email)
    assert.equal(pause.since, server.clock.now().toISOString())
    await admin.call('PUT', 'admin/trading', { ...paused, paused: false })
    assert.equal((await health()).pause, null)
    const unknown = await admin.call('PUT', 'admin/markets/none', { enabled: true, reason: 'r' })
    assert.equal(unknown.key, 'NOT_FOUND')
  })

  it('a suspended merchant reads and changes nothing', async () => {
    const browser = await loggedIn()
    const admin = await loggedIn('administrator')
    await admin.call('PATCH', `admin/merchants/${browser.accountId}`, { status: 'suspended' })
    assert.equal((await browser.call('GET', 'keys')).status, 200)
    assert.equal((await browser.call('POST', 'keys', { name: 'x' })).key, 'ACCOUNT_SUSPENDED')
  })

  it('outside the sandbox stays shut for an administrator without a second factor', async () => {
    const production = await startDashboardServer(database.db, { isDemo: false })
    const { email } = await production.person('administrator')
    const browser = production.browser()
    await browser.logIn(email)
    const refused = await browser.call('GET', 'admin/health')
    assert.deepEqual([refused.status, refused.key], [403, 'TWO_FACTOR_SETUP_REQUIRED'])
    await production.close()
  })
})

describe('the console of the sandbox', () => {
  const url = 'http://127.0.0.1:3001/'
  it('is named to an anonymous caller, who looks for the mail there, and to a person', async () => {
    const sandbox = await startDashboardServer(database.db, { sandboxUrl: url })
    const browser = sandbox.browser()
    assert.deepEqual((await browser.call('GET', 'sandbox')).data, { url })
    await browser.logIn((await sandbox.person()).email)
    assert.equal((await browser.call('GET', 'session')).data.sandboxUrl, url)
    await sandbox.close()
  })

  it('is none outside of it', async () => {
    assert.deepEqual((await server.browser().call('GET', 'sandbox')).data, { url: null })
    const person = await loggedIn()
    assert.equal((await person.call('GET', 'session')).data.sandboxUrl, null)
  })
})

describe('every route', () => {
  const shown = (path: string, params: Readonly<Record<string, unknown>>): string =>
    path
      .replace('/dashboard/api/', '')
      .replace(/\{(\w+)\}/g, (_, name: string) => String(params[name] ?? 'x'))

  it('is UNAUTHENTICATED without a session, FORBIDDEN with an API key or without the capability', async () => {
    const roles: MemberRole[] = ['owner', 'developer', 'finance', 'read_only', 'administrator']
    const browsers = new Map(
      await Promise.all(roles.map(async (role) => [role, await loggedIn(role)] as const)),
    )
    for (const route of dashboardRouteList) {
      // Only capped routes need another minute: an administrator's session ends after 30 without use.
      if (route.cap !== undefined) nextMinute()
      const { params, body } = requestExample(route)
      const path = shown(route.path, params)
      const name = `${route.method} ${path}`
      const withKey = await server.browser().call(route.method, path, body, { 'api-key': 'x' })
      assert.deepEqual([withKey.status, withKey.key], [403, 'FORBIDDEN'], name)
      if (route.capability === 'anonymous') continue
      const bare = await server.browser().call(route.method, path, body)
      assert.deepEqual([bare.status, bare.key], [401, 'UNAUTHENTICATED'], name)
      for (const [role, browser] of browsers) {
        if (capabilitiesOf(role).has(route.capability)) continue
        const refused = await browser.call(route.method, path, body)
        assert.deepEqual([refused.status, refused.key], [403, 'FORBIDDEN'], `${name} as ${role}`)
      }
    }
  })

  it('that changes something takes it from a page of its own session only', async () => {
    const owner = await loggedIn()
    const admin = await loggedIn('administrator')
    const otherPerson = await loggedIn()
    const changing = dashboardRouteList.filter(({ method }) => method !== 'GET')
    assert.ok(changing.length > 50, `${changing.length} routes`)
    const before = await fingerprint(database.db)
    for (const [n, route] of changing.entries()) {
      // A network has a limit for a minute, which all these routes together exceed.
      if (route.cap !== undefined || n % 20 === 0) nextMinute()
      const browser = route.capability === 'administration' ? admin : owner
      const { params, body } = requestExample(route)
      const path = shown(route.path, { id: newId(), ...params })
      const forged: Readonly<Record<string, string>>[] = [
        { origin: 'https://evil.example' },
        { origin: 'null' },
        // Another name that ends in ours, and our own with another port.
        { origin: 'http://localhost.evil.example' },
        { origin: 'http://localhost:1' },
        ...(route.capability === 'anonymous'
          ? []
          : [
              { 'x-csrf-token': '' },
              { 'x-csrf-token': otherPerson.csrfToken ?? '' },
              { 'x-csrf-token': `${browser.csrfToken}A` },
            ]),
      ]
      const answers = await Promise.all(
        forged.map((headers) => browser.call(route.method, path, body, headers)),
      )
      for (const [i, { status, key }] of answers.entries()) {
        const name = `${route.id} with ${JSON.stringify(forged[i])}`
        assert.deepEqual([status, key], [403, 'CSRF_TOKEN_INVALID'], name)
      }
      const withKey = await browser.call(route.method, path, body, { 'x-api-key': 'x' })
      assert.equal(withKey.key, 'FORBIDDEN', route.id)
    }
    assert.deepEqual(await fingerprint(database.db), before)
    assert.equal((await owner.call('GET', 'session')).status, 200)
  })

  it('whose outcome is a mail is SERVICE_DISABLED where mail is off, alike for every address', async (t) => {
    const mailless = await startDashboardServer(database.db, { sendsMail: false })
    t.after(() => mailless.close())
    const [owner, admin] = [mailless.browser(), mailless.browser()]
    const { email } = await mailless.person()
    await owner.logIn(email)
    await admin.logIn((await mailless.person('administrator')).email)
    const mailing = dashboardRouteList.filter(({ mails }) => mails)
    assert.equal(mailing.length, 11)
    const before = await fingerprint(database.db)
    for (const route of mailing) {
      const browser = route.capability === 'administration' ? admin : owner
      const { params, body } = requestExample(route)
      const path = shown(route.path, { id: newId(), ...params })
      for (const address of [email, `unknown-${newId()}@example.com`]) {
        const sent = { ...(body as object), ...('email' in Object(body) && { email: address }) }
        const { status, key, meta } = await browser.call(route.method, path, sent)
        const expected = [503, 'SERVICE_DISABLED', { reason: 'mail_off' }]
        assert.deepEqual([status, key, meta], expected, route.id)
      }
    }
    assert.deepEqual(await fingerprint(database.db), before)
    // A code by mail is the only factor of its owner.
    mailless.clock.advance(11 * 60_000)
    const { status, key } = await owner.call('POST', 'keys', { name: 'one' })
    assert.deepEqual([status, key], [503, 'SERVICE_DISABLED'])
  })

  it('an address that no route has is NOT_FOUND to a session', async () => {
    const browser = await loggedIn()
    assert.equal((await browser.call('GET', 'nothing')).status, 404)
    assert.equal((await server.browser().call('GET', 'nothing')).key, 'UNAUTHENTICATED')
  })
})
