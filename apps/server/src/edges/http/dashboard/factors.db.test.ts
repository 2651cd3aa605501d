// Second factors: codes of an app, codes by mail, and the sensitive acts that ask for them; what an attacker
// learns of an address.
import assert from 'node:assert/strict'
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { after, before, describe, it, mock } from 'node:test'
import { TOTP } from 'otpauth'
import { sql } from '#infra/database/db'
import { createSecretBox } from '#infra/process/secrets'
import { newId } from '#kernel/id'
import { Refusal } from '#kernel/refusal'
import type { MemberRole, PeopleDeps } from '#people'
import * as people from '#people'
import { type TestDatabase, testDatabase } from '../../../infra/testing/database.ts'
import { type RecordingDb, recordingDb } from '../../../infra/testing/recording-db.ts'
import { createAuthenticator } from '../testing/authenticator.ts'
import {
  type Answer,
  type Browser,
  codeIn,
  type DashboardServer,
  type LoggedInBrowser,
  PASSWORD,
  startDashboardServer,
  tokenIn,
} from '../testing/dashboard-server.ts'
import { createSessionCookie } from './cookies.ts'

let database: TestDatabase
let recording: RecordingDb
let server: DashboardServer

before(async () => {
  database = await testDatabase()
  recording = recordingDb(database.db)
  server = await startDashboardServer(recording)
})
after(async () => {
  await server.close()
  await database.close()
})

/** As the server has them. */
const secrets = createSecretBox([Buffer.alloc(32, 7)])
const passwords = people.createPasswords()
const nextMinute = (): void => server.nextMinute()
const loggedIn = (role?: MemberRole): Promise<LoggedInBrowser> => server.loggedIn(role)

