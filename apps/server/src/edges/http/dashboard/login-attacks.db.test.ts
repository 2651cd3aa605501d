// What an attacker, a thief of a session and a reader of a mailbox try against a login, at once and in turn.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { TOTP } from 'otpauth'
import { type Db, sql, type Tx } from '#infra/database/db'
import { createSecretBox } from '#infra/process/secrets'
import { newId } from '#kernel/id'
import { Refusal } from '#kernel/refusal'
import { deleteLogin, leaveAccount } from '#operations'
import * as people from '#people'
import { until } from '../../../infra/testing/until.ts'
import { WAITING } from '../../../infra/testing/waiting.ts'
import { type LoggedInBrowser, PASSWORD, tokenIn } from '../testing/dashboard-server.ts'
import { givenDashboardServer } from '../testing/given-dashboard-server.ts'

const { database, server } = await givenDashboardServer({ poolSize: 20 })
const { db } = database

/** As the server has them. */
const secrets = createSecretBox([Buffer.alloc(32, 7)])
const passwords = people.createPasswords()
const deps: people.PeopleDeps = {
  ...{ db, clock: server.clock, secrets, passwords, sendsMail: true },
  publicUrl: () => server.url,
}
const origin = { address: '203.0.113.7', userAgent: 'a test', requestId: newId() }
const loggedIn = () => server.loggedIn()
const visit = (path: string, body: object) => server.browser().call('POST', `auth/${path}`, body)
const linkTo = async (email: string): Promise<string> =>
  tokenIn((await server.mailTo(email))[0]?.text ?? '')

/** The key of the refusal, or `ok`. */
const keyOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'ok',
    (error: unknown) => {
      if (error instanceof Refusal) return error.key
      throw error
    },
  )

/** Before it begins a transaction, `first` happens as a whole. */
const beforeTransactions = (first: () => Promise<void>): Db => ({
  ...db,
  transaction: async (work) => {
    await first()
    return db.transaction(work)
  },
})

describe('a session that moves to another account', () => {
  const MINUTE_MS = 60_000
  const DAY_MS = 24 * 60 * MINUTE_MS
  const MAKE_ADMINISTRATOR = sql(
    'test.make_administrator',
    `insert into people.membership (person_id, account_id, account_kind, role, created_at)
     select id, $2, 'admin', 'administrator', $3 from people.person where email = $1`,
  )
  const moveTo = (browser: LoggedInBrowser, accountId: string) =>
    browser.call('PUT', 'session/account', { accountId })

  it('ends when it would have ended: a stolen one cannot renew itself', async () => {
    const thief = await loggedIn()
    for (let day = 0; day < 29; day++) {
      server.clock.advance(DAY_MS)
      assert.equal((await moveTo(thief, thief.accountId)).status, 200)
    }
    server.clock.advance(2 * DAY_MS)
    assert.equal((await thief.call('GET', 'session')).key, 'SESSION_EXPIRED')
  })

  it('becomes that of an administrator with a fresh factor only', async () => {
    const browser = await loggedIn()
    const { accountId } = await server.person('administrator')
    await db.query(MAKE_ADMINISTRATOR, [browser.email, accountId, server.clock.now()])
    assert.equal((await moveTo(browser, accountId)).status, 200)
    assert.equal((await moveTo(browser, browser.accountId)).status, 200)
    server.clock.advance(11 * MINUTE_MS)
    assert.equal((await moveTo(browser, accountId)).key, 'TWO_FACTOR_FRESH_REQUIRED')
  })
})

describe('an address that was registered again before it was confirmed', () => {
  const OF_ATTACKER = 'plenty of quiet rivers'
  const OF_OWNER = 'another quiet meadow'

  it('is confirmed by its reader with a password of their own, and by no link of before', async () => {
    const email = `twice-${newId()}@example.com`
    await visit('register', { email, password: OF_ATTACKER })
    const ofAttacker = await linkTo(email)
    await visit('register', { email, password: OF_OWNER })
    assert.equal((await visit('verify-email', { token: ofAttacker })).key, 'TOKEN_INVALID')
    assert.match((await server.mailTo(email))[0]?.subject ?? '', /Choose your password/)
    server.nextMinute()
    assert.equal((await server.browser().logIn(email, OF_OWNER)).key, 'EMAIL_NOT_VERIFIED')
    await visit('verify-email/resend', { email })
    const token = await linkTo(email)
    const mine = 'a longer new phrase'
    assert.equal((await visit('verify-email', { token })).key, 'TOKEN_INVALID')
    assert.equal((await visit('password/reset', { token, password: mine })).status, 200)
    server.nextMinute()
    assert.equal((await server.browser().logIn(email, OF_ATTACKER)).key, 'INVALID_CREDENTIALS')
    assert.equal((await server.browser().logIn(email, mine)).status, 200)
  })
})

