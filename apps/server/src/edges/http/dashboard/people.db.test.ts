// What people do with their login, over the dashboard's interface.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { TOTP } from 'otpauth'
import { sql } from '#infra/database/db'
import { newId } from '#kernel/id'
import { changeDestinations, changeStatus } from '#operations'
import { type MemberRole, recallSession, switchAccount } from '#people'
import { WAITING } from '../../../infra/testing/waiting.ts'
import { createAuthenticator } from '../testing/authenticator.ts'
import {
  type Browser,
  type LoggedInBrowser,
  PASSWORD,
  tokenIn,
} from '../testing/dashboard-server.ts'
import { givenDashboardServer } from '../testing/given-dashboard-server.ts'

// Five calls of one account wait at once, for which a quarter of the connections must do.
const { database, server } = await givenDashboardServer({ poolSize: 20 })

const nextMinute = (): void => server.nextMinute()
const loggedIn = (role?: MemberRole): Promise<LoggedInBrowser> => server.loggedIn(role)

// References to the person are still written.
const HOLD = sql('test.hold_person', 'select from people.person where email = $1 for no key update')
/** Locks the person until what it returns is called. */
async function hold({ email }: LoggedInBrowser): Promise<() => Promise<void>> {
  const holds = Promise.withResolvers<void>()
  const free = Promise.withResolvers<void>()
  const held = database.db.transaction(async (tx) => {
    await tx.query(HOLD, [email])
    holds.resolve()
    await free.promise
  })
  await holds.promise
  return () => {
    free.resolve()
    return held
  }
}