describe('a second factor', () => {
  const codeOf = (secret: string): string =>
    new TOTP({ secret }).generate({ timestamp: server.clock.now().getTime() })

  async function withTotp(): Promise<{
    browser: Awaited<ReturnType<typeof loggedIn>>
    secret: string
    recovery: string[]
  }> {
    const browser = await loggedIn()
    const { secret } = (await browser.call('POST', 'two-factor/totp')).data
    const enabled = await browser.call('POST', 'two-factor/totp/enable', { code: codeOf(secret) })
    assert.equal(enabled.status, 200)
    return { browser, secret, recovery: enabled.data.recoveryCodes }
  }

  it('is asked for at a login; a code works once, also for twenty at the same moment', async () => {
    const { browser, secret, recovery } = await withTotp()
    assert.equal(recovery.length, 10)
    nextMinute()
    const refused = await server.browser().logIn(browser.email)
    assert.deepEqual([refused.status, refused.key], [401, 'TWO_FACTOR_REQUIRED'])
    assert.deepEqual(refused.meta.methods, ['totp', 'recovery'])
    const answer = (code: string, challengeId = refused.meta.challengeId) =>
      server.browser().call('POST', 'auth/two-factor', { challengeId, method: 'totp', code })
    const code = codeOf(secret)
    // Of one address ten answers a minute are taken, and of one challenge five.
    const answers = await Promise.all(Array.from({ length: 20 }, () => answer(code)))
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    nextMinute()
    const again = await server.browser().logIn(browser.email)
    assert.equal((await answer(code, again.meta.challengeId)).key, 'TWO_FACTOR_INVALID')
    const body = { challengeId: again.meta.challengeId, method: 'recovery', code: recovery[0] }
    assert.equal((await server.browser().call('POST', 'auth/two-factor', body)).status, 200)
    const third = await server.browser().logIn(browser.email)
    const used = { ...body, challengeId: third.meta.challengeId }
    assert.equal(
      (await server.browser().call('POST', 'auth/two-factor', used)).key,
      'TWO_FACTOR_INVALID',
    )
  })

  it('takes five tries of a challenge', async () => {
    const { browser } = await withTotp()
    nextMinute()
    const { meta } = await server.browser().logIn(browser.email)
    const body = { challengeId: meta.challengeId, method: 'totp', code: '000000' }
    const keys: (string | undefined)[] = []
    for (let i = 0; i < 6; i++) {
      keys.push((await server.browser().call('POST', 'auth/two-factor', body)).key)
    }
    assert.deepEqual(keys, [...Array(5).fill('TWO_FACTOR_INVALID'), 'TWO_FACTOR_EXPIRED'])
  })

  it('is asked for again before a sensitive act ten minutes later; by mail for one who has none', async () => {
    const browser = await loggedIn()
    assert.equal((await browser.call('POST', 'keys', { name: 'one' })).status, 201)
    server.clock.advance(11 * 60_000)
    const refused = await browser.call('POST', 'keys', { name: 'two' })
    assert.deepEqual([refused.status, refused.key], [403, 'TWO_FACTOR_FRESH_REQUIRED'])
    assert.deepEqual(refused.meta.methods, ['email'])
    const code = codeIn((await server.mailTo(browser.email))[0]?.text ?? '')
    const { challengeId } = refused.meta
    const body = { challengeId, method: 'email', code }
    // The challenge belongs to its session.
    const otherPerson = await loggedIn()
    assert.equal(
      (await otherPerson.call('POST', 'auth/two-factor', body)).key,
      'TWO_FACTOR_EXPIRED',
    )
    assert.equal((await browser.call('POST', 'auth/two-factor', body)).status, 200)
    assert.equal((await browser.call('POST', 'keys', { name: 'two' })).status, 201)
  })

  it('or a password that changes while a log-in checks its hash is seen by it', async () => {
    const changes = {
      TWO_FACTOR_REQUIRED: async (browser: LoggedInBrowser) => {
        const { secret } = (await browser.call('POST', 'two-factor/totp')).data
        return browser.call('POST', 'two-factor/totp/enable', { code: codeOf(secret) })
      },
      INVALID_CREDENTIALS: (browser: LoggedInBrowser) =>
        browser.call('PUT', 'password', {
          ...{ currentPassword: PASSWORD, newPassword: 'a longer new phrase' },
        }),
    }
    for (const [key, change] of Object.entries(changes)) {
      const browser = await loggedIn()
      let changed: Promise<Answer> | null = null
      const matches: typeof passwords.matches = async (...order) => {
        const isRight = await passwords.matches(...order)
        changed ??= change(browser)
        assert.equal((await changed).status, 200)
        return isRight
      }
      const deps: PeopleDeps = {
        ...{ db: database.db, clock: server.clock, secrets, sendsMail: true },
        publicUrl: () => server.url,
        passwords: { ...passwords, matches },
      }
      const origin = { address: '203.0.113.7', userAgent: 'a test', requestId: newId() }
      const order = { email: browser.email, password: PASSWORD, origin, network: 'n', device: null }
      await assert.rejects(
        people.logIn(deps, order),
        (error) => error instanceof Refusal && error.key === key,
      )
    }
  })

  it('is turned off again, and there is none to turn off twice', async () => {
    const { browser } = await withTotp()
    assert.equal((await browser.call('POST', 'two-factor/totp')).key, 'TWO_FACTOR_ALREADY_ENABLED')
    assert.equal((await browser.call('DELETE', 'two-factor')).status, 200)
    assert.equal((await browser.call('DELETE', 'two-factor')).key, 'TWO_FACTOR_NOT_ENABLED')
    nextMinute()
    assert.equal((await server.browser().logIn(browser.email)).status, 200)
  })
})