describe('guesses', () => {
  const WRONG = 'a wrong password'
  const logIn = (email: string, network: string, choices: Partial<people.LoginOrder> = {}) =>
    people.logIn(deps, { email, password: WRONG, origin, network, device: null, ...choices })

  it('that come at once when a wait is over are one guess', async () => {
    const { email } = await server.person()
    for (let i = 0; i < 21; i++) {
      assert.equal(await keyOf(logIn(email, `slow ${i}`)), 'INVALID_CREDENTIALS')
    }
    server.clock.advance(60 * 60_000)
    const keys = await Promise.all(
      Array.from({ length: 20 }, (_, i) => keyOf(logIn(email, `fast ${i % 10}`))),
    )
    assert.equal(keys.filter((key) => key === 'INVALID_CREDENTIALS').length, 1)
    assert.equal(keys.filter((key) => key === 'RATE_LIMITED').length, 19)
  })

  it('that were not compared, because too many waited, do not count', async () => {
    const { email } = await server.person()
    const matches = async () => {
      throw new Refusal('RATE_LIMITED')
    }
    const busy = { ...deps, passwords: { ...passwords, matches } }
    for (let i = 0; i < 10; i++) {
      const order = { email, password: WRONG, origin, network: 'one', device: null }
      assert.equal(await keyOf(people.logIn(busy, order)), 'RATE_LIMITED')
    }
    assert.equal(await keyOf(logIn(email, 'one', { password: PASSWORD })), 'ok')
  })

  it('with the password of a registration bring no new tries for that of the login', async () => {
    const { email } = await server.person()
    await visit('register', { email, password: 'plenty of quiet rivers' })
    for (let i = 0; i < 4; i++) {
      assert.equal(await keyOf(logIn(email, 'one')), 'INVALID_CREDENTIALS')
      const registered = logIn(email, 'one', { password: 'plenty of quiet rivers' })
      assert.equal(await keyOf(registered), 'EMAIL_NOT_VERIFIED')
    }
    assert.equal(await keyOf(logIn(email, 'one')), 'INVALID_CREDENTIALS')
    assert.equal(await keyOf(logIn(email, 'one')), 'RATE_LIMITED')
  })

  it('from many browsers of one person wait in one queue, and another person logs in beside them', async () => {
    const ID = sql('test.person_id', 'select id from people.person where email = $1')
    const deviceOf = async (email: string): Promise<string> => {
      const [row] = await db.query<{ id: string }>(ID, [email])
      return people.newDevice(deps, row?.id ?? '')
    }
    const [many, other] = [await server.person(), await server.person()]
    const devices = await Promise.all(Array.from({ length: 12 }, () => deviceOf(many.email)))
    const theirs = await deviceOf(other.email)
    const right = { password: PASSWORD }
    const flood = devices.map((device) => keyOf(logIn(many.email, 'n', { ...right, device })))
    const beside = keyOf(logIn(other.email, 'n', { ...right, device: theirs }))
    assert.ok((await Promise.all(flood)).includes('RATE_LIMITED'))
    assert.equal(await beside, 'ok')
  })

  it('at a second factor are 150 in a day, however often the mailbox sets another password', async () => {
    const TRIED = sql(
      'test.tried',
      `with reset as (update people.person set password_changed_at = $2 where email = $1 returning id)
       insert into people.challenge (id, person_id, methods, tries, created_at, expires_at)
       select gen_random_uuid(), id, '{totp}', 5, $2::timestamptz - interval '1 hour', $2 from reset, generate_series(1, $3)`,
    )
    const browser = await loggedIn()
    const { secret } = (await browser.call('POST', 'two-factor/totp')).data
    const timestamp = server.clock.now().getTime()
    const code = new TOTP({ secret }).generate({ timestamp })
    assert.equal((await browser.call('POST', 'two-factor/totp/enable', { code })).status, 200)
    const guess = async () => {
      server.nextMinute()
      const { challengeId } = (await server.browser().logIn(browser.email)).meta
      const answer = { challengeId, method: 'totp', code: '000000' }
      return (await visit('two-factor', answer)).key
    }
    await db.query(TRIED, [browser.email, server.clock.now(), 29])
    assert.equal(await guess(), 'TWO_FACTOR_INVALID')
    await db.query(TRIED, [browser.email, server.clock.now(), 1])
    assert.equal(await guess(), 'RATE_LIMITED')
  })
})

