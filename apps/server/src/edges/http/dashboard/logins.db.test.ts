// How people link a chat account, lose a second factor, and leave or close an account.
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { TOTP } from 'otpauth'
import { sql, violatedConstraint } from '#infra/database/db'
import { createSecretBox } from '#infra/process/secrets'
import { newId } from '#kernel/id'
import { Refusal } from '#kernel/refusal'
import { removeSecondFactor } from '#operations'
import { createPasswords, giveSecondFactor, type MemberRole } from '#people'
import { until } from '../../../infra/testing/until.ts'
import { WAITING } from '../../../infra/testing/waiting.ts'
import { startChatAtSandbox } from '../testing/chat-at-sandbox.ts'
import {
  type Browser,
  type LoggedInBrowser,
  PASSWORD,
  tokenIn,
} from '../testing/dashboard-server.ts'
import { givenDashboardServer } from '../testing/given-dashboard-server.ts'

const chat = await startChatAtSandbox()
const { sandbox } = chat
const { database, server } = await givenDashboardServer({ chat: chat.platform })
after(() => chat.close())

const nextMinute = (): void => server.nextMinute()
const loggedIn = (role?: MemberRole): Promise<LoggedInBrowser> => server.loggedIn(role)

describe('a session', () => {
  it('that is made up is refused by address after a hundred in a minute, and a good one is not', async () => {
    const browser = await loggedIn()
    const guess = async (number: number) => {
      const otherPerson = server.browser()
      otherPerson.cookie = `tp_session=${String(number).padStart(43, 'A')}`
      return (await otherPerson.call('GET', 'session')).key
    }
    const keys = await Promise.all(Array.from({ length: 101 }, (_, i) => guess(i)))
    assert.equal(keys.filter((key) => key === 'UNAUTHENTICATED').length, 100)
    assert.equal(keys.filter((key) => key === 'RATE_LIMITED').length, 1)
    assert.equal((await browser.call('GET', 'session')).status, 200)
    nextMinute()
  })

  it('is found while more anonymous callers wait for the database than it has connections', async () => {
    const browser = await loggedIn()
    nextMinute()
    const callers = await database.db.transaction(async (tx) => {
      await tx.query(LOCK_FAILED_LOGINS)
      const logins = Array.from({ length: 10 }, (_, i) =>
        server.browser().logIn(`caller-${i}@shop.example`),
      )
      await until(
        'anonymous callers wait',
        async () => (await database.db.query(WAITING)).length >= 3,
      )
      for (let i = 0; i < 5; i++) {
        assert.equal((await browser.call('GET', 'session')).status, 200)
      }
      return logins
    })
    for (const { key = '' } of await Promise.all(callers)) {
      assert.ok(['INVALID_CREDENTIALS', 'RATE_LIMITED'].includes(key), key)
    }
    nextMinute()
  })
})