describe('codes by mail as a second factor', () => {
  const codeTo = async (email: string): Promise<string> =>
    codeIn((await server.mailTo(email))[0]?.text ?? '')
  const answer = (body: object) => server.browser().call('POST', 'auth/two-factor', body)
  const send = (challengeId: string, browser = server.browser()) =>
    browser.call('POST', 'auth/two-factor/code', { challengeId })

  async function withMailCodes(role?: MemberRole) {
    const browser = await loggedIn(role)
    const { challengeId } = (await browser.call('POST', 'two-factor/email')).data
    const body = { challengeId, code: await codeTo(browser.email) }
    const enabled = await browser.call('POST', 'two-factor/email/enable', body)
    assert.equal(enabled.status, 200)
    nextMinute()
    return { browser, recovery: enabled.data.recoveryCodes as string[] }
  }

  it('are set up with a code that arrived, which ends other sessions and is reported', async () => {
    const browser = await loggedIn()
    const other = server.browser()
    await other.logIn(browser.email)
    const { challengeId } = (await browser.call('POST', 'two-factor/email')).data
    const code = await codeTo(browser.email)
    const enable = (as: typeof other, given: string) =>
      as.call('POST', 'two-factor/email/enable', { challengeId, code: given })
    const wrong = code === '000000' ? '000001' : '000000'
    assert.equal((await enable(browser, wrong)).key, 'TWO_FACTOR_INVALID')
    // Neither another session nor a login or a sensitive act can use it.
    assert.equal((await enable(other, code)).key, 'TWO_FACTOR_EXPIRED')
    const proof = { challengeId, method: 'email', code }
    const elsewhere = await browser.call('POST', 'auth/two-factor', proof)
    assert.equal(elsewhere.key, 'TWO_FACTOR_EXPIRED')
    assert.equal((await browser.call('GET', 'session')).data.user.twoFactorMethod, null)
    const answers = await Promise.all([1, 2].map(() => enable(browser, code)))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401])
    const codes = answers.find(({ status }) => status === 200)?.data.recoveryCodes
    assert.equal(codes.length, 10)
    assert.equal((await other.call('GET', 'session')).key, 'SESSION_EXPIRED')
    assert.equal((await browser.call('GET', 'session')).data.user.twoFactorMethod, 'email')
    assert.match(
      (await server.mailTo(browser.email))[0]?.subject ?? '',
      /Codes by email were turned on/,
    )
    const twice = await browser.call('POST', 'two-factor/email')
    assert.equal(twice.key, 'TWO_FACTOR_ALREADY_ENABLED')
  })

  it('are asked for at a login: the newest of three works, once, in five tries', async () => {
    const { browser, recovery } = await withMailCodes()
    const { email } = browser
    const { meta, key } = await server.browser().logIn(email)
    assert.deepEqual([key, meta.methods], ['TWO_FACTOR_REQUIRED', ['email', 'recovery']])
    const { challengeId } = meta
    const first = await codeTo(email)
    const sent = await Promise.all([1, 2, 3].map(() => send(challengeId)))
    assert.deepEqual(sent.map(({ status }) => status).sort(), [200, 200, 401])
    const newest = await codeTo(email)
    const body = { challengeId, method: 'email' }
    if (first !== newest) {
      assert.equal((await answer({ ...body, code: first })).key, 'TWO_FACTOR_INVALID')
    }
    const answers = await Promise.all([1, 2, 3].map(() => answer({ ...body, code: newest })))
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    assert.equal((await send(challengeId)).key, 'TWO_FACTOR_EXPIRED')
    nextMinute()
    const second = (await server.browser().logIn(email)).meta.challengeId
    const keys: (string | undefined)[] = []
    for (let i = 0; i < 6; i++) {
      keys.push((await answer({ challengeId: second, method: 'email', code: '12345' })).key)
    }
    assert.deepEqual(keys, [...Array(5).fill('TWO_FACTOR_INVALID'), 'TWO_FACTOR_EXPIRED'])
    assert.equal((await send(second)).key, 'TWO_FACTOR_EXPIRED')
    const third = (await server.browser().logIn(email)).meta.challengeId
    const spare = { challengeId: third, method: 'recovery', code: recovery[0] }
    assert.equal((await answer(spare)).status, 200)
  })

  it('are ten in ten minutes for one person, and one that is late is worth nothing', async () => {
    const { browser } = await withMailCodes()
    const { email } = browser
    const { challengeId } = (await server.browser().logIn(email)).meta
    const late = { challengeId, method: 'email', code: await codeTo(email) }
    server.clock.advance(10 * 60_000)
    assert.equal((await answer(late)).key, 'TWO_FACTOR_EXPIRED')
    const logins = []
    for (let i = 0; i < 4; i++) logins.push((await server.browser().logIn(email)).meta.challengeId)
    const [one, two, three] = logins
    for (const id of [one, one, two, two, three, three]) {
      assert.equal((await send(id)).status, 200)
    }
    nextMinute()
    const refused = await send(logins[3])
    assert.deepEqual([refused.status, refused.meta.policy], [429, 'mail-codes'])
  })

  it('give way to an app that is set up in their place, and are turned off', async () => {
    const { browser } = await withMailCodes()
    assert.equal((await browser.call('DELETE', 'two-factor')).status, 200)
    assert.match(
      (await server.mailTo(browser.email))[0]?.subject ?? '',
      /Codes by email were turned off/,
    )
    assert.equal((await server.browser().logIn(browser.email)).status, 200)
    const { browser: other, recovery } = await withMailCodes()
    const { secret } = (await other.call('POST', 'two-factor/totp')).data
    const code = new TOTP({ secret }).generate({ timestamp: server.clock.now().getTime() })
    const enabled = await other.call('POST', 'two-factor/totp/enable', { code })
    assert.deepEqual([enabled.status, enabled.data.recoveryCodes], [200, null])
    const { methods, challengeId } = (await server.browser().logIn(other.email)).meta
    assert.deepEqual(methods, ['totp', 'recovery'])
    assert.equal((await send(challengeId)).key, 'TWO_FACTOR_INVALID')
    // The codes that the person has saved outlive the change.
    const saved = { challengeId, method: 'recovery', code: recovery[0] }
    assert.equal((await answer(saved)).status, 200)
  })

  it('of a session are sent to it alone', async () => {
    const { browser } = await withMailCodes()
    server.clock.advance(11 * 60_000)
    const { meta } = await browser.call('POST', 'keys', { name: 'k' })
    assert.deepEqual(meta.methods, ['email', 'recovery'])
    assert.equal((await send(meta.challengeId)).key, 'TWO_FACTOR_EXPIRED')
    assert.equal((await send(meta.challengeId, await loggedIn())).key, 'TWO_FACTOR_EXPIRED')
    assert.equal((await send(meta.challengeId, browser)).status, 200)
    const { challengeId } = meta
    const body = { challengeId, method: 'email', code: await codeTo(browser.email) }
    assert.equal((await browser.call('POST', 'auth/two-factor', body)).status, 200)
    assert.equal((await browser.call('POST', 'keys', { name: 'k' })).status, 201)
  })

  it('are no second factor of an administrator', async () => {
    const admin = await loggedIn('administrator')
    assert.equal((await admin.call('POST', 'two-factor/email')).key, 'FORBIDDEN')
    // Of a person who became one later they open the pages of administrators nowhere outside the sandbox.
    const production = await startDashboardServer(database.db, { isDemo: false })
    const { email } = await production.person('administrator')
    const mailOnly = sql(
      'test.mail_only',
      `update people.person set two_factor_method = 'email' where email = $1`,
    )
    await database.db.query(mailOnly, [email])
    const browser = production.browser()
    const { challengeId } = (await browser.logIn(email)).meta
    const code = codeIn((await production.mailTo(email))[0]?.text ?? '')
    const proof = { challengeId, method: 'email', code }
    assert.equal((await browser.call('POST', 'auth/two-factor', proof)).status, 200)
    assert.equal((await browser.call('GET', 'admin/health')).key, 'TWO_FACTOR_SETUP_REQUIRED')
    const { secret } = (await browser.call('POST', 'two-factor/totp')).data
    const ofApp = new TOTP({ secret }).generate({ timestamp: production.clock.now().getTime() })
    const enabled = await browser.call('POST', 'two-factor/totp/enable', { code: ofApp })
    assert.equal(enabled.status, 200)
    production.nextMinute()
    const { meta } = await browser.logIn(email)
    assert.deepEqual(meta.methods, ['totp', 'recovery'])
    const next = new TOTP({ secret }).generate({ timestamp: production.clock.now().getTime() })
    const strong = { challengeId: meta.challengeId, method: 'totp', code: next }
    assert.equal((await browser.call('POST', 'auth/two-factor', strong)).status, 200)
    assert.equal((await browser.call('GET', 'admin/health')).status, 200)
    await production.close()
  })

  it('of an app or a passkey open the pages of administrators to the session that sets them up', async () => {
    const production = await startDashboardServer(database.db, { isDemo: false })
    const health = async (browser: Browser) => {
      const { status, key } = await browser.call('GET', 'admin/health')
      return status === 200 ? 'open' : key
    }
    const freshUntil = sql(
      'test.fresh_until',
      `select s.fresh_until "until" from people.session s join people.person p on p.id = s.person_id
       where p.email = $1 and s.ended_at is null`,
    )
    const setUps = {
      totp: async (browser: Browser) => {
        const { secret } = (await browser.call('POST', 'two-factor/totp')).data
        const timestamp = production.clock.now().getTime()
        const code = new TOTP({ secret }).generate({ timestamp })
        return browser.call('POST', 'two-factor/totp/enable', { code })
      },
      passkey: async (browser: Browser) => {
        const { ceremonyId, options } = (await browser.call('POST', 'passkeys/options')).data
        const origin = production.url.replace('127.0.0.1', 'localhost')
        const credential = createAuthenticator().create(options, { origin })
        return browser.call('POST', 'passkeys', { ceremonyId, name: 'laptop', credential })
      },
    }
    for (const setUp of Object.values(setUps)) {
      const { email } = await production.person('administrator')
      const [browser, other] = [production.browser(), production.browser()]
      await browser.logIn(email)
      await other.logIn(email)
      assert.equal(await health(browser), 'TWO_FACTOR_SETUP_REQUIRED')
      production.nextMinute()
      const at = production.clock.now().getTime()
      assert.ok((await setUp(browser)).status < 300)
      assert.deepEqual([await health(browser), await health(other)], ['open', 'SESSION_EXPIRED'])
      const rows = await database.db.query<{ until: Date }>(freshUntil, [email])
      assert.deepEqual(
        rows.map(({ until }) => until.getTime()),
        [at + 10 * 60_000],
      )
    }
    await production.close()
  })
})

