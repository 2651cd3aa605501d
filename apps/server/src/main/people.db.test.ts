// What people do with their login and their team, over the dashboard's interface.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sql } from '#infra/db'
import { createSecretBox } from '#infra/secrets'
import { newId } from '#kernel/id'
import { changeDestinations, changeStatus } from '#operations'
import { inviteMember, type MemberRole } from '#people'
import { createAuthenticator } from './testing/authenticator.ts'
import {
  type Browser,
  codeIn,
  type LoggedInBrowser,
  PASSWORD,
  tokenIn,
} from './testing/dashboard-server.ts'
import { givenDashboardServer } from './testing/given-dashboard-server.ts'

const { database, server } = await givenDashboardServer()

const nextMinute = (): void => server.nextMinute()
const loggedIn = (role?: MemberRole): Promise<LoggedInBrowser> => server.loggedIn(role)

// References to the person are still written.
const HOLD = sql('test.hold_person', 'select from people.person where email = $1 for no key update')
const WAITING = sql(
  'test.waiting',
  "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
)

describe('a passkey', () => {
  const origin = (): string => server.url.replace('127.0.0.1', 'localhost')
  const addTo = async (browser: Browser, name = 'laptop') => {
    const authenticator = createAuthenticator()
    const { ceremonyId, options } = (await browser.call('POST', 'passkeys/options')).data
    const credential = authenticator.create(options, { origin: origin() })
    const body = { ceremonyId, name, credential }
    return { authenticator, body, added: await browser.call('POST', 'passkeys', body) }
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
    const visitor = server.browser()
    const refused = await visitor.logIn(browser.email)
    assert.deepEqual(
      [refused.key, refused.meta.methods],
      ['TWO_FACTOR_REQUIRED', ['passkey', 'recovery']],
    )
    const { challengeId } = refused.meta
    const factor = await answerWith(authenticator, { challengeId })
    assert.equal((await visitor.call('POST', 'auth/passkey', factor)).status, 200)
    assert.equal((await visitor.call('GET', 'session')).data.user.email, browser.email)
  })

  it('answers a step-up of its own session', async () => {
    const browser = await loggedIn()
    const { authenticator } = await addTo(browser)
    server.clock.advance(11 * 60_000)
    const { meta } = await browser.call('POST', 'keys', { name: 'k' })
    const factor = await answerWith(authenticator, { challengeId: meta.challengeId })
    const stranger = await loggedIn()
    assert.equal((await stranger.call('POST', 'auth/passkey', factor)).key, 'TWO_FACTOR_EXPIRED')
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
    const stranger = await answerWith(createAuthenticator())
    const unknown = await server.browser().call('POST', 'auth/passkey', stranger)
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
    const holds = Promise.withResolvers<void>()
    const free = Promise.withResolvers<void>()
    const held = database.db.transaction(async (tx) => {
      await tx.query(HOLD, [browser.email])
      holds.resolve()
      await free.promise
    })
    await holds.promise
    const adding = addTo(browser)
    while ((await database.db.query(WAITING)).length < 1);
    const refused = server.browser().logIn(browser.email)
    while ((await database.db.query(WAITING)).length < 2);
    free.resolve()
    await held
    assert.equal((await adding).added.status, 201)
    const { key, meta } = await refused
    assert.deepEqual([key, meta.methods], ['TWO_FACTOR_REQUIRED', ['passkey', 'recovery']])
  })

  it('is renamed and removed by its own person; with the last factor its recovery codes go', async () => {
    const browser = await loggedIn()
    const { id } = (await addTo(browser)).added.data.passkey
    const stranger = await loggedIn()
    assert.equal((await stranger.call('PATCH', `passkeys/${id}`, { name: 'x' })).key, 'NOT_FOUND')
    assert.equal((await stranger.call('DELETE', `passkeys/${id}`)).key, 'NOT_FOUND')
    assert.equal((await browser.call('PATCH', `passkeys/${id}`, { name: 'desk' })).status, 200)
    const [listed] = (await browser.call('GET', 'passkeys')).data
    assert.deepEqual([listed.id, listed.name], [id, 'desk'])
    assert.equal((await browser.call('DELETE', `passkeys/${id}`)).status, 200)
    assert.match((await server.mailTo(browser.email))[0]?.subject ?? '', /passkey was removed/)
    nextMinute()
    assert.equal((await server.browser().logIn(browser.email)).status, 200)
  })
})