describe('a passkey', () => {
  const origin = (): string => server.url.replace('127.0.0.1', 'localhost')
  const madeFor = async (browser: Browser, name = 'laptop') => {
    const authenticator = createAuthenticator()
    const { ceremonyId, options } = (await browser.call('POST', 'passkeys/options')).data
    const credential = authenticator.create(options, { origin: origin() })
    return { authenticator, body: { ceremonyId, name, credential } }
  }
  const addTo = async (browser: Browser, name?: string) => {
    const made = await madeFor(browser, name)
    return { ...made, added: await browser.call('POST', 'passkeys', made.body) }
  }
  type Made = ReturnType<typeof createAuthenticator>
  type UseChoices = Partial<Parameters<Made['use']>[1]> & { readonly challengeId?: string }
  const answerWith = async (authenticator: Made, { challengeId, ...choices }: UseChoices = {}) => {
    const asked = await server
      .browser()
      .call('POST', 'auth/passkey/options', { ...(challengeId && { challengeId }) })
    const { ceremonyId, options } = asked.data
    return {
      ceremonyId,
      credential: authenticator.use(options, { origin: origin(), ...choices }),
    }
  }

  it('is made once for each question, logs in alone, and is a second factor beside the password', async () => {
    const browser = await loggedIn()
    const { authenticator, body, added } = await addTo(browser)
    assert.equal(added.status, 201)
    assert.equal(added.data.recoveryCodes.length, 10)
    assert.equal((await browser.call('POST', 'passkeys', body)).key, 'TWO_FACTOR_EXPIRED')
    assert.equal((await addTo(browser, 'phone')).added.data.recoveryCodes, null)
    assert.match((await server.mailTo(browser.email))[0]?.subject ?? '', /passkey was added/)
    nextMinute()
    const alone = server.browser()
    const answer = await answerWith(authenticator)
    const session = await alone.call('POST', 'auth/passkey', answer)
    assert.deepEqual([session.status, session.data.user.passkeys], [200, 2])
    const again = await server.browser().call('POST', 'auth/passkey', answer)
    assert.equal(again.key, 'TWO_FACTOR_EXPIRED')
    const anonymous = server.browser()
    const refused = await anonymous.logIn(browser.email)
    assert.deepEqual(
      [refused.key, refused.meta.methods],
      ['TWO_FACTOR_REQUIRED', ['passkey', 'recovery']],
    )
    const { challengeId } = refused.meta
    const factor = await answerWith(authenticator, { challengeId })
    assert.equal((await anonymous.call('POST', 'auth/passkey', factor)).status, 200)
    assert.equal((await anonymous.call('GET', 'session')).data.user.email, browser.email)
  })

  it('answers a step-up of its own session', async () => {
    const browser = await loggedIn()
    const { authenticator } = await addTo(browser)
    server.clock.advance(11 * 60_000)
    const { meta } = await browser.call('POST', 'keys', { name: 'k' })
    const factor = await answerWith(authenticator, { challengeId: meta.challengeId })
    const otherPerson = await loggedIn()
    assert.equal((await otherPerson.call('POST', 'auth/passkey', factor)).key, 'TWO_FACTOR_EXPIRED')
    const again = await answerWith(authenticator, { challengeId: meta.challengeId })
    assert.equal((await browser.call('POST', 'auth/passkey', again)).status, 200)
    assert.equal((await browser.call('POST', 'keys', { name: 'k' })).status, 201)
  })

  it('proves nothing from another site, unverified, late, or of another person', async () => {
    const browser = await loggedIn()
    const { authenticator } = await addTo(browser)
    nextMinute()
    for (const choices of [{ origin: 'https://evil.example' }, { isVerified: false }]) {
      const answer = await answerWith(authenticator, choices)
      const refused = await server.browser().call('POST', 'auth/passkey', answer)
      assert.deepEqual([refused.status, refused.key], [401, 'INVALID_CREDENTIALS'])
    }
    const otherPerson = await answerWith(createAuthenticator())
    const unknown = await server.browser().call('POST', 'auth/passkey', otherPerson)
    assert.equal(unknown.key, 'INVALID_CREDENTIALS')
    const late = await answerWith(authenticator)
    server.clock.advance(5 * 60_000)
    const expired = await server.browser().call('POST', 'auth/passkey', late)
    assert.equal(expired.key, 'TWO_FACTOR_EXPIRED')
    const other = await loggedIn()
    await addTo(other)
    nextMinute()
    const { meta } = await server.browser().logIn(other.email)
    const wrong = await answerWith(authenticator, { challengeId: meta.challengeId })
    const refused = await server.browser().call('POST', 'auth/passkey', wrong)
    assert.equal(refused.key, 'TWO_FACTOR_INVALID')
  })

  it('whose counter stands still is refused: it is a copy', async () => {
    const browser = await loggedIn()
    const { authenticator } = await addTo(browser)
    nextMinute()
    const use = async (counter: number) =>
      server.browser().call('POST', 'auth/passkey', await answerWith(authenticator, { counter }))
    assert.equal((await use(7)).status, 200)
    assert.equal((await use(7)).key, 'INVALID_CREDENTIALS')
    assert.equal((await use(8)).status, 200)
  })

  it('that is added while a log-in waits for the person is seen by it', async () => {
    const browser = await loggedIn()
    const free = await hold(browser)
    const adding = addTo(browser)
    while ((await database.db.query(WAITING)).length < 1);
    const refused = server.browser().logIn(browser.email)
    while ((await database.db.query(WAITING)).length < 2);
    await free()
    assert.equal((await adding).added.status, 201)
    const { key, meta } = await refused
    assert.deepEqual([key, meta.methods], ['TWO_FACTOR_REQUIRED', ['passkey', 'recovery']])
  })

  it('ends other sessions, also for their calls that wait for the person', async () => {
    const browser = await loggedIn()
    const other = server.browser()
    assert.equal((await other.logIn(browser.email)).status, 200)
    const ofOther = await madeFor(other)
    const free = await hold(browser)
    const adding = addTo(browser)
    while ((await database.db.query(WAITING)).length < 1);
    const late = [
      other.call('POST', 'passkeys', ofOther.body),
      other.call('POST', 'email', { email: 'another@mailbox.example' }),
      other.call('POST', 'two-factor/totp'),
      other.call('POST', 'two-factor/email'),
    ]
    while ((await database.db.query(WAITING)).length < 1 + late.length);
    await free()
    assert.equal((await adding).added.status, 201)
    for (const { key } of await Promise.all(late)) assert.equal(key, 'SESSION_EXPIRED')
    assert.equal((await browser.call('GET', 'passkeys')).data.length, 1)
    assert.deepEqual(await server.mailTo('another@mailbox.example'), [])
  })

  it('is renamed and removed by its own person; with the last factor its recovery codes go', async () => {
    const browser = await loggedIn()
    const { id } = (await addTo(browser)).added.data.passkey
    const otherPerson = await loggedIn()
    assert.equal(
      (await otherPerson.call('PATCH', `passkeys/${id}`, { name: 'x' })).key,
      'NOT_FOUND',
    )
    assert.equal((await otherPerson.call('DELETE', `passkeys/${id}`)).key, 'NOT_FOUND')
    assert.equal((await browser.call('PATCH', `passkeys/${id}`, { name: 'desk' })).status, 200)
    const [listed] = (await browser.call('GET', 'passkeys')).data
    assert.deepEqual([listed.id, listed.name], [id, 'desk'])
    assert.equal((await browser.call('DELETE', `passkeys/${id}`)).status, 200)
    assert.match((await server.mailTo(browser.email))[0]?.subject ?? '', /passkey was removed/)
    nextMinute()
    assert.equal((await server.browser().logIn(browser.email)).status, 200)
  })
})