const LOCK_FAILED_LOGINS = sql(
  'test_lock_failed_logins',
  'lock table people.throttle in access exclusive mode',
)
describe('a chat account', () => {
  const TAKEN_BACK = { method: 'POST', redirect: 'manual' } as const
  /** What the browser brings back from the consent page, whose person chooses an account. */
  const consent = async (
    authorizationUrl: string,
    choices: { readonly username?: string; readonly choice?: 'allow' | 'deny' } = {},
  ): Promise<Record<string, string>> => {
    const page = await fetch(authorizationUrl)
    assert.equal(page.status, 200)
    const form = new URLSearchParams({ username: 'ada', choice: 'allow', ...choices })
    const hidden = /type="hidden" name="(\w+)" value="([^"]*)"/g
    const unescaped = (text: string): string =>
      text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
    for (const [, name = '', value = ''] of (await page.text()).matchAll(hidden)) {
      form.set(name, unescaped(value))
    }
    const answer = await fetch(new URL('authorize', authorizationUrl), {
      ...TAKEN_BACK,
      body: form,
    })
    assert.equal(answer.status, 303)
    const to = new URL(answer.headers.get('location') ?? '')
    // Never anywhere but the one page of ours.
    assert.equal(to.origin + to.pathname, `${origin()}/dashboard/chat`)
    return Object.fromEntries(to.searchParams)
  }
  const origin = (): string => server.url.replace('127.0.0.1', 'localhost')
  const begin = async (browser: Browser): Promise<string> =>
    (await browser.call('POST', 'chat/link')).data.authorizationUrl
  const finish = (browser: Browser, body: object) => browser.call('POST', 'chat/link/finish', body)
  const linked = async (browser: Browser, username: string) => {
    const { state, code } = await consent(await begin(browser), { username })
    return { answer: await finish(browser, { state, code }), state, code }
  }

  it('is linked with its name, and unlinked; both need a fresh factor and are mailed', async () => {
    const browser = await loggedIn()
    assert.deepEqual((await browser.call('GET', 'chat')).data, { available: true, account: null })
    const { answer } = await linked(browser, '<b>ada</b>')
    assert.equal(answer.status, 200)
    const { account } = answer.data
    assert.deepEqual([account.username, account.discriminator], ['<b>ada</b>', '0'])
    assert.match(account.id, /^\d{15,20}$/)
    const [mail] = await server.mailTo(browser.email)
    assert.match(mail?.subject ?? '', /chat account was linked/)
    assert.ok(mail?.html.includes('&lt;b&gt;ada&lt;/b&gt;'))
    server.clock.advance(11 * 60_000)
    for (const [method, path] of [
      ['POST', 'chat/link'],
      ['DELETE', 'chat'],
    ] as const) {
      assert.equal((await browser.call(method, path)).key, 'TWO_FACTOR_FRESH_REQUIRED')
    }
    nextMinute()
    await browser.logIn(browser.email)
    assert.deepEqual((await browser.call('DELETE', 'chat')).data.account, null)
    assert.equal((await browser.call('DELETE', 'chat')).key, 'NOT_FOUND')
    assert.match((await server.mailTo(browser.email))[0]?.subject ?? '', /was unlinked/)
  })

  it('is linked by the session that asked alone: once, with its own code, within ten minutes', async () => {
    const browser = await loggedIn()
    const { state = '', code = '' } = await consent(await begin(browser))
    const otherPerson = await loggedIn()
    // A thief’s answer in another session, and a state that the service has never made.
    assert.equal((await finish(otherPerson, { state, code })).key, 'TOKEN_INVALID')
    const forged = await finish(browser, { state: 'A'.repeat(43), code })
    assert.equal(forged.key, 'TOKEN_INVALID')
    const answers = await Promise.all([1, 2, 3].map(() => finish(browser, { state, code })))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 422, 422])
    // The code of one request with the verifier of another.
    const own = await consent(await begin(browser), { username: 'grace' })
    const other = await consent(await begin(browser), { username: 'grace' })
    const mixed = await finish(browser, { state: own.state, code: other.code })
    assert.equal(mixed.key, 'TOKEN_INVALID')
    const late = await consent(await begin(browser))
    server.clock.advance(10 * 60_000)
    assert.equal((await finish(browser, late)).key, 'TOKEN_INVALID')
    assert.equal((await browser.call('GET', 'chat')).data.account.username, 'ada')
    assert.equal((await consent(await begin(await loggedIn()), { choice: 'deny' })).code, undefined)
  })

  it('belongs to one person', async () => {
    const first = await loggedIn()
    assert.equal((await linked(first, 'lovelace')).answer.status, 200)
    const second = await loggedIn()
    const { answer } = await linked(second, 'lovelace')
    assert.deepEqual([answer.status, answer.key], [409, 'CHAT_ACCOUNT_TAKEN'])
    assert.equal((await second.call('GET', 'chat')).data.account, null)
    assert.deepEqual(
      (await server.mailTo(second.email)).map(({ subject }) => subject),
      ['New login to your Tradepost account'],
    )
    await first.call('DELETE', 'chat')
    nextMinute()
    assert.equal((await linked(second, 'lovelace')).answer.status, 200)
  })

  it('is not linked while the platform is away, and its own checks are real', async () => {
    const browser = await loggedIn()
    const { state = '', code = '' } = await consent(await begin(browser))
    await sandbox.control('PUT', '/chat', { online: false })
    const away = await finish(browser, { state, code })
    assert.deepEqual([away.status, away.key], [503, 'CHAT_UNAVAILABLE'])
    await sandbox.control('PUT', '/chat', { online: true })
    assert.equal((await browser.call('GET', 'chat')).data.account, null)
    // The state was spent; the code is exchanged by hand, without the verifier that only the service has.
    const url = new URL(await begin(browser))
    const fresh = await consent(url.href)
    const exchange = (verifier: string) =>
      fetch(`${sandbox.url}/chat/token`, {
        method: 'POST',
        body: new URLSearchParams({
          ...{ client_id: 'sandbox-chat', client_secret: 'sandbox-chat-secret' },
          ...{ grant_type: 'authorization_code', code: fresh.code ?? '', code_verifier: verifier },
          redirect_uri: `${origin()}/dashboard/chat`,
        }),
      })
    assert.deepEqual(await (await exchange('A'.repeat(43))).json(), { error: 'invalid_grant' })
    url.searchParams.set('redirect_uri', 'https://evil.example/dashboard/chat')
    const elsewhere = await fetch(url, { redirect: 'manual' })
    assert.deepEqual([elsewhere.status, elsewhere.headers.get('location')], [400, null])
  })
})

