// Three api and two worker processes on one database and one Valkey, behind a balancer: limits hold over
// all of them, and a process that dies takes nothing with it.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { BuyResponse } from '@tradepost/contract'
import { type TestDatabase, testDatabase } from '../../apps/server/src/infra/testing/database.ts'
import { noValkey } from '../../apps/server/src/infra/testing/valkey-server.ts'
import type { Answer } from '../support/client.ts'
import { type Cluster, startCluster } from '../support/cluster.ts'
import { MARKETS } from '../support/sandbox.ts'
import { metricOf } from '../support/server.ts'
import { auditBooks, untilStocked } from '../support/stack.ts'
import { aBuyer, buyRaw, stock, untilEnded } from '../support/trading.ts'
import { until } from '../support/until.ts'

const BUYS = 30

describe('three api and two worker processes behind a balancer', { skip: noValkey }, () => {
  let database: TestDatabase
  let cluster: Cluster
  before(async () => {
    database = await testDatabase({ poolSize: 2 })
    cluster = await startCluster({ database })
  })
  after(async () => {
    await cluster?.close()
    try {
      await auditBooks(database)
    } finally {
      await database.close()
    }
  })

  const usable = (): Promise<(number | null)[]> =>
    Promise.all(cluster.apis.map((api) => metricOf(api, 'tradepost_rate_limit_store_usable')))

  it('show every process’s requests to every other', async () => {
    const seen = []
    for (let i = 0; i < 3; i++) {
      await cluster.at(i).get('getWallet')
      seen.push((await cluster.at((i + 1) % 3).get('getMerchantLimits')).budget.used)
    }
    assert.deepEqual(seen, [1, 2, 3])
  })

  it('kill an api in the middle of buys: each is accepted once, and every answer is found again', async () => {
    const { merchant, sandbox } = cluster
    await untilStocked(merchant, sandbox.control)
    const behalf = await aBuyer(merchant, 'cluster', '3000.00')
    const supply = await stock(sandbox.control, MARKETS[1])
    let lost = 0
    let answered = 0
    /** As a merchant does it: the same request again until there is an answer. */
    const buy = async (i: number): Promise<{ raw: string; answer: Answer<BuyResponse> }> => {
      let raw = `${MARKETS[1]}:${supply.take().id}`
      for (;;) {
        try {
          const answer = await buyRaw(merchant, { raw: [raw], behalf, externalId: `cluster-${i}` })
          if (++answered === 10) cluster.apis[0]?.signal('SIGKILL')
          // Nothing came of it, and a few listings are not for sale: the next one.
          if (answer.error?.key === 'LISTING_NOT_FOUND') raw = `${MARKETS[1]}:${supply.take().id}`
          else if (answer.status < 500) return { raw, answer }
        } catch {
          lost++
          assert.ok(lost < 1000, 'the balancer finds the processes that are left')
        }
      }
    }
    const bought = await Promise.all(Array.from({ length: BUYS }, (_, i) => buy(i)))
    await cluster.apis[0]?.exited
    for (const [i, { raw, answer }] of bought.entries()) {
      assert.equal(answer.error, null)
      const again = { raw: [raw], behalf, externalId: `cluster-${i}` }
      assert.deepEqual((await buyRaw(cluster.at(1 + (i % 2)), again)).data, answer.data)
    }
    assert.equal(new Set(bought.map(({ answer }) => answer.data?.id)).size, BUYS)
    const { trades } = await cluster.at(1).get('listMerchantTrades', { query: { limit: 100 } })
    assert.equal(trades.length, BUYS)
  })

  it('kill a worker in the middle of placing: every trade ends all the same', async () => {
    cluster.workers[0]?.signal('SIGKILL')
    const { trades } = await cluster.at(1).get('listMerchantTrades', { query: { limit: 100 } })
    for (const { id } of trades) await untilEnded(cluster.at(1), id, 90_000)
    const offers = await cluster.sandbox.control.offers()
    const ordered = offers.map(({ customId }) => customId)
    assert.equal(new Set(ordered).size, ordered.length, 'no item is ordered twice')
  })

  it('count requests together to the last one, whichever process they reach', async () => {
    await cluster.ops('tier:set', 'standard')
    // What the processes before have counted is of the same minute and the same merchant.
    await cluster.valkey.kill()
    await cluster.valkey.start()
    await cluster.restartApis({ RATE_LIMIT_SCALE: '1' })
    const answers = await Promise.all(
      Array.from({ length: 120 }, (_, i) => cluster.at(i % 3).call('getMerchantFees')),
    )
    const admitted = answers.filter(({ status }) => status === 200)
    const alone = await Promise.all(
      cluster.apis.map((api) => metricOf(api, 'tradepost_rate_limit_alone_total')),
    )
    assert.deepEqual([admitted.length, alone], [60, [0, 0, 0]])
    const refused = answers.find(({ status }) => status === 429)
    assert.equal(refused?.error?.meta?.scope, 'budget')
    const wait = Number(refused?.headers.get('retry-after'))
    assert.ok(wait >= 1 && wait <= 60, `${wait}`)
    for (let i = 0; i < 3; i++) {
      const { budget: seen, tier } = await cluster.at(i).get('getMerchantLimits')
      assert.deepEqual([tier, seen.used, seen.remaining], ['standard', 60, 0])
    }
  })

  it('a new tier holds from the next request on, in every process', async () => {
    await cluster.ops('tier:set', 'premium')
    for (let i = 0; i < 3; i++) {
      const holds = async (): Promise<boolean> =>
        (await cluster.at(i).get('getMerchantLimits')).budget.limit === 180
      await until(`process ${i} knows it`, holds)
      assert.equal((await cluster.at(i).call('getMerchantFees')).status, 200)
    }
  })

  it('go on while the Valkey hangs, each within its share, and together again when it is back', async () => {
    assert.deepEqual(await usable(), [1, 1, 1])
    cluster.valkey.freeze()
    await until('the loss is seen', async () => (await usable()).every((value) => value === 0))
    // Used are 63 of 180 by what each has seen last, and a third of the rest is 39 for each.
    const answers = await Promise.all(
      Array.from({ length: 360 }, (_, i) => cluster.at(i % 3).call('getMerchantFees')),
    )
    const admitted = answers.filter(({ status }) => status === 200).length
    assert.ok(admitted > 0 && admitted <= 120, `${admitted} of the 117 that are left`)
    assert.ok(answers.every(({ status }) => status === 200 || status === 429))
    for (const { baseUrl } of cluster.apis) {
      assert.equal((await fetch(`${baseUrl}/readyz`)).status, 200, 'it is ready without')
    }
    const alone = await metricOf(
      cluster.apis[0] ?? { metricsUrl: '' },
      'tradepost_rate_limit_alone_total',
    )
    assert.ok((alone ?? 0) >= 120)
    cluster.valkey.thaw()
    await until('they count together again', async () =>
      (await usable()).every((value) => value === 1),
    )
  })
})
