// The team of an account: who is invited, accepts, changes and is removed, and what of that waits for what.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sql } from '#infra/database/db'
import { createSecretBox } from '#infra/process/secrets'
import { newId } from '#kernel/id'
import { inviteMember } from '#people'
import { WAITING } from '../../../infra/testing/waiting.ts'
import { type Browser, tokenIn } from '../testing/dashboard-server.ts'
import { givenDashboardServer } from '../testing/given-dashboard-server.ts'

const { database, server } = await givenDashboardServer()

const SET_EMAIL = sql('test_set_email', 'update people.person set email = $2 where id = $1')
const HOLD_TEAM = sql(
  'test_hold_team',
  'select from people.membership where account_id = $1 for no key update',
)
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
    const owner = await server.loggedIn()
    const { email, token } = await invited(owner, 'developer')
    const shown = await server.browser().call('POST', 'auth/invitation', { token })
    assert.deepEqual(shown.data, {
      ...{ email, role: 'developer', invitedBy: owner.email, hasLogin: false },
    })
    assert.equal((await accept({ token })).key, 'PASSWORD_TOO_WEAK')
    server.nextMinute()
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
    const owner = await server.loggedIn()
    const first = await invited(owner, 'finance')
    await owner.call('DELETE', `members/invitations/${first.id}`)
    assert.equal((await accept({ token: first.token, password })).key, 'TOKEN_INVALID')
    const { email, token } = await invited(owner, 'finance')
    await owner.call('POST', 'members/invitations', { email, role: 'read_only' })
    assert.equal((await accept({ token, password })).key, 'TOKEN_INVALID')
    const again = await tokenOf(email)
    const otherPerson = await server.loggedIn()
    const [{ id }] = (await owner.call('GET', 'members')).data.invitations
    assert.equal((await otherPerson.call('DELETE', `members/invitations/${id}`)).key, 'NOT_FOUND')
    server.clock.advance(7 * 86_400_000)
    assert.equal((await accept({ token: again, password })).key, 'TOKEN_INVALID')
  })

  it('of two accounts a person acts for one at a time, and never takes over an unconfirmed login', async () => {
    const owner = await server.loggedIn()
    const other = await server.loggedIn()
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
    // An attacker has registered the address that is invited, and never confirmed it.
    server.nextMinute()
    const email = `i-${newId()}@example.com`
    await server.browser().call('POST', 'auth/register', { email, password })
    await server.answerAnonymousRequests()
    await owner.call('POST', 'members/invitations', { email, role: 'finance' })
    const mine = 'another quiet meadow'
    await accept({ token: await tokenOf(email), password: mine })
    assert.equal((await server.browser().logIn(email, password)).key, 'INVALID_CREDENTIALS')
    assert.equal((await server.browser().logIn(email, mine)).status, 200)
  })

  it('a changed role ends the member’s sessions, a removed member is out at once', async () => {
    const owner = await server.loggedIn()
    const { email, token } = await invited(owner, 'read_only')
    await accept({ token, password })
    const member = server.browser()
    const { id } = (await member.logIn(email, password)).data.user
    const path = `members/${id}`
    assert.equal((await owner.call('PATCH', path, { role: 'developer' })).status, 200)
    assert.equal((await member.call('GET', 'session')).key, 'SESSION_EXPIRED')
    server.nextMinute()
    await member.logIn(email, password)
    assert.equal((await member.call('POST', 'keys', { name: 'k' })).status, 201)
    const otherPerson = await server.loggedIn()
    assert.equal((await otherPerson.call('DELETE', path)).key, 'NOT_FOUND')
    assert.equal((await owner.call('DELETE', path)).status, 200)
    assert.equal((await member.call('GET', 'keys')).status, 401)
    assert.equal((await server.browser().logIn(email, password)).key, 'INVALID_CREDENTIALS')
  })

  it('a member is not invited again, and a removed one does not come back by an open invitation', async () => {
    const owner = await server.loggedIn()
    const { email, token } = await invited(owner, 'read_only')
    await accept({ token, password })
    const body = { email: email.toUpperCase(), role: 'owner' }
    const refused = await owner.call('POST', 'members/invitations', body)
    assert.deepEqual(
      [refused.status, refused.meta.errors[0].pointer, refused.meta.errors[0].rule],
      [422, '/email', 'member'],
    )
    // An address that was invited becomes that of a member.
    const member = server.browser()
    const { id: personId } = (await member.logIn(email, password)).data.user
    const later = await invited(owner, 'owner')
    await database.db.query(SET_EMAIL, [personId, later.email])
    assert.equal((await accept({ token: later.token })).key, 'TOKEN_INVALID')
    const { members } = (await owner.call('GET', 'members')).data
    assert.equal(
      members.find((each: { personId: string }) => each.personId === personId).role,
      'read_only',
    )
    const log = (await owner.call('GET', 'audit?act=member.accept')).data.items
    assert.equal(log.length, 1)
    assert.equal((await owner.call('DELETE', `members/${personId}`)).status, 200)
    assert.deepEqual((await owner.call('GET', 'members')).data.invitations, [])
    assert.equal((await accept({ token: later.token, password })).key, 'TOKEN_INVALID')
  })

  it('an owner who is removed changes and removes none by calls that wait', async () => {
    const owner = await server.loggedIn()
    const joined = async () => {
      server.nextMinute()
      const { email, token } = await invited(owner, 'owner')
      await accept({ token, password })
      const browser = server.browser()
      const { id } = (await browser.logIn(email, password)).data.user
      return { browser, path: `members/${id}` }
    }
    const [removed, third, fourth] = [await joined(), await joined(), await joined()]
    const waiting = async () => (await database.db.query(WAITING)).length
    const { removing, late } = await database.db.transaction(async (tx) => {
      await tx.query(HOLD_TEAM, [owner.accountId])
      const removing = owner.call('DELETE', removed.path)
      while ((await waiting()) < 1);
      const late = [
        removed.browser.call('DELETE', third.path),
        removed.browser.call('PATCH', fourth.path, { role: 'read_only' }),
      ]
      while ((await waiting()) < 1 + late.length);
      return { removing, late }
    })
    assert.equal((await removing).status, 200)
    for (const { key } of await Promise.all(late)) assert.equal(key, 'FORBIDDEN')
  })

  it('an invitation ends with the membership or the right of its inviter', async () => {
    const owner = await server.loggedIn()
    const { accountId } = owner
    const last = [
      (path: string) => owner.call('DELETE', path),
      (path: string) => owner.call('PATCH', path, { role: 'developer' }),
    ]
    for (const end of last) {
      server.nextMinute()
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
    const owner = await server.loggedIn()
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