const withFactor = async (role?: MemberRole): Promise<LoggedInBrowser & { secret: string }> => {
  const browser = await loggedIn(role)
  const { secret } = (await browser.call('POST', 'two-factor/totp')).data
  await browser.call('POST', 'two-factor/totp/enable', { code: codeOf(secret) })
  return Object.assign(browser, { secret })
}
const codeOf = (secret: string): string =>
  new TOTP({ secret }).generate({ timestamp: server.clock.now().getTime() })

describe('a password', () => {
  it('is guessed slowly in a session, too', async () => {
    const browser = await loggedIn()
    const newPassword = 'a longer new phrase'
    const change = (currentPassword: string) =>
      browser.call('PUT', 'password', { currentPassword, newPassword })
    for (let i = 0; i < 5; i++) assert.equal((await change('wrong')).key, 'INVALID_CREDENTIALS')
    const refused = await change(PASSWORD)
    assert.deepEqual([refused.status, refused.meta?.policy], [429, 'login-failures'])
    server.clock.advance(6_000)
    assert.equal((await change(PASSWORD)).status, 200)
  })
})

describe('a mail that an attacker asks for', () => {
  it('is sent five times in a row to one address, and again an hour after the last', async () => {
    const { email } = await server.person()
    const anonymous = server.browser()
    const ask = async (times: number, path: string, body: object): Promise<void> => {
      nextMinute()
      for (let i = 0; i < times; i++) {
        assert.equal((await anonymous.call('POST', `auth/${path}`, body)).status, 200)
      }
    }
    const sent = async (subject: RegExp) =>
      (await server.mailTo(email)).filter((mail) => subject.test(mail.subject))
    const registration = { email, password: 'seven grey lanterns' }
    await ask(5, 'register', registration)
    await ask(1, 'register', registration)
    assert.equal((await sent(/already have/)).length, 5)
    // Those do not keep a reset from its owner.
    await ask(5, 'password/forgot', { email })
    await ask(1, 'password/forgot', { email })
    const links = await sent(/Choose a new/)
    assert.equal(links.length, 5)
    const newest = { token: tokenIn(links[0]?.text ?? ''), password: 'another good secret' }
    assert.equal((await anonymous.call('POST', 'auth/password/reset', newest)).status, 200)
    server.clock.advance(3_600_000)
    await ask(1, 'password/forgot', { email })
    assert.equal((await sent(/Choose a new/)).length, 6)
  })
})

