// What decides whether a withdrawal may leave before it is signed: the merchant's callback, and its list of
// destinations.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { getAddress } from 'viem'
import { createWebhookSender } from '../../../apps/server/src/adapters/webhook-sender/index.ts'
import type { Tx } from '../../../apps/server/src/infra/database/db.ts'
import { useIndexesOnly, wholeScans } from '../../../apps/server/src/infra/testing/indexes-only.ts'
import {
  addDestination,
  auditPayouts,
  auditWithdrawals,
  findMerchantSettings,
  forgetApprovalBodies,
  listApprovalAttempts,
  readWithdrawals,
  removeDestination,
  setOnlyKnownDestinations,
} from '../../../apps/server/src/modules/crypto/payouts/index.ts'
import { claimApprovals } from '../../../apps/server/src/modules/crypto/payouts/store/approvals.ts'
import { markProven } from '../../../apps/server/src/modules/crypto/payouts/store/merchants.ts'
import { isAllowedAddress } from '../../../apps/server/src/modules/events/webhooks/index.ts'
import { readBalance } from '../../../apps/server/src/modules/money/custody/index.ts'
import { until } from '../../support/until.ts'
import { answerWith } from '../../webhooks/receiver.ts'
import {
  newDestination,
  type PayoutEnvironment,
  payoutEnvironment,
  reasonOf,
  refusal,
} from './environment.ts'

let environment: PayoutEnvironment
before(async () => {
  environment = await payoutEnvironment()
  await environment.fund('USDC', 10n ** 13n)
})
after(async () => {
  assert.deepEqual(await auditPayouts(environment.db), [])
  assert.deepEqual(await auditWithdrawals(environment.db), [])
  await environment.close()
})

const balance = (): Promise<bigint> =>
  readBalance(
    environment.db,
    { role: 'merchant', ownerId: environment.merchantId },
    { chain: 'ethereum', token: 'USDC' },
  )

