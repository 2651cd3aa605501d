// What decides whether a withdrawal may leave before it is signed: the merchant's callback, and its list of
// destinations.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { getAddress } from 'viem'
import { until } from '../../../../../tests/support/until.ts'
import { answerWith } from '../../../../../tests/webhooks/sink.ts'
import type { Tx } from '../../infra/db.ts'
import { createWebhookSender } from '../../providers/webhook-sender/index.ts'
import { readBalance } from '../custody/index.ts'
import { isPublicAddress } from '../webhooks/index.ts'
import {
  addDestination,
  auditPayouts,
  forgetApprovalBodies,
  listApprovalAttempts,
  removeDestination,
  setOnlyKnownDestinations,
} from './index.ts'
import { newDestination, type PayoutWorld, payoutWorld, refusal } from './testing/world.ts'

let world: PayoutWorld
before(async () => {
  world = await payoutWorld()
  await world.fund('USDC', 10n ** 13n)
})
after(async () => {
  assert.deepEqual(await auditPayouts(world.db), [])
  await world.close()
})

const balance = (): Promise<bigint> =>
  readBalance(
    world.db,
    { role: 'merchant', ownerId: world.merchantId },
    { chain: 'ethereum', token: 'USDC' },
  )

describe('the approval', () => {
  const answers = async (...statuses: (number | 'silence' | 'redirect')[]) => {
    const before = await balance()
    const { id } = await world.submit()
    const first = world.sink.received.length
    for (const status of statuses) {
      world.sink.answer = (received, response) => {
        if (status === 'silence') response.socket?.destroy()
        else if (status === 'redirect')
          answerWith(307, { location: world.sink.url })(received, response)
        else answerWith(status)(received, response)
      }
      await world.approve()
      world.clock.advance(15_000)
    }
    world.sink.answer = (_, response) => response.end('ok')
    const posts = world.sink.received.slice(first)
    return { id, before, posts, now: await world.read(id) }
  }

  it('of 4xx refunds at once', async () => {
    const { now, before, posts } = await answers(403)
    assert.deepEqual([now.status, now.failureReason], ['refunded', 'approval_rejected'])
    assert.equal(await balance(), before)
    assert.equal(posts.length, 1)
    assert.deepEqual(await world.events(now.id), ['refunded'])
  })

  it('of 5xx, a redirect or silence is asked for again under one id, and refunds after four', async () => {
    const { now, before, posts } = await answers(500, 'redirect', 'silence', 502)
    assert.deepEqual(
      [now.status, now.failureReason, now.callbackAttempts],
      ['refunded', 'approval_failed', 4],
    )
    assert.equal(await balance(), before)
    assert.equal(posts.length, 4)
    assert.equal(new Set(posts.map(({ headers }) => headers['webhook-id'])).size, 1)
  })

  it('waits 2, 5 and 15 seconds between its attempts', async () => {
    const { id } = await world.submit()
    world.sink.answer = answerWith(500)
    const first = world.sink.received.length
    for (const waitMs of [2_000, 5_000, 15_000]) {
      await world.approve()
      const count = world.sink.received.length
      world.clock.advance(waitMs - 1)
      await world.approve()
      assert.equal(world.sink.received.length, count)
      world.clock.advance(1)
    }
    world.sink.answer = (_, response) => response.end('ok')
    await world.approve()
    assert.equal(world.sink.received.length, first + 4)
    assert.equal((await world.finish(id)).status, 'confirmed')
  })

  it('is repeated under the same id after a crash, which is not counted as a failure', async () => {
    const { id } = await world.submit()
    await world.db.script(`update payouts.withdrawal set callback_attempts = 1, due_at = '${world.clock.now().toISOString()}' where id = '${id}';
      insert into payouts.approval_attempt (withdrawal_id, number, started_at) values ('${id}', 1, now())`)
    const end = await world.finish(id)
    assert.deepEqual([end.status, end.callbackAttempts, end.callbackFailures], ['confirmed', 2, 0])
  })

  it('is not asked for without a usable URL', async () => {
    for (const url of [null, 'ftp://shop.example/hook']) {
      await world.setCallback(url)
      assert.equal(await refusal(world.submit()), 'CRYPTO_PAYOUT_NO_CALLBACK_URL')
    }
    await world.setCallback(world.sink.url)
  })

  it('is written down before its POST', async () => {
    const { id } = await world.submit()
    const seen: unknown[] = []
    world.sink.answer = (_, response) => {
      void listApprovalAttempts(world.db, id).then((attempts) => {
        seen.push(...attempts)
        response.end('ok')
      })
    }
    await world.approve()
    world.sink.answer = (_, response) => response.end('ok')
    assert.deepEqual(seen, [
      {
        ...{ number: 1, startedAt: world.clock.now(), endedAt: null },
        ...{ result: null, sent: null, answer: null },
      },
    ])
    assert.equal((await world.finish(id)).status, 'confirmed')
  })

  it('that comes after five seconds, or never ends, is none', async () => {
    const late = await world.submit()
    const endless = await world.submit()
    const timers: NodeJS.Timeout[] = []
    world.sink.answer = ({ body }, response) => {
      if (body.includes(late.id)) timers.push(setTimeout(() => response.end('ok'), 5_200))
      else {
        response.writeHead(200)
        timers.push(setInterval(() => response.write('.'), 100))
      }
    }
    await world.approve()
    for (const timer of timers) clearTimeout(timer)
    world.sink.answer = (_, response) => response.end('ok')
    for (const { id } of [late, endless]) {
      const [attempt] = await listApprovalAttempts(world.db, id)
      assert.equal(attempt?.result, 'no answer in time')
      const { status, callbackFailures } = await world.read(id)
      assert.deepEqual([status, callbackFailures], ['pending_callback', 1])
    }
    world.clock.advance(2_000)
    for (const { id } of [late, endless]) {
      assert.equal((await world.finish(id)).status, 'confirmed')
    }
  })

  it('that waits for its answer holds up no other', async () => {
    const slow = await world.submit()
    const answers: (() => void)[] = []
    world.sink.answer = ({ body }, response) => {
      if (body.includes(slow.id)) answers.push(() => response.end('ok'))
      else response.end('ok')
    }
    const approving = world.approve()
    await until('its POST has begun', async () => answers.length > 0)
    const quick = await world.submit()
    await until(
      'the other is approved',
      async () => (await world.read(quick.id)).status === 'queued',
    )
    assert.equal((await world.read(slow.id)).status, 'pending_callback')
    for (const answer of answers) answer()
    await approving
    world.sink.answer = (_, response) => response.end('ok')
    // On a machine that was slow itself, the answer was late and is asked for again.
    world.clock.advance(2_000)
    for (const { id } of [slow, quick]) {
      assert.equal((await world.finish(id)).status, 'confirmed')
    }
  })

  it('is not asked for at an address inside, whatever name it has', async () => {
    const strict = createWebhookSender({ allowPrivate: false, isPublicAddress })
    const posts = world.sink.received.length
    for (const url of [world.sink.url, world.sink.url.replace('127.0.0.1', 'localhost')]) {
      await world.setCallback(url)
      const { id } = await world.submit()
      await world.approve(strict)
      const [attempt] = await listApprovalAttempts(world.db, id)
      assert.equal(attempt?.result, 'failed: address not allowed', url)
      world.clock.advance(15_000)
      await world.setCallback(world.sink.url)
      assert.equal((await world.finish(id)).status, 'confirmed')
    }
    assert.equal(world.sink.received.length, posts + 2)
    await strict.close()
  })

  it('is kept as it was sent and answered, 16 KiB of it, for 30 days', async () => {
    const { posts, now } = await answers(403)
    const read = async () => (await listApprovalAttempts(world.db, now.id))[0]
    assert.equal((await read())?.sent, posts[0]?.body)
    const { id } = await world.submit()
    world.sink.answer = answerWith(200, {}, `\0${'x'.repeat(100_000)}`)
    await world.approve()
    world.sink.answer = (_, response) => response.end('ok')
    const [attempt] = await listApprovalAttempts(world.db, id)
    assert.equal(attempt?.answer, `\0${'x'.repeat(16 * 1024 - 1)}`)
    assert.equal((await world.finish(id)).status, 'confirmed')
    const startedAt = (await read())?.startedAt ?? new Date(0)
    await forgetApprovalBodies(world.db, startedAt)
    assert.notEqual((await read())?.sent, null)
    await forgetApprovalBodies(world.db, new Date(startedAt.getTime() + 1))
    assert.deepEqual([(await read())?.sent, (await read())?.result], [null, 'answered 403'])
  })
})

describe('a list of destinations', () => {
  it('allows those on it alone, each after a day, and a removed one no longer', async () => {
    const destination = newDestination()
    const inTx = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => world.db.transaction(work)
    const { merchantId, clock } = world
    const tried = () => refusal(world.submit({ destination }))
    const key = 'CRYPTO_PAYOUT_DESTINATION_INVALID'
    const at = clock.now()
    await inTx((tx) => setOnlyKnownDestinations(tx, merchantId, { on: true, at }))
    assert.equal(await tried(), key)
    await inTx((tx) => addDestination(tx, merchantId, { address: destination, at }))
    clock.advance(24 * 3_600_000 - 1)
    assert.equal(await tried(), key)
    clock.advance(1)
    const checksummed = getAddress(destination)
    const one = await world.submit({ destination: checksummed })
    await inTx((tx) => removeDestination(tx, merchantId, destination))
    assert.equal(await tried(), key)
    await inTx((tx) => setOnlyKnownDestinations(tx, merchantId, { on: false, at: clock.now() }))
    for (const { id } of [one, await world.submit({ destination })]) {
      assert.equal((await world.finish(id)).status, 'confirmed')
    }
  })
})
