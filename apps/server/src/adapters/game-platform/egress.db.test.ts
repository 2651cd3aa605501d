// Inventories and trade pages leave by several addresses of ours in turn, each at the pace of one.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, it } from 'node:test'
import { createReserveSlot } from '#infra/database/call-slots'
import { createHttpClient, leavingBy } from '#infra/http/http-client'
import { silentLog } from '#infra/process/log'
import { createMetrics } from '#infra/process/metrics'
import { manualClock } from '#infra/testing/clock'
import { testDatabase } from '#infra/testing/database'
import { createBudget } from './budget.ts'
import { CALL_KINDS, type CallKind } from './call-kinds.ts'
import { givenPlatformCalls } from './testing/platform-calls.ts'

const OURS = ['127.0.0.2', '127.0.0.3', '127.0.0.4']
const ANONYMOUS = { botId: null }

const came: string[] = []
const server = createServer((request, response) => {
  came.push(request.socket.remoteAddress ?? '')
  response.end('{}')
})
const { db, close } = await testDatabase()
const http = createHttpClient({ log: silentLog, metrics: createMetrics() })
let site: string
before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
after(async () => {
  await http.close()
  server.close()
  await close()
})

const clock = manualClock()
/** As a process has them: the budget is that of all. */
const open = (egress: readonly string[] = OURS) =>
  givenPlatformCalls(leavingBy(http, egress[0] ?? null), site, {
    ...{ egress, clock, spend: createBudget(createReserveSlot({ db, clock })) },
    // A second turn at one address is refused, not waited for.
    kinds: { ...CALL_KINDS, inventory: { ...CALL_KINDS.inventory, paceMs: 60_000 } },
  })

async function send(calls: ReturnType<typeof open>, kind: CallKind): Promise<string | undefined> {
  const outcome = await calls.send(kind, ANONYMOUS, {
    ...{ page: site, operation: kind, method: 'GET', url: site, deadlineMs: 2000 },
  })
  assert.equal(outcome.kind, 'answer')
  return came.at(-1)
}

it('each address has its turn, and none has a second one before its pace is over', async () => {
  const calls = open()
  const used: (string | undefined)[] = []
  for (const _ of OURS) {
    assert.equal(await calls.turn('inventory', ANONYMOUS), 0)
    used.push(await send(calls, 'inventory'))
  }
  assert.deepEqual(used, OURS)
  for (const _ of OURS) assert.ok((await calls.turn('inventory', ANONYMOUS)) > 0)
  clock.advance(60_000)
  assert.equal(await calls.turn('inventory', ANONYMOUS), 0)
})

it('another process finds the turns of an address taken', async () => {
  clock.advance(600_000)
  const [one, other] = [open(), open()]
  assert.equal(await one.turn('inventory', ANONYMOUS), 0)
  assert.ok((await other.turn('inventory', ANONYMOUS)) > 0)
  assert.equal(await other.turn('inventory', ANONYMOUS), 0, 'the next address is free')
})

it('what is counted by bot leaves by the first address, and without a setting the system chooses', async () => {
  const calls = open()
  const by = { botId: '76561198000000001' }
  assert.equal(await calls.turn('send', by), 0)
  assert.equal(await send(calls, 'send'), OURS[0])
  const unset = open([])
  clock.advance(600_000)
  assert.equal(await unset.turn('inventory', ANONYMOUS), 0)
  assert.equal(await send(unset, 'inventory'), '127.0.0.1')
})