describe('the approval', () => {
  const answers = async (...statuses: (number | 'silence' | 'redirect')[]) => {
    const before = await balance()
    const { id } = await environment.submit()
    const first = environment.receiver.received.length
    for (const status of statuses) {
      environment.receiver.answer = (received, response) => {
        if (status === 'silence') response.socket?.destroy()
        else if (status === 'redirect')
          answerWith(307, { location: environment.receiver.url })(received, response)
        else answerWith(status)(received, response)
      }
      await environment.approve()
      environment.clock.advance(15_000)
    }
    environment.receiver.answer = (_, response) => response.end('ok')
    const posts = environment.receiver.received.slice(first)
    return { id, before, posts, now: await environment.read(id) }
  }

  it('of 4xx refunds at once', async () => {
    const { now, before, posts } = await answers(403)
    assert.deepEqual([now.status, now.failureReason], ['refunded', 'approval_rejected'])
    assert.equal(await balance(), before)
    assert.equal(posts.length, 1)
    assert.deepEqual(await environment.events(now.id), ['refunded'])
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
    const { id } = await environment.submit()
    environment.receiver.answer = answerWith(500)
    const first = environment.receiver.received.length
    for (const waitMs of [2_000, 5_000, 15_000]) {
      await environment.approve()
      const count = environment.receiver.received.length
      environment.clock.advance(waitMs - 1)
      await environment.approve()
      assert.equal(environment.receiver.received.length, count)
      environment.clock.advance(1)
    }
    environment.receiver.answer = (_, response) => response.end('ok')
    await environment.approve()
    assert.equal(environment.receiver.received.length, first + 4)
    assert.equal((await environment.finish(id)).status, 'confirmed')
  })

  it('that we cannot ask for is put off for an hour, then fails as one without an answer', async () => {
    const before = await balance()
    const { id } = await environment.submit()
    const away = { post: async () => ({ kind: 'deferred', cause: 'resolver' }) as const }
    for (const waitMs of [5_000, 3_595_000]) {
      await environment.approve(away)
      const { status, callbackFailures } = await environment.read(id)
      assert.deepEqual([status, callbackFailures], ['pending_callback', 0])
      environment.clock.advance(waitMs)
    }
    for (const waitMs of [2_000, 5_000, 15_000, 0]) {
      await environment.approve(away)
      environment.clock.advance(waitMs)
    }
    const { status, failureReason } = await environment.read(id)
    assert.deepEqual([status, failureReason], ['refunded', 'approval_failed'])
    assert.equal(await balance(), before)
  })

  it('is repeated under the same id after a crash, which is not counted as a failure', async () => {
    const { id } = await environment.submit()
    await environment.db.script(`update payouts.withdrawal set callback_attempts = 1, due_at = '${environment.clock.now().toISOString()}' where id = '${id}';
      insert into payouts.approval_attempt (withdrawal_id, number, started_at) values ('${id}', 1, now())`)
    const end = await environment.finish(id)
    assert.deepEqual([end.status, end.callbackAttempts, end.callbackFailures], ['confirmed', 2, 0])
  })

  it('of a URL that was replaced meanwhile pays nothing: the new one is asked at once, uncounted', async () => {
    const { receiver, db, merchantId } = environment
    const next = new URL('/next', receiver.url).href
    for (const status of [200, 500, 403]) {
      await environment.setCallback(receiver.url)
      const { id } = await environment.submit()
      const first = receiver.received.length
      receiver.answer = (received, response) => {
        if (received.path === '/next') answerWith(410)(received, response)
        else {
          void environment.setCallback(next).then(() => answerWith(status)(received, response))
        }
      }
      const end = await environment.finish(id)
      receiver.answer = (_, response) => response.end('ok')
      assert.deepEqual([end.status, end.failureReason], ['refunded', 'approval_rejected'])
      assert.equal(end.callbackFailures, 0)
      const results = (await listApprovalAttempts(db, id)).map(({ result }) => result)
      const paths = receiver.received.slice(first).map(({ path }) => path)
      const { isProven } = await findMerchantSettings(db, merchantId)
      if (status === 403) {
        assert.deepEqual([results, paths], [['answered 403'], ['/hook']])
        assert.equal(isProven, false, 'the new URL has not answered yet')
      } else {
        assert.deepEqual(results, [`answered ${status}`, 'answered 410'])
        assert.deepEqual(paths, ['/hook', '/next'])
        assert.equal(isProven, true)
      }
    }
    await environment.setCallback(receiver.url)
  })

  it('is not asked for without a usable URL', async () => {
    for (const url of [null, 'ftp://shop.example/hook']) {
      await environment.setCallback(url)
      assert.equal(await refusal(environment.submit()), 'CRYPTO_PAYOUT_NO_CALLBACK_URL')
    }
    await environment.setCallback(environment.receiver.url)
    const settings = await findMerchantSettings(environment.db, environment.merchantId)
    assert.equal(settings.isProven, false, 'another URL has not answered yet')
  })

  it('is written down before its POST', async () => {
    const { id } = await environment.submit()
    const seen: unknown[] = []
    environment.receiver.answer = (_, response) => {
      void listApprovalAttempts(environment.db, id).then((attempts) => {
        seen.push(...attempts)
        response.end('ok')
      })
    }
    await environment.approve()
    environment.receiver.answer = (_, response) => response.end('ok')
    assert.deepEqual(seen, [
      {
        ...{ number: 1, startedAt: environment.clock.now(), endedAt: null },
        ...{ result: null, sent: null, answer: null },
      },
    ])
    assert.equal((await environment.finish(id)).status, 'confirmed')
  })

  it('that comes after five seconds, or never ends, is none', async () => {
    const late = await environment.submit()
    const endless = await environment.submit()
    const timers: NodeJS.Timeout[] = []
    environment.receiver.answer = ({ body }, response) => {
      if (body.includes(late.id)) timers.push(setTimeout(() => response.end('ok'), 5_200))
      else {
        response.writeHead(200)
        timers.push(setInterval(() => response.write('.'), 100))
      }
    }
    await environment.approve()
    for (const timer of timers) clearTimeout(timer)
    environment.receiver.answer = (_, response) => response.end('ok')
    for (const { id } of [late, endless]) {
      const [attempt] = await listApprovalAttempts(environment.db, id)
      assert.equal(attempt?.result, 'no answer in time')
      const { status, callbackFailures } = await environment.read(id)
      assert.deepEqual([status, callbackFailures], ['pending_callback', 1])
    }
    environment.clock.advance(2_000)
    for (const { id } of [late, endless]) {
      assert.equal((await environment.finish(id)).status, 'confirmed')
    }
  })

  it('of a merchant that answers is asked for at once, however many others are silent', async (t) => {
    const sender = createWebhookSender({ isAllowedAddress: () => true })
    t.after(() => sender.close())
    // It has answered before, which the others, of one attacker, never did.
    await environment.finish((await environment.submit()).id)
    const { isProven } = await findMerchantSettings(environment.db, environment.merchantId)
    assert.equal(isProven, true)
    // Without a bound for all of them they hold every permit: the common ones by sixteen, the last ones by
    // one each.
    const counts = [...Array<number>(12).fill(16), ...Array<number>(64).fill(1)]
    const silent = await Promise.all(counts.map(() => environment.addMerchant()))
    const waiting = await Promise.all(
      silent.flatMap((merchantId, i) =>
        Array.from({ length: counts[i] ?? 0 }, () => environment.submit({ merchantId })),
      ),
    )
    environment.clock.advance(1)
    const answered = await environment.submit()
    const held: (() => void)[] = []
    environment.receiver.answer = (received, response) => {
      if (received.body.includes(answered.id)) response.end('ok')
      else held.push(() => answerWith(403)(received, response))
    }
    const approving = environment.approve({
      // On a machine that is slow, a deadline would end what the others hold.
      post: (request) => sender.post({ ...request, deadlineMs: 120_000 }),
    })
    await until(
      'it is approved',
      async () => (await environment.read(answered.id)).status === 'queued',
    )
    assert.ok(held.length > 0 && held.length <= 64, `the others hold ${held.length} permits`)
    environment.receiver.answer = answerWith(403)
    for (const refuse of held) refuse()
    await approving
    environment.receiver.answer = (_, response) => response.end('ok')
    const ended = await readWithdrawals(
      environment.db,
      waiting.map(({ id }) => id),
    )
    assert.deepEqual(new Set(ended.map(({ status }) => status)), new Set(['refunded']))
    assert.equal((await environment.finish(answered.id)).status, 'confirmed')
  })

  it('is claimed by the indexes alone: few of a slow merchant, none of a busy one, new ones by turns', async () => {
    const [slow = '', quick = '', busy = '', begun = '', fresh = ''] = await Promise.all(
      Array.from({ length: 5 }, () => environment.addMerchant()),
    )
    const proven = [slow, quick, busy]
    await environment.db.transaction((tx) => markProven(tx, proven, environment.clock.now()))
    const orders = [slow, slow, quick, quick, quick, busy, begun, fresh]
    const waiting = await Promise.all(
      orders.map((merchantId) => environment.submit({ merchantId })),
    )
    const capacity = {
      ...{
        limit: 16,
        perKey: 2,
        perUnhealthyKey: 1,
        slow: 16,
        unproven: 1,
        broadcasts: 0,
        perOwner: 32,
      },
      ...{ heldByOwner: { [begun]: 1 }, slowKeys: [slow], busyKeys: [busy] },
    }
    const at = environment.clock.now()
    const leaseUntil = new Date(at.getTime() + 20_000)
    await environment.db.transaction(async (tx) => {
      await useIndexesOnly(tx)
      const scans = await wholeScans(tx, 'payouts.withdrawal', async () => {
        const claimed = await claimApprovals(tx, { at, leaseUntil, capacity })
        const count = (id: string) => claimed.filter(({ ownerId }) => ownerId === id).length
        assert.deepEqual([slow, quick, busy, begun, fresh].map(count), [1, 2, 0, 0, 1])
      })
      assert.equal(scans, 0)
    })
    // The claims of a process that has died.
    environment.clock.advance(20_000)
    for (const { id } of waiting) {
      assert.equal((await environment.finish(id)).status, 'confirmed')
    }
  })

  it('is not asked for at an address inside, whatever name it has', async () => {
    const strict = createWebhookSender({
      isAllowedAddress: (address) => isAllowedAddress(address, { allowPrivate: false }),
    })
    const posts = environment.receiver.received.length
    for (const url of [
      environment.receiver.url,
      environment.receiver.url.replace('127.0.0.1', 'localhost'),
    ]) {
      await environment.setCallback(url)
      const { id } = await environment.submit()
      await environment.approve(strict)
      const [attempt] = await listApprovalAttempts(environment.db, id)
      assert.equal(attempt?.result, 'failed: address not allowed', url)
      environment.clock.advance(15_000)
      await environment.setCallback(environment.receiver.url)
      assert.equal((await environment.finish(id)).status, 'confirmed')
    }
    assert.equal(environment.receiver.received.length, posts + 2)
    await strict.close()
  })

  it('is kept as it was sent and answered, 16 KiB of it, for 30 days', async () => {
    const { posts, now } = await answers(403)
    const read = async () => (await listApprovalAttempts(environment.db, now.id))[0]
    assert.equal((await read())?.sent, posts[0]?.body)
    const { id } = await environment.submit()
    environment.receiver.answer = answerWith(200, {}, `\0${'x'.repeat(100_000)}`)
    await environment.approve()
    environment.receiver.answer = (_, response) => response.end('ok')
    const [attempt] = await listApprovalAttempts(environment.db, id)
    assert.equal(attempt?.answer, `\0${'x'.repeat(16 * 1024 - 1)}`)
    assert.equal((await environment.finish(id)).status, 'confirmed')
    const startedAt = (await read())?.startedAt ?? new Date(0)
    await forgetApprovalBodies(environment.db, startedAt)
    assert.notEqual((await read())?.sent, null)
    await forgetApprovalBodies(environment.db, new Date(startedAt.getTime() + 1))
    assert.deepEqual([(await read())?.sent, (await read())?.result], [null, 'answered 403'])
  })
})