describe('a second factor', () => {
  const SPEND_TRIES = sql(
    'test.spend_tries',
    `insert into people.challenge (id, person_id, methods, tries, created_at, expires_at)
     select gen_random_uuid(), id, '{totp}', 5, $2, $2 from people.person, generate_series(1, 10) where email = $1`,
  )
  it('takes fifty tries in a day, whatever the challenge; a new password begins anew', async () => {
    const browser = await withFactor()
    nextMinute()
    await database.db.query(SPEND_TRIES, [browser.email, server.clock.now()])
    const answer = async (password: string) => {
      nextMinute()
      const { meta } = await server.browser().logIn(browser.email, password)
      const body = { challengeId: meta.challengeId, method: 'totp', code: codeOf(browser.secret) }
      return server.browser().call('POST', 'auth/two-factor', body)
    }
    const refused = await answer(PASSWORD)
    assert.deepEqual([refused.status, refused.meta?.policy], [429, 'second-factor-tries'])
    const body = { currentPassword: PASSWORD, newPassword: 'a longer new phrase' }
    assert.equal((await browser.call('PUT', 'password', body)).status, 200)
    assert.equal((await answer(body.newPassword)).status, 200)
  })

  it('completes no log-in of before another password, address or factor', async () => {
    const next = 'a longer new phrase'
    const linked = async (email: string) => tokenIn((await server.mailTo(email))[0]?.text ?? '')
    const changes = {
      password: (browser: LoggedInBrowser) =>
        browser.call('PUT', 'password', { currentPassword: PASSWORD, newPassword: next }),
      reset: async ({ email }: LoggedInBrowser) => {
        await server.browser().call('POST', 'auth/password/forgot', { email })
        const body = { token: await linked(email), password: next }
        return server.browser().call('POST', 'auth/password/reset', body)
      },
      address: async (browser: LoggedInBrowser) => {
        const email = `n-${newId()}@example.com`
        await browser.call('POST', 'email', { email })
        return server.browser().call('POST', 'auth/email', { token: await linked(email) })
      },
      factor: (browser: LoggedInBrowser) => browser.call('DELETE', 'two-factor'),
    }
    const secrets = createSecretBox([Buffer.alloc(32, 7)])
    const { clock, url } = server
    const deps = {
      clock,
      secrets,
      passwords: createPasswords(),
      sendsMail: true,
      publicUrl: () => url,
    }
    const origin = { address: '203.0.113.7', userAgent: 'a test', requestId: newId() }
    for (const [what, change] of Object.entries(changes)) {
      const browser = await withFactor()
      nextMinute()
      const begun = async () => (await server.browser().logIn(browser.email)).meta.challengeId
      const [underWay, waiting] = [await begun(), await begun()]
      const answer = { method: 'totp', code: codeOf(browser.secret) } as const
      // The try is counted before the change, and judged after it.
      const transaction: typeof database.db.transaction = async (work) => {
        assert.equal((await change(browser)).status, 200, what)
        return database.db.transaction(work)
      }
      const slow = { ...deps, db: { ...database.db, transaction } }
      await assert.rejects(
        giveSecondFactor(slow, { ...answer, challengeId: underWay, sessionId: null, origin }),
        (error) => error instanceof Refusal && /^TWO_FACTOR_/.test(error.key),
        what,
      )
      const body = { ...answer, challengeId: waiting }
      const late = await server.browser().call('POST', 'auth/two-factor', body)
      assert.equal(late.key, 'TWO_FACTOR_EXPIRED', what)
    }
  })
})