describe('invitations to one address', () => {
  it('are five in a row from an account, then none until an hour later', async () => {
    const owner = await loggedIn()
    const email = `flooded-${newId()}@example.com`
    const invite = () => owner.call('POST', 'members/invitations', { email, role: 'read_only' })
    for (let i = 0; i < 5; i++) assert.equal((await invite()).status, 201)
    assert.equal((await invite()).key, 'RATE_LIMITED')
    assert.equal((await server.mailTo(email)).length, 5)
    const other = await loggedIn()
    const beside = { email, role: 'read_only' }
    assert.equal((await other.call('POST', 'members/invitations', beside)).status, 201)
  })
})

describe('what was asked for before a login changed', () => {
  const newPassword = 'a longer new phrase'
  const changePassword = async (browser: LoggedInBrowser): Promise<void> => {
    const body = { currentPassword: PASSWORD, newPassword }
    assert.equal((await browser.call('PUT', 'password', body)).status, 200)
  }

  it('a link that resets the password dies with a change of the password', async () => {
    const browser = await loggedIn()
    await visit('password/forgot', { email: browser.email })
    const token = await linkTo(browser.email)
    await changePassword(browser)
    const refused = await visit('password/reset', { token, password: 'of a thief, for long' })
    assert.equal(refused.key, 'TOKEN_INVALID')
  })

  it('no such link goes to an address that is given up at the same moment', async () => {
    const browser = await loggedIn()
    const email = `n-${newId()}@example.com`
    await browser.call('POST', 'email', { email })
    const token = await linkTo(email)
    await visit('password/forgot', { email: browser.email })
    const done = Promise.withResolvers<void>()
    const free = Promise.withResolvers<void>()
    const slow: Db = {
      ...db,
      transaction: (work) =>
        db.transaction(async (tx: Tx) => {
          const result = await work(tx)
          done.resolve()
          await free.promise
          return result
        }),
    }
    const changing = people.confirmEmailChange({ ...deps, db: slow }, { token, origin })
    await done.promise
    const answering = server.answerAnonymousRequests()
    await until('the answer waits', async () => (await db.query(WAITING)).length > 0)
    free.resolve()
    await Promise.all([changing, answering])
    const mails = await server.mailTo(browser.email)
    assert.ok(mails.length > 0 && mails.every(({ text }) => !text.includes('reset-password#')))
  })

  it('the removal of a factor with the password of before is not begun', async () => {
    const browser = await loggedIn()
    const { secret } = (await browser.call('POST', 'two-factor/totp')).data
    const code = new TOTP({ secret }).generate({ timestamp: server.clock.now().getTime() })
    await browser.call('POST', 'two-factor/totp/enable', { code })
    server.nextMinute()
    const { challengeId } = (await server.browser().logIn(browser.email)).meta
    const late = { ...deps, db: beforeTransactions(() => changePassword(browser)) }
    const asked = people.askForFactorRemoval(late, { challengeId, origin })
    assert.equal(await keyOf(asked), 'TWO_FACTOR_EXPIRED')
  })

  it('a session that has ended deletes no login, and leaves no account', async () => {
    const thief = await loggedIn()
    const [, token = ''] = (thief.cookie ?? '').split('=')
    const session = await people.recallSession(db, token, { now: server.clock.now(), isUse: false })
    assert.ok(session !== null && session !== 'expired')
    const owner = server.browser()
    server.nextMinute()
    await owner.logIn(thief.email)
    assert.equal((await owner.call('DELETE', 'sessions')).status, 200)
    const holder = { personId: session.person.id, sessionId: session.id }
    const actor = { kind: 'member', id: holder.personId, request: {} } as const
    assert.equal(await keyOf(deleteLogin(deps, actor, holder)), 'SESSION_EXPIRED')
    const { email, accountId } = thief
    const leaving = leaveAccount(deps, actor, { ...holder, accountId, email })
    assert.equal(await keyOf(leaving), 'SESSION_EXPIRED')
  })

  it('an invitation that is accepted while its reader deletes the login makes no member', async () => {
    const [owner, reader, second] = [await loggedIn(), await loggedIn(), await loggedIn()]
    const invite = async (from: LoggedInBrowser, email: string): Promise<string> => {
      await from.call('POST', 'members/invitations', { email, role: 'owner' })
      return linkTo(email)
    }
    await visit('invitation/accept', { token: await invite(reader, second.email) })
    const token = await invite(owner, reader.email)
    const remove = async (): Promise<void> => {
      const { status } = await reader.call('DELETE', 'login', { password: PASSWORD })
      assert.equal(status, 200)
    }
    const late = { ...deps, db: beforeTransactions(remove) }
    const accepting = people.acceptInvitation(
      late,
      { token, password: null, network: 'n' },
      async () => {},
    )
    assert.equal(await keyOf(accepting), 'TOKEN_INVALID')
  })
})