describe('a session', () => {
  it('that moves to another account while the others are ended is ended, too', async () => {
    const browser = await loggedIn()
    const other = server.browser()
    assert.equal((await other.logIn(browser.email)).status, 200)
    const { db } = database
    const [name, token] = (other.cookie ?? '').split('=')
    assert.ok(name && token)
    const now = server.clock.now()
    const session = await recallSession(db, token, { now, isUse: false })
    assert.ok(session !== null && session !== 'expired')
    const moved = Promise.withResolvers<void>()
    const free = Promise.withResolvers<void>()
    // Everything is done, and not yet committed.
    const slowDb: typeof db = {
      ...db,
      transaction: (work) =>
        db.transaction(async (tx) => {
          const result = await work(tx)
          moved.resolve()
          await free.promise
          return result
        }),
    }
    const origin = { address: '203.0.113.7', userAgent: 'a test', requestId: newId() }
    const { accountId } = session.membership
    const moving = switchAccount(
      { db: slowDb, clock: server.clock },
      { session, accountId, origin },
    )
    await moved.promise
    const ending = browser.call('DELETE', 'sessions')
    while ((await db.query(WAITING)).length < 1);
    free.resolve()
    assert.equal((await ending).status, 200)
    const later = { now: server.clock.now(), isUse: false }
    assert.equal(await recallSession(db, (await moving).token, later), 'expired')
  })

  it('that an anonymous caller brings is not the one of the login: a planted cookie stays worthless', async () => {
    nextMinute()
    const { email } = await server.person()
    const victim = server.browser()
    const planted = `tp_session=${'A'.repeat(43)}`
    victim.cookie = planted
    assert.equal((await victim.logIn(email)).status, 200)
    assert.notEqual(victim.cookie, planted)
    const thief = Object.assign(server.browser(), { cookie: planted })
    assert.equal((await thief.call('GET', 'session')).key, 'UNAUTHENTICATED')
    // Nor does the cookie of before a second login live on in the new session.
    const first = victim.cookie
    await victim.logIn(email)
    assert.notEqual(victim.cookie, first)
  })

  it('that two tabs refresh at once stays good in both, with one new token', async () => {
    const browser = await loggedIn()
    const tabs = [0, 1].map(() =>
      Object.assign(server.browser(), { cookie: browser.cookie, csrfToken: browser.csrfToken }),
    )
    const answers = await Promise.all(tabs.map((tab) => tab.call('POST', 'auth/refresh')))
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    )
    assert.equal(new Set(tabs.map(({ cookie }) => cookie)).size, 2)
    for (const tab of tabs) assert.equal((await tab.call('GET', 'session')).status, 200)
  })
})

describe('an e-mail address', () => {
  const link = async (email: string): Promise<string> =>
    tokenIn((await server.mailTo(email))[0]?.text ?? '')
  const confirm = (token: string) => server.browser().call('POST', 'auth/email', { token })

  it('is changed by the link of a mail to the new one, once; the old one is notified', async () => {
    const browser = await loggedIn()
    await server.browser().call('POST', 'auth/password/forgot', { email: browser.email })
    const reset = await link(browser.email)
    const email = `n-${newId()}@example.com`
    assert.equal((await browser.call('POST', 'email', { email })).status, 200)
    assert.match(
      (await server.mailTo(browser.email))[0]?.subject ?? '',
      /change of your email was requested/,
    )
    const token = await link(email)
    assert.deepEqual((await confirm(token)).data, { email })
    assert.equal((await confirm(token)).key, 'TOKEN_INVALID')
    assert.match((await server.mailTo(browser.email))[0]?.subject ?? '', /Your email was changed/)
    assert.equal((await browser.call('GET', 'session')).data.user.email, email)
    assert.equal((await server.browser().logIn(browser.email)).key, 'INVALID_CREDENTIALS')
    assert.equal((await server.browser().logIn(email)).status, 200)
    // A link in the old mailbox opens nothing any more.
    const body = { token: reset, password: 'another good secret' }
    const refused = await server.browser().call('POST', 'auth/password/reset', body)
    assert.equal(refused.key, 'TOKEN_INVALID')
  })

  it('is not changed by a link that was asked for before the password was changed or reset', async () => {
    const next = 'another good secret'
    for (const change of ['password', 'reset'] as const) {
      const thief = await loggedIn()
      const email = `thief-${newId()}@example.com`
      assert.equal((await thief.call('POST', 'email', { email })).status, 200)
      const token = await link(email)
      if (change === 'password') {
        const body = { currentPassword: PASSWORD, newPassword: next }
        assert.equal((await thief.call('PUT', 'password', body)).status, 200)
      } else {
        await server.browser().call('POST', 'auth/password/forgot', { email: thief.email })
        const body = { token: await link(thief.email), password: next }
        const reset = await server.browser().call('POST', 'auth/password/reset', body)
        assert.equal(reset.status, 200)
      }
      assert.equal((await confirm(token)).key, 'TOKEN_INVALID')
      nextMinute()
      assert.equal((await server.browser().logIn(thief.email, next)).status, 200)
    }
  })

  it('of another person is answered alike and changes nothing; five an hour are mailed', async () => {
    const browser = await loggedIn()
    const other = await server.person()
    const answer = await browser.call('POST', 'email', { email: other.email })
    assert.deepEqual([answer.status, answer.data], [200, { mailSent: true }])
    assert.match((await server.mailTo(other.email))[0]?.subject ?? '', /already have/)
    for (let i = 0; i < 4; i++) await browser.call('POST', 'email', { email: `${i}@example.com` })
    const sixth = await browser.call('POST', 'email', { email: 'six@example.com' })
    assert.equal(sixth.key, 'RATE_LIMITED')
    server.clock.advance(3_600_000)
    await browser.call('POST', 'auth/refresh')
  })
})