describe('a list of destinations', () => {
  it('allows those on it alone, each after a day, and a removed one no longer', async () => {
    const destination = newDestination()
    const inTx = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => environment.db.transaction(work)
    const { merchantId, clock } = environment
    const tried = () => refusal(environment.submit({ destination }))
    const key = 'CRYPTO_PAYOUT_DESTINATION_INVALID'
    const at = clock.now()
    await inTx((tx) => setOnlyKnownDestinations(tx, merchantId, { on: true, at }))
    assert.equal(await tried(), key)
    assert.equal(await reasonOf(environment.submit({ destination })), 'not_listed')
    await inTx((tx) => addDestination(tx, merchantId, { address: destination, at }))
    clock.advance(24 * 3_600_000 - 1)
    assert.equal(await tried(), key)
    clock.advance(1)
    const checksummed = getAddress(destination)
    const one = await environment.submit({ destination: checksummed })
    await inTx((tx) => removeDestination(tx, merchantId, destination))
    assert.equal(await tried(), key)
    await inTx((tx) => setOnlyKnownDestinations(tx, merchantId, { on: false, at: clock.now() }))
    for (const { id } of [one, await environment.submit({ destination })]) {
      assert.equal((await environment.finish(id)).status, 'confirmed')
    }
  })
})