describe('a team', () => {
  const tokenOf = async (email: string): Promise<string> =>
    tokenIn((await server.mailTo(email))[0]?.text ?? '')
  const password = 'plenty of quiet rivers'
  const invited = async (owner: Browser, role: string) => {
    const email = `i-${newId()}@example.com`
    const sent = await owner.call('POST', 'members/invitations', { email, role })
    assert.equal(sent.status, 201)
    return { email, token: await tokenOf(email), id: sent.data.invitations[0].id as string }
  }
  const secrets = createSecretBox([Buffer.alloc(32, 7)])
  const inviting = { secrets, publicUrl: () => server.url }
  const accept = (body: object) => server.browser().call('POST', 'auth/invitation/accept', body)

  it('grows by an invitation, which its reader accepts once, with a password of their own', async () => {
    const owner = await loggedIn()
    const { email, token } = await invited(owner, 'developer')
    const shown = await server.browser().call('POST', 'auth/invitation', { token })
    assert.deepEqual(shown.data, {
      ...{ email, role: 'developer', invitedBy: owner.email, hasLogin: false },
    })
    assert.equal((await accept({ token })).key, 'PASSWORD_TOO_WEAK')
    nextMinute()
    const answers = await Promise.all([1, 2, 3].map(() => accept({ token, password })))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 422, 422])
    const developer = server.browser()
    const session = await developer.logIn(email, password)
    assert.deepEqual(
      [session.data.user.accountId, session.data.user.memberRole],
      [owner.accountId, 'developer'],
    )
    const { data: team } = await owner.call('GET', 'members')
    assert.deepEqual(
      team.members.map(({ email, role }: { email: string; role: string }) => [email, role]),
      [
        [owner.email, 'owner'],
        [email, 'developer'],
      ],
    )
    assert.deepEqual(team.invitations, [])
    assert.equal((await developer.call('POST', 'keys', { name: 'k' })).status, 201)
    const body = { email: 'x@example.com', role: 'owner' }
    assert.equal((await developer.call('POST', 'members/invitations', body)).key, 'FORBIDDEN')
  })

  it('an invitation ends when it is revoked, sent again, or a week old', async () => {
    const owner = await loggedIn()
    const first = await invited(owner, 'finance')
    await owner.call('DELETE', `members/invitations/${first.id}`)
    assert.equal((await accept({ token: first.token, password })).key, 'TOKEN_INVALID')
    const { email, token } = await invited(owner, 'finance')
    await owner.call('POST', 'members/invitations', { email, role: 'read_only' })
    assert.equal((await accept({ token, password })).key, 'TOKEN_INVALID')
    const again = await tokenOf(email)
    const stranger = await loggedIn()
    const [{ id }] = (await owner.call('GET', 'members')).data.invitations
    assert.equal((await stranger.call('DELETE', `members/invitations/${id}`)).key, 'NOT_FOUND')
    server.clock.advance(7 * 86_400_000)
    assert.equal((await accept({ token: again, password })).key, 'TOKEN_INVALID')
  })

  it('of two accounts a person acts for one at a time, and never takes over an unconfirmed login', async () => {
    const owner = await loggedIn()
    const other = await loggedIn()
    const body = { email: other.email, role: 'read_only' }
    await owner.call('POST', 'members/invitations', body)
    const token = await tokenOf(other.email)
    const shown = await server.browser().call('POST', 'auth/invitation', { token })
    assert.equal(shown.data.hasLogin, true)
    server.clock.advance(1000)
    assert.equal((await accept({ token })).status, 200)
    const accounts = (await other.call('GET', 'session/accounts')).data
    assert.deepEqual(
      accounts.map(({ accountId, current }: { accountId: string; current: boolean }) => [
        accountId,
        current,
      ]),
      [
        [other.accountId, true],
        [owner.accountId, false],
      ],
    )
    const before = other.cookie
    const to = (accountId: string) => other.call('PUT', 'session/account', { accountId })
    assert.equal((await to(newId())).key, 'NOT_FOUND')
    assert.equal((await to(owner.accountId)).data.user.memberRole, 'read_only')
    const old = Object.assign(server.browser(), { cookie: before })
    assert.equal((await old.call('GET', 'session')).key, 'SESSION_EXPIRED')
    assert.equal((await other.call('POST', 'keys', { name: 'k' })).key, 'FORBIDDEN')
    // A stranger has registered the address that is invited, and never confirmed it.
    nextMinute()
    const email = `i-${newId()}@example.com`
    await server.browser().call('POST', 'auth/register', { email, password })
    await server.answerVisitors()
    await owner.call('POST', 'members/invitations', { email, role: 'finance' })
    const mine = 'another quiet meadow'
    await accept({ token: await tokenOf(email), password: mine })
    assert.equal((await server.browser().logIn(email, password)).key, 'INVALID_CREDENTIALS')
    assert.equal((await server.browser().logIn(email, mine)).status, 200)
  })

  it('a changed role ends the member’s sessions, a removed member is out at once', async () => {
    const owner = await loggedIn()
    const { email, token } = await invited(owner, 'read_only')
    await accept({ token, password })
    const member = server.browser()
    const { id } = (await member.logIn(email, password)).data.user
    const path = `members/${id}`
    assert.equal((await owner.call('PATCH', path, { role: 'developer' })).status, 200)
    assert.equal((await member.call('GET', 'session')).key, 'SESSION_EXPIRED')
    nextMinute()
    await member.logIn(email, password)
    assert.equal((await member.call('POST', 'keys', { name: 'k' })).status, 201)
    const stranger = await loggedIn()
    assert.equal((await stranger.call('DELETE', path)).key, 'NOT_FOUND')
    assert.equal((await owner.call('DELETE', path)).status, 200)
    assert.equal((await member.call('GET', 'keys')).status, 401)
    assert.equal((await server.browser().logIn(email, password)).key, 'INVALID_CREDENTIALS')
  })

  it('an invitation ends with the membership or the right of its inviter', async () => {
    const owner = await loggedIn()
    const { accountId } = owner
    const last = [
      (path: string) => owner.call('DELETE', path),
      (path: string) => owner.call('PATCH', path, { role: 'developer' }),
    ]
    for (const end of last) {
      nextMinute()
      const { email, token } = await invited(owner, 'owner')
      await accept({ token, password })
      const second = server.browser()
      const { id } = (await second.logIn(email, password)).data.user
      const own = await invited(second, 'owner')
      const first = await invited(owner, 'finance')
      assert.equal((await end(`members/${id}`)).status, 200)
      const { invitations } = (await owner.call('GET', 'members')).data
      assert.deepEqual(invitations.map(({ id }: { id: string }) => id).includes(own.id), false)
      assert.equal((await accept({ token: own.token, password })).key, 'TOKEN_INVALID')
      assert.equal((await accept({ token: first.token, password })).status, 200)
      // Sent by a request that was under way when the member was removed.
      const { link } = await database.db.transaction((tx) =>
        inviteMember(tx, inviting, {
          ...{ accountId, accountKind: 'merchant', email: own.email, role: 'owner' },
          ...{ invitedBy: email, inviterId: id, at: server.clock.now() },
        }),
      )
      assert.equal((await accept({ token: tokenIn(link), password })).key, 'TOKEN_INVALID')
    }
  })

  it('keeps one owner, also when two leave each other at the same moment', async () => {
    const owner = await loggedIn()
    const { id: mine } = (await owner.call('GET', 'session')).data.user
    const demote = (browser: Browser, id: string) =>
      browser.call('PATCH', `members/${id}`, { role: 'finance' })
    assert.equal((await demote(owner, mine)).key, 'VALIDATION_FAILED')
    assert.equal((await owner.call('DELETE', `members/${mine}`)).key, 'VALIDATION_FAILED')
    const { email, token } = await invited(owner, 'owner')
    await accept({ token, password })
    const second = server.browser()
    const { id: theirs } = (await second.logIn(email, password)).data.user
    await Promise.all([demote(owner, theirs), demote(second, mine)])
    const owners = await database.db.query<{ n: number }>(
      sql(
        'test.owners',
        `select count(*)::int n from people.membership where account_id = $1 and role = 'owner'`,
      ),
      [owner.accountId],
    )
    assert.equal(owners[0]?.n, 1)
  })
})