describe('a second factor that is lost', () => {
  const HOUR_MS = 3_600_000
  const challengeOf = async (email: string): Promise<string> => {
    nextMinute()
    return (await server.browser().logIn(email)).meta.challengeId
  }
  const ask = (challengeId: string) =>
    server.browser().call('POST', 'auth/two-factor/removal', { challengeId })
  const subjects = async (email: string): Promise<string[]> =>
    (await server.mailTo(email)).map(({ subject }) => subject)
  const linkIn = async (email: string): Promise<string> =>
    tokenIn(
      (await server.mailTo(email)).find(({ subject }) => /will be removed/.test(subject))?.text ??
        '',
    )
  const work = async (): Promise<void> => {
    while (await server.removeFactors());
  }

  it('is removed 72 hours after its person asked, with two mails before and one after', async () => {
    const browser = await withFactor()
    const { email } = browser
    const asked = await ask(await challengeOf(email))
    const waits = new Date(asked.data.removesAt).getTime() - server.clock.now().getTime()
    assert.equal(waits, 72 * HOUR_MS)
    // Asked again it is answered again, and mails nothing.
    assert.deepEqual((await ask(await challengeOf(email))).data, asked.data)
    assert.equal(
      (await browser.call('GET', 'session')).data.user.factorRemovalAt,
      asked.data.removesAt,
    )
    await work()
    const announced = async () =>
      (await subjects(email)).filter((text) => /will be removed/.test(text))
    assert.equal((await announced()).length, 1)
    server.clock.advance(24 * HOUR_MS)
    await work()
    assert.equal((await announced()).length, 2)
    // Two days after the second mail, which a worker sends when it comes to it.
    const { factorRemovalAt } = (await browser.call('GET', 'session')).data.user
    const removesAt = new Date(factorRemovalAt).getTime()
    assert.equal(removesAt - server.clock.now().getTime(), 48 * HOUR_MS)
    server.clock.advance(48 * HOUR_MS - 1)
    await work()
    assert.equal((await server.browser().logIn(email)).key, 'TWO_FACTOR_REQUIRED')
    // A worker of every process at the same moment: one of them removes it.
    server.clock.advance(1)
    await server.removeFactors({ sendsMail: false })
    const held = await server.browser().logIn(email)
    assert.equal(held.key, 'TWO_FACTOR_REQUIRED', 'while mail is off it waits')
    await Promise.all([work(), work(), work()])
    assert.equal((await subjects(email)).filter((text) => /was removed/.test(text)).length, 1)
    assert.equal((await browser.call('GET', 'session')).key, 'SESSION_EXPIRED')
    nextMinute()
    const session = await server.browser().logIn(email)
    assert.deepEqual([session.status, session.data.user.factorRemovalAt], [200, null])
    const acts = await database.db.query<{ actor_id: string; facts: { askedAt: string } }>(
      sql(
        'test.removals',
        `select actor_id, facts from audit.entry where act = 'person.remove_factor' and subject_id = $1`,
      ),
      [session.data.user.id],
    )
    assert.deepEqual(
      acts.map(({ actor_id }) => actor_id),
      [session.data.user.id],
    )
  })

  it('stays when a mail’s link, a session or the factor itself stops it', async () => {
    const browser = await withFactor()
    const { email, secret } = browser
    await ask(await challengeOf(email))
    const token = await linkIn(email)
    const stop = () => server.browser().call('POST', 'auth/two-factor/removal/stop', { token })
    const answers = await Promise.all([stop(), stop(), stop()])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 422, 422])
    await ask(await challengeOf(email))
    assert.equal((await browser.call('DELETE', 'two-factor/removal')).status, 200)
    assert.equal((await browser.call('DELETE', 'two-factor/removal')).key, 'NOT_FOUND')
    // The link of one that was stopped stops no other.
    const old = await linkIn(email)
    const challengeId = await challengeOf(email)
    await ask(challengeId)
    const spent = { token: old }
    const refused = await server.browser().call('POST', 'auth/two-factor/removal/stop', spent)
    assert.equal(refused.key, 'TOKEN_INVALID')
    const code = { challengeId, method: 'totp', code: codeOf(secret) }
    assert.equal((await server.browser().call('POST', 'auth/two-factor', code)).status, 200)
    assert.equal((await subjects(email)).filter((text) => /stays/.test(text)).length, 3)
    const fourth = await ask(await challengeOf(email))
    assert.equal(fourth.meta.policy, 'factor-removals')
    server.clock.advance(80 * HOUR_MS)
    await work()
    assert.equal((await server.browser().logIn(email)).key, 'TWO_FACTOR_REQUIRED')
  })

  it('stays when a new password is set, in a session or by the link of a mail', async () => {
    const browser = await withFactor()
    const { email } = browser
    const waits = async () => (await browser.call('GET', 'session')).data.user.factorRemovalAt
    await ask(await challengeOf(email))
    const body = { currentPassword: PASSWORD, newPassword: 'a longer new phrase' }
    assert.equal((await browser.call('PUT', 'password', body)).status, 200)
    assert.equal(await waits(), null)
    const { meta } = await server.browser().logIn(email, body.newPassword)
    await ask(meta.challengeId)
    assert.notEqual(await waits(), null)
    await server.browser().call('POST', 'auth/password/forgot', { email })
    const reset = (await server.mailTo(email)).find(({ subject }) => /Choose a new/.test(subject))
    const next = { token: tokenIn(reset?.text ?? ''), password: 'another good secret' }
    assert.equal((await server.browser().call('POST', 'auth/password/reset', next)).status, 200)
    assert.equal((await subjects(email)).filter((text) => /stays/.test(text)).length, 2)
  })

  it('is removed two days after the second mail, however late a worker sends it', async () => {
    const { email } = await withFactor()
    await ask(await challengeOf(email))
    server.clock.advance(100 * HOUR_MS)
    await work()
    assert.equal((await server.browser().logIn(email)).key, 'TWO_FACTOR_REQUIRED')
    server.clock.advance(48 * HOUR_MS)
    await work()
    assert.equal((await server.browser().logIn(email)).status, 200)
  })

  it('begins with a right password only, and never for an administrator', async () => {
    const browser = await withFactor()
    assert.equal((await ask(newId())).key, 'TWO_FACTOR_EXPIRED')
    // The challenge of a session is none of a login.
    server.clock.advance(11 * 60_000)
    const { meta } = await browser.call('POST', 'keys', { name: 'k' })
    assert.equal((await ask(meta.challengeId)).key, 'TWO_FACTOR_EXPIRED')
    const challengeId = await challengeOf(browser.email)
    server.clock.advance(11 * 60_000)
    assert.equal((await ask(challengeId)).key, 'TWO_FACTOR_EXPIRED')
    const admin = await withFactor('administrator')
    assert.equal((await ask(await challengeOf(admin.email))).key, 'FORBIDDEN')
    const deps = { db: database.db, clock: server.clock }
    const actor = { kind: 'operator', id: 'test', request: {} } as const
    await removeSecondFactor(deps, actor, { email: admin.email, reason: 'seen in person' })
    nextMinute()
    assert.equal((await server.browser().logIn(admin.email)).status, 200)
  })
})

