import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Type } from 'typebox'
import { Refusal } from '#kernel/refusal'
import type { ApiInterface } from './api-interface.ts'
import { refused } from './failure.ts'
import { defineOperation } from './operation.ts'
import type { Principal } from './principal.ts'
import { startTestServer, type TestServer } from './testing/server.ts'

// A second interface beside the merchant's, of another kind in everything that an interface decides:
// sessions in a cookie, roles as permissions, an anonymous caller without an account, no limits by key.

interface Session extends Principal {
  readonly user: string | null
}

interface Member {
  readonly user: string
  readonly requestId: string
  confirm(): Promise<void>
}

const TENANT = { id: '019aa000-0000-7000-8000-0000000000cc', currency: 'EUR' } as const
const ROLES = {
  owner: new Set(['read', 'write']),
  'read-only': new Set(['read']),
} as const
const ANONYMOUS: Session = { tenant: null, permissions: new Set(['visit']), user: null }

const Note = Type.Object({ text: Type.String() })
const Named = Type.Object({ name: Type.String() })

const notes: ApiInterface<Session, Member> = {
  name: 'notes',
  operations: [
    defineOperation(
      {
        route: { id: 'logIn', method: 'POST', path: '/notes/log-in', body: Note, response: Note },
        permission: 'visit',
      },
      async ({ body }) => body,
    ),
    defineOperation(
      {
        route: {
          ...{ id: 'readNote', method: 'GET', path: '/notes/{name}' },
          ...{ params: Named, response: Note },
        },
        permission: 'read',
      },
      async ({ caller }: { caller: Member }) => ({ text: `${caller.user} ${caller.requestId}` }),
    ),
    defineOperation(
      {
        route: {
          id: 'writeNote',
          method: 'PUT',
          path: '/notes/{name}',
          params: Named,
          body: Note,
          response: Note,
        },
        permission: 'write',
      },
      async ({ body }) => body,
    ),
  ],
  authenticate: ({ headers }, wanted) => {
    const role = /role=([a-z-]+)/.exec(headers.cookie ?? '')?.[1]
    if (role === 'owner' || role === 'read-only') {
      return { tenant: TENANT, permissions: ROLES[role], user: role }
    }
    if (wanted?.permission === 'visit') return ANONYMOUS
    throw new Refusal('UNAUTHENTICATED')
  },
  limits: null,
  resolveCaller: ({ user }, { id }) => ({
    user: user ?? 'anonymous',
    requestId: id,
    confirm: async () => {},
  }),
  closedRoutes: [],
  prefixes: ['/notes'],
  answerUnmatched: () => refused('UNAUTHENTICATED'),
}

let server: TestServer
before(async () => {
  server = await startTestServer({ others: [notes] })
})
after(() => server.close())

const as = (role: string) => ({ headers: { 'api-key': '', cookie: `role=${role}` } })

test('each interface finds out by itself who calls', async () => {
  const note = await server.call('GET', '/notes/a', as('owner'))
  assert.equal(note.status, 200, note.text)
  assert.deepEqual(note.json.data, { text: `owner ${note.json.requestId}` })
  const wallet = await server.call('GET', '/user/wallet')
  assert.equal(wallet.status, 200)
  assert.equal((await server.call('GET', '/notes/a')).json.error?.key, 'UNAUTHENTICATED')
  assert.equal((await server.call('GET', '/user/wallet', as('owner'))).status, 401)
})

test('an operation refuses a principal without its permission, and takes an anonymous caller where it says so', async () => {
  const body = { text: 'x' }
  assert.equal((await server.call('PUT', '/notes/a', { ...as('owner'), body })).status, 200)
  const refusal = await server.call('PUT', '/notes/a', { ...as('read-only'), body })
  assert.equal(refusal.json.error?.key, 'FORBIDDEN')
  const visit = await server.call('POST', '/notes/log-in', { ...as('absent'), body })
  assert.deepEqual(visit.json.data, body)
})

test('shapes, bodies, envelopes and log lines are the same for both', async () => {
  const wrong = await server.call('PUT', '/notes/a', { ...as('owner'), body: { text: 1 } })
  assert.equal(wrong.json.error?.key, 'VALIDATION_FAILED')
  assert.equal(wrong.json.error?.meta?.errors?.[0]?.pointer, '/text')
  const unread = await server.call('PUT', '/notes/a', { ...as('owner'), raw: '{' })
  assert.equal(unread.status, 400)
  assert.equal(server.answered.at(-1)?.tenantId, TENANT.id)
  assert.equal(server.answered.at(-1)?.route, '/notes/{name}')
})

test('an interface answers for the addresses below its own prefix, and for no other', async () => {
  assert.equal((await server.call('GET', '/notes/a/b')).json.error?.key, 'UNAUTHENTICATED')
  assert.equal((await server.call('GET', '/notesbook')).json.error?.key, 'NOT_FOUND')
  assert.equal((await server.call('GET', '/merchant/none')).json.error?.key, 'NOT_FOUND')
})