describe('a login', () => {
  it('is deleted with its password; the last owner of an account cannot', async () => {
    const owner = await loggedIn()
    const remove = (browser: Browser, password = PASSWORD) =>
      browser.call('DELETE', 'login', { password })
    const last = await remove(owner)
    assert.deepEqual([last.key, last.meta.errors[0].rule], ['VALIDATION_FAILED', 'lastOwner'])
    const second = await loggedIn()
    await owner.call('POST', 'members/invitations', { email: second.email, role: 'owner' })
    const token = tokenIn((await server.mailTo(second.email))[0]?.text ?? '')
    await server.browser().call('POST', 'auth/invitation/accept', { token })
    assert.equal((await remove(owner, 'wrong')).key, 'INVALID_CREDENTIALS')
    const { cookie } = owner
    assert.equal((await remove(owner)).status, 200)
    const old = Object.assign(server.browser(), { cookie })
    assert.equal((await old.call('GET', 'session')).status, 401)
    assert.equal((await server.browser().logIn(owner.email)).key, 'INVALID_CREDENTIALS')
    assert.match((await server.mailTo(owner.email))[0]?.subject ?? '', /login is deleted/)
    const left = await database.db.query<{ n: number }>(
      sql('test.left', 'select count(*)::int n from people.person where lower(email) = $1'),
      [owner.email],
    )
    assert.equal(left[0]?.n, 0)
  })
})

describe('a mail', () => {
  const subjects = async (email: string): Promise<string[]> =>
    (await server.mailTo(email)).map(({ subject }) => subject)
  const join = async (owner: Browser, role: string): Promise<string> => {
    const email = `i-${newId()}@example.com`
    await owner.call('POST', 'members/invitations', { email, role })
    const token = tokenIn((await server.mailTo(email))[0]?.text ?? '')
    const body = { token, password: 'plenty of quiet rivers' }
    await server.browser().call('POST', 'auth/invitation/accept', body)
    return email
  }

  it('reports a key to owners and developers, a suspension to owners, a destination to finance', async () => {
    const owner = await loggedIn()
    const developer = await join(owner, 'developer')
    const finance = await join(owner, 'finance')
    // Mails that are due at once are sent in any order.
    const areSent = () => server.mailTo(owner.email)
    const { data: key } = await owner.call('POST', 'keys', { name: '<b>shop</b>' })
    await areSent()
    await owner.call('POST', `keys/${key.id}/rotate`, { overlapHours: 1 })
    for (const email of [owner.email, developer]) {
      const mails = await server.mailTo(email)
      assert.deepEqual(
        mails.slice(0, 2).map(({ subject }) => subject),
        ['An API key was rotated', 'An API key was created'],
      )
      assert.ok(mails[0]?.html.includes('&lt;b&gt;shop&lt;/b&gt;'))
      assert.ok(
        mails[1]?.text.includes(key.apiKey.slice(-4)) && !mails[1].text.includes(key.apiKey),
      )
    }
    const deps = { db: database.db, clock: server.clock }
    const actor = { kind: 'operator', id: 'test', request: {} } as const
    const { accountId } = owner
    const change = { kind: 'add', address: `0x${'1a'.repeat(20)}` } as const
    await changeDestinations(deps, actor, accountId, change)
    await areSent()
    await changeStatus(deps, actor, { accountId, status: 'suspended', reason: 'a drill' })
    await areSent()
    await changeStatus(deps, actor, { accountId, status: 'active', reason: 'over' })
    assert.deepEqual((await subjects(owner.email)).slice(0, 3), [
      'Your Tradepost account works again',
      'Your Tradepost account is suspended',
      'A payout destination was added',
    ])
    assert.deepEqual(await subjects(finance), [
      'A payout destination was added',
      'You are invited to a Tradepost account',
    ])
    assert.equal((await subjects(developer)).includes('A payout destination was added'), false)
  })

  it('of an act that is refused is not sent', async () => {
    const owner = await loggedIn()
    await owner.call('POST', `keys/${newId()}/rotate`, { overlapHours: 1 })
    assert.deepEqual(await subjects(owner.email), ['New login to your Tradepost account'])
  })
})