describe('the table of removals', () => {
  async function aPerson(): Promise<string> {
    const { email } = await server.person()
    const [person] = await database.db.query<{ id: string }>(
      sql('test.person', 'select id from people.person where email = $1'),
      [email],
    )
    return person?.id ?? ''
  }
  /** The statements are refused by this constraint. */
  const refused = (name: string, ...statements: readonly (readonly [string, ...unknown[]])[]) =>
    assert.rejects(
      database.db.transaction(async (tx) => {
        for (const [text, ...values] of statements) {
          await tx.query(sql(`test.${newId()}`, text), values)
        }
      }),
      (error) => violatedConstraint(error) === name,
    )

  /** Hours after it was asked for; null: not yet. */
  interface Times {
    readonly removes?: number
    readonly announced?: number | null
    readonly removed?: number | null
  }
  const removal = (
    person: string,
    { removes = 72, announced = null, removed = null }: Times = {},
  ): readonly [string, ...unknown[]] => [
    `insert into people.factor_removal (id, person_id, address, asked_at, removes_at, announced_at, next_at, outcome, ended_at)
     select $1::uuid, $2::uuid, '', asked, asked + make_interval(hours => $3), asked + make_interval(hours => $4),
       case when $5::int is null then asked + interval '1 day' end, case when $5::int is not null then 'removed' end,
       asked + make_interval(hours => $5)
     from (select now() asked) at`,
    ...[newId(), person, removes, announced, removed],
  ]

  it('waits once for each person', async () => {
    const person = await aPerson()
    const done = removal(person, { announced: 24, removed: 72 })
    await refused('factor_removal_open_once', removal(person), done, removal(person))
  })

  it('waits 72 hours', async () => {
    await refused('factor_removal_waits_72_hours', removal(await aPerson(), { removes: 71 }))
  })

  it('comes after its time, and two days after its second announcement', async () => {
    const person = await aPerson()
    const early = { announced: 24, removed: 71 }
    await refused('factor_removal_is_announced', removal(person, early))
    await refused('factor_removal_is_announced', removal(person, { removed: 72 }))
    await refused('factor_removal_is_announced', removal(person, { announced: 25, removed: 72 }))
  })
})