describe('a password that is guessed from everywhere', () => {
  const deps = (): PeopleDeps => ({
    ...{ db: database.db, clock: server.clock, secrets, passwords, sendsMail: true },
    publicUrl: () => server.url,
  })
  const origin = { address: '203.0.113.7', userAgent: 'a test', requestId: newId() }
  /** The policy that refused it, or the key. */
  const logIn = async (order: {
    readonly email: string
    readonly network: string
    readonly password?: string
    readonly device?: string | null
  }): Promise<string> => {
    try {
      await people.logIn(deps(), { password: PASSWORD, device: null, ...order, origin })
      return 'in'
    } catch (error) {
      assert.ok(error instanceof Refusal)
      return String(error.details?.policy ?? error.key)
    }
  }
  const guess = async (email: string, times: number, name: string): Promise<Set<string>> => {
    const answers = new Set<string>()
    for (let i = 0; i < times; i++) {
      answers.add(await logIn({ email, network: `${name} ${i}`, password: 'wrong' }))
    }
    return answers
  }
  const deviceOf = (browser: LoggedInBrowser): string =>
    String(browser.device).replace('tp_device=', '')

  it('is tried twenty-one times in all, then ever more slowly; its own browsers do not wait', async () => {
    const browser = await loggedIn()
    const { email } = browser
    assert.deepEqual(await guess(email, 21, 'bot'), new Set(['INVALID_CREDENTIALS']))
    const elsewhere = { email, network: 'elsewhere' }
    assert.equal(await logIn(elsewhere), 'account-failures')
    // The person's own browser, over HTTP, and again with its newest cookie.
    assert.equal((await browser.logIn(email)).status, 200)
    assert.equal((await browser.logIn(email)).status, 200)
    server.clock.advance(5_000)
    assert.deepEqual(await guess(email, 1, 'later'), new Set(['INVALID_CREDENTIALS']))
    server.clock.advance(5_000)
    assert.equal(await logIn(elsewhere), 'account-failures')
    server.clock.advance(5_000)
    assert.equal(await logIn(elsewhere), 'in')
    // It was right, and gives the guesser nothing: the next wait is longer.
    assert.deepEqual(await guess(email, 1, 'last'), new Set(['INVALID_CREDENTIALS']))
    server.clock.advance(19_000)
    assert.equal(await logIn(elsewhere), 'account-failures')
    // An address without a login is slowed down alike.
    assert.deepEqual(await guess('who@example.com', 21, 'bot'), new Set(['INVALID_CREDENTIALS']))
    assert.equal(await logIn({ ...elsewhere, email: 'who@example.com' }), 'account-failures')
  })

  it('is tried by a known browser a few times, and by that of another person or a made-up one as by any', async () => {
    const [browser, other] = [await loggedIn(), await loggedIn()]
    const { email } = browser
    const device = deviceOf(browser)
    await guess(email, 21, 'bot')
    const signed = device.split('.')
    const forged = [...signed.slice(0, 1), newId(), ...signed.slice(2)].join('.')
    for (const foreign of [deviceOf(other), forged, 'made-up', '']) {
      assert.equal(await logIn({ email, network: 'n', device: foreign }), 'account-failures')
    }
    const own = { email, network: 'n', device }
    for (let i = 0; i < 5; i++) {
      assert.equal(await logIn({ ...own, password: 'wrong' }), 'INVALID_CREDENTIALS')
    }
    assert.equal(await logIn(own), 'login-failures')
    server.clock.advance(5_000)
    assert.equal(await logIn(own), 'in')
    server.clock.advance(180 * 86_400_000)
    await guess(email, 21, 'bot')
    assert.equal(await logIn(own), 'account-failures')
  })

  it('is reset from any browser, which is known from then on', async () => {
    const { email } = await server.person()
    await guess(email, 21, 'bot')
    const anonymous = server.browser()
    assert.equal((await anonymous.logIn(email)).meta.policy, 'account-failures')
    await anonymous.call('POST', 'auth/password/forgot', { email })
    const token = tokenIn((await server.mailTo(email))[0]?.text ?? '')
    const password = 'another good secret'
    const reset = await anonymous.call('POST', 'auth/password/reset', { token, password })
    assert.match(
      reset.headers.getSetCookie()[0] ?? '',
      /^tp_device=[\w.:-]{80,256}; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Lax$/,
    )
    assert.equal((await anonymous.logIn(email, password)).status, 200)
    const cookie = createSessionCookie(() => true, 'tp_device').set('x', 60)
    assert.match(cookie, /^__Host-tp_device=x; .*; Secure$/)
  })
})