describe('recovery codes', () => {
  it('are counted, and renewed without touching the factor; those before work no more', async () => {
    const browser = await loggedIn()
    const none = await browser.call('POST', 'two-factor/recovery-codes')
    assert.equal(none.key, 'TWO_FACTOR_NOT_ENABLED')
    const { secret } = (await browser.call('POST', 'two-factor/totp')).data
    const code = new TOTP({ secret }).generate({ timestamp: server.clock.now().getTime() })
    const [old] = (await browser.call('POST', 'two-factor/totp/enable', { code })).data
      .recoveryCodes
    const left = async () => (await browser.call('GET', 'two-factor/recovery-codes')).data.left
    assert.equal(await left(), 10)
    nextMinute()
    const use = async (recovery: string) => {
      const { challengeId } = (await server.browser().logIn(browser.email)).meta
      const body = { challengeId, method: 'recovery', code: recovery }
      return server.browser().call('POST', 'auth/two-factor', body)
    }
    assert.equal((await use(old)).status, 200)
    assert.equal(await left(), 9)
    const renewed = await browser.call('POST', 'two-factor/recovery-codes')
    const codes: string[] = renewed.data.recoveryCodes
    assert.deepEqual([codes.length, codes.includes(old), await left()], [10, false, 10])
    assert.match((await server.mailTo(browser.email))[0]?.subject ?? '', /new recovery codes/)
    assert.equal((await use(old)).key, 'TWO_FACTOR_INVALID')
    assert.equal((await use(codes[3] ?? '')).status, 200)
    assert.equal(await left(), 9)
    server.clock.advance(11 * 60_000)
    const late = await browser.call('POST', 'two-factor/recovery-codes')
    assert.equal(late.key, 'TWO_FACTOR_FRESH_REQUIRED')
  })
})

describe('a mail that confirms an address', () => {
  const resend = (email: string) =>
    server.browser().call('POST', 'auth/verify-email/resend', { email })
  const verify = (token: string) => server.browser().call('POST', 'auth/verify-email', { token })
  const newest = async (email: string) => (await server.mailTo(email))[0]

  it('is sent again with another link; every address is answered alike, and mailed', async () => {
    nextMinute()
    const email = `again-${newId()}@example.com`
    const password = 'plenty of quiet rivers'
    await server.browser().call('POST', 'auth/register', { email, password })
    const first = tokenIn((await newest(email))?.text ?? '')
    const answer = await resend(email)
    assert.deepEqual([answer.status, answer.data], [200, { mailSent: true }])
    const second = tokenIn((await newest(email))?.text ?? '')
    assert.equal((await verify(first)).key, 'TOKEN_INVALID')
    assert.equal((await verify(second)).status, 200)
    assert.deepEqual((await resend(email)).data, answer.data)
    assert.match((await newest(email))?.subject ?? '', /already have/)
    const unknown = `unknown-${newId()}@example.com`
    assert.deepEqual((await resend(unknown)).data, answer.data)
    assert.match((await newest(unknown))?.subject ?? '', /No Tradepost account/)
  })

  it('is sent five times in a row, those of registrations included', async () => {
    nextMinute()
    const email = `often-${newId()}@example.com`
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => resend(email)))
    nextMinute()
    answers.push(await resend(email))
    assert.ok(answers.every(({ status }) => status === 200))
    assert.equal((await server.mailTo(email)).length, 5)
  })
})