describe('a session', () => {
  it('that a visitor brings is not the one of the login: a planted cookie stays worthless', async () => {
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
    assert.match((await server.mailTo(browser.email))[0]?.subject ?? '', /address was asked for/)
    const token = await link(email)
    assert.deepEqual((await confirm(token)).data, { email })
    assert.equal((await confirm(token)).key, 'TOKEN_INVALID')
    assert.match((await server.mailTo(browser.email))[0]?.subject ?? '', /address was changed/)
    assert.equal((await browser.call('GET', 'session')).data.user.email, email)
    assert.equal((await server.browser().logIn(browser.email)).key, 'INVALID_CREDENTIALS')
    assert.equal((await server.browser().logIn(email)).status, 200)
    // A link in the old mailbox opens nothing any more.
    const body = { token: reset, password: 'another good secret' }
    const refused = await server.browser().call('POST', 'auth/password/reset', body)
    assert.equal(refused.key, 'TOKEN_INVALID')
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

describe('the audit log of an account', () => {
  /** What its members did with their logins, the oldest first, as the account's own page shows it. */
  const actsOf = async (browser: Browser): Promise<{ act: string; facts: object }[]> => {
    const { items } = (await browser.call('GET', 'audit?limit=100')).data
    return items.filter(({ act }: { act: string }) => act.startsWith('person.')).reverse()
  }

  it('names what a person does with a login, from its registration to its end', async () => {
    nextMinute()
    const email = `r-${newId()}@example.com`
    const password = 'plenty of quiet rivers'
    const browser = server.browser()
    const link = async (to = email) => tokenIn((await server.mailTo(to))[0]?.text ?? '')
    await browser.call('POST', 'auth/register', { email, password })
    await browser.call('POST', 'auth/verify-email', { token: await link() })
    await browser.logIn(email, 'a wrong password')
    await server.answerVisitors()
    await browser.logIn(email, password)
    await server.browser().logIn(email, password)
    await browser.call('DELETE', 'sessions')
    const next = 'a longer new phrase'
    await browser.call('PUT', 'password', { currentPassword: 'wrong', newPassword: next })
    await browser.call('PUT', 'password', { currentPassword: password, newPassword: next })
    const { challengeId } = (await browser.call('POST', 'two-factor/email')).data
    const code = codeIn((await server.mailTo(email))[0]?.text ?? '')
    const enabled = await browser.call('POST', 'two-factor/email/enable', { challengeId, code })
    nextMinute()
    const second = server.browser()
    const asked = (await second.logIn(email, next)).meta
    const proof = { challengeId: asked.challengeId, method: 'recovery' }
    await second.call('POST', 'auth/two-factor', { ...proof, code: 'WRONG-CODES' })
    const [recovery] = enabled.data.recoveryCodes
    await second.call('POST', 'auth/two-factor', { ...proof, code: recovery })
    await second.call('DELETE', 'two-factor')
    const newEmail = `n-${newId()}@example.com`
    await second.call('POST', 'email', { email: newEmail })
    await second.call('POST', 'auth/email', { token: await link(newEmail) })
    await second.call('POST', 'auth/logout')
    nextMinute()
    await browser.logIn(newEmail, next)
    const acts = await actsOf(browser)
    assert.deepEqual(
      acts.map(({ act, facts }) => [act, facts]),
      [
        ['person.register', {}],
        ['person.verify_email', {}],
        ['person.log_in_failed', { what: 'password' }],
        ['person.log_in', { by: 'password' }],
        ['person.log_in', { by: 'password' }],
        ['person.end_other_sessions', { ended: 1 }],
        ['person.log_in_failed', { what: 'password in a session' }],
        ['person.change_password', {}],
        ['person.add_factor', { factor: 'email' }],
        ['person.log_in_failed', { what: 'recovery' }],
        ['person.use_recovery_code', { left: 9 }],
        ['person.log_in', { by: 'password and recovery' }],
        ['person.turn_off_factor', { factor: 'email' }],
        ['person.ask_email_change', { newEmail }],
        ['person.change_email', {}],
        ['person.log_out', {}],
        ['person.log_in', { by: 'password' }],
      ],
    )
    assert.ok(!JSON.stringify(acts).includes(recovery))
    // Neither another account's log nor that of a refused act has any of it.
    const stranger = await loggedIn()
    assert.deepEqual(
      (await actsOf(stranger)).map(({ act }) => act),
      ['person.log_in'],
    )
    await stranger.call('DELETE', `sessions/${newId()}`)
    assert.equal((await actsOf(stranger)).length, 1)
  })

  it('lists twenty failures of a person, and none more for a day', async () => {
    const owner = await loggedIn()
    const fail = async (times: number): Promise<void> => {
      for (let i = 0; i < times; i++) {
        server.clock.advance(15 * 60_000)
        assert.equal(
          (await server.browser().logIn(owner.email, 'wrong')).key,
          'INVALID_CREDENTIALS',
        )
      }
    }
    const failures = async () => {
      await server.answerVisitors()
      return (await actsOf(owner)).filter(({ act }) => act === 'person.log_in_failed')
    }
    await fail(22)
    const listed = await failures()
    assert.equal(listed.length, 20)
    const further = { rest: 'further failures are not listed for a day' }
    assert.deepEqual(listed.at(-1)?.facts, { what: 'password', ...further })
    assert.deepEqual(listed.at(-2)?.facts, { what: 'password' })
    server.clock.advance(86_400_000)
    await fail(1)
    assert.equal((await failures()).length, 21)
    // An address without a login leaves nothing.
    await server.browser().logIn('who@example.com', 'wrong')
    assert.equal((await failures()).length, 21)
  })
})