describe('an address with an account and one without', () => {
  const password = 'plenty of quiet rivers'

  /** What a call does: its statements about people, mail and acts, and the passwords that it hashes. */
  const maskOf = (text: string): string => text.replace(/[^.]/g, 'x')

  async function workOf(call: () => Promise<Answer>) {
    const hashes = mock.method(crypto, 'argon2')
    syncBuiltinESMExports()
    try {
      recording.taken()
      const { status, key, data, headers } = await call()
      const statements = recording
        .taken()
        .filter((name) => /^(people|mail|audit|identity)\.|^(begin|commit)$/.test(name))
      // The mark of the browser that registered is new each time, in the same form.
      const shown = [...headers]
        .filter(([name]) => !/^(x-request-id|date)$/.test(name))
        .map(([name, value]) => [name, value.replace(/(?<=^tp_registration=)[\w.-]+/, maskOf)])
      return { statements, hashes: hashes.mock.callCount(), answer: { status, key, data, shown } }
    } finally {
      hashes.mock.restore()
      syncBuiltinESMExports()
    }
  }

  const asked = {
    'a registration': (email: string) =>
      server.browser().call('POST', 'auth/register', { email, password }),
    'a log-in with the password of that registration': (email: string) =>
      server.browser().logIn(email, password),
    'a log-in with another password': (email: string) =>
      server.browser().logIn(email, 'a wrong password'),
    'a reset of the password': (email: string) =>
      server.browser().call('POST', 'auth/password/forgot', { email }),
    'another mail that confirms it': (email: string) =>
      server.browser().call('POST', 'auth/verify-email/resend', { email }),
  }

  const HASHES: Readonly<Record<string, number>> = {
    'a registration': 1,
    'a log-in with the password of that registration': 2,
    'a log-in with another password': 2,
  }

  it('cost the same statements and hashes, and get the same answer', async () => {
    const { email: known } = await server.person()
    // As long as the other: the bodies of the requests are equal, too.
    const unknown = `q-${newId()}@example.com`
    // In the second round the other one has an account, too, which is not confirmed.
    for (const isAnswered of [false, true]) {
      for (const [what, ask] of Object.entries(asked)) {
        nextMinute()
        const ofKnown = await workOf(() => ask(known))
        nextMinute()
        const ofUnknown = await workOf(() => ask(unknown))
        assert.deepEqual(ofKnown, ofUnknown, what)
        assert.ok(ofKnown.statements.length > 0, what)
        assert.equal(ofKnown.hashes, HASHES[what] ?? 0, what)
        if (isAnswered) await server.answerAnonymousRequests()
      }
    }
  })

  it('cost the same in a change of address and in an invitation', async () => {
    const { email: known } = await server.person()
    const unknown = `q-${newId()}@example.com`
    const work = async (path: string, body: object) => {
      const browser = await loggedIn()
      const { statements, answer } = await workOf(() => browser.call('POST', path, body))
      return { statements, status: answer.status, data: path === 'email' ? answer.data : null }
    }
    assert.deepEqual(await work('email', { email: known }), await work('email', { email: unknown }))
    const invite = (email: string) => work('members/invitations', { email, role: 'finance' })
    assert.deepEqual(await invite(known), await invite(unknown))
  })
})
