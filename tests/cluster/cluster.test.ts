// Three api processes and a worker on one database and one Valkey, behind a balancer: limits hold over all of
// them, and an api process that dies takes nothing with it. Kills of workers are in tests/endurance.
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
import { aBuyer, buyRaw, stock } from '../support/trading.ts'
import { until } from '../support/until.ts'

const BUYS = 30
const BURSTS = 4
/** Of a merchant of the tier premium, in a minute. */
const PREMIUM_BUDGET = 180

describe('three api processes and a worker behind a balancer', { skip: noValkey }, () => {
  let database: TestDatabase
  let cluster: Cluster
  before(async () => {
    database = await testDatabase({ poolSize: 2 })
    cluster = await startCluster({ database, workers: 1 })
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
    // Until one is counted in the Valkey: without an answer within 100 ms a process counts it alone.
    for (let i = 0; i < 3; i++) {
      const used = async (): Promise<number> =>
        (await cluster.at((i + 1) % 3).get('getMerchantLimits')).budget.used
      const usedBefore = await used()
      await until(`process ${(i + 1) % 3} sees a request at ${i}`, async () => {
        await cluster.at(i).get('getWallet')
        return (await used()) > usedBefore
      })
    }
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

  /**
   * 120 requests within one fresh minute, some at a time. A process that gets no answer from the Valkey
   * within 100 ms counts alone, as it should; on a machine that is that busy the burst is sent once more.
   */
  async function burst(): Promise<{ answers: Answer<unknown>[]; alone: (number | null)[] }> {
    for (let attempt = 1; ; attempt++) {
      // What the processes before have counted is of the same minute and the same merchant.
      await cluster.valkey.kill()
      await cluster.valkey.start()
      await cluster.restartApis({ RATE_LIMIT_SCALE: '1' })
      const answers: Answer<unknown>[] = []
      while (answers.length < 120) {
        const some = Array.from({ length: 12 }, (_, i) => cluster.at(i % 3).call('getMerchantFees'))
        answers.push(...(await Promise.all(some)))
      }
      const alone = await Promise.all(
        cluster.apis.map((api) => metricOf(api, 'tradepost_rate_limit_alone_total')),
      )
      if (attempt === BURSTS || alone.every((count) => count === 0)) return { answers, alone }
    }
  }

  it('count requests together to the last one, whichever process they reach', async () => {
    await cluster.ops('tier:set', 'standard')
    const { answers, alone } = await burst()
    assert.deepEqual(alone, [0, 0, 0], 'every request was counted in the Valkey')
    assert.equal(answers.filter(({ status }) => status === 200).length, 60)
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
        (await cluster.at(i).get('getMerchantLimits')).budget.limit === PREMIUM_BUDGET
      await until(`process ${i} knows it`, holds)
      assert.equal((await cluster.at(i).call('getMerchantFees')).status, 200)
    }
  })

  it('go on while the Valkey hangs, each within its share, and together again when it is back', async () => {
    assert.deepEqual(await usable(), [1, 1, 1])
    cluster.valkey.freeze()
    await until('the loss is seen', async () => (await usable()).every((value) => value === 0))
    // What the minute has left by what each has seen last, of which a third is for each; what falls out of
    // the minute meanwhile is left again. Without shares all 360 would be admitted.
    const answers = await Promise.all(
      Array.from({ length: 360 }, (_, i) => cluster.at(i % 3).call('getMerchantFees')),
    )
    const admitted = answers.filter(({ status }) => status === 200).length
    assert.ok(admitted > 0 && admitted <= PREMIUM_BUDGET, `${admitted} of ${PREMIUM_BUDGET}`)
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
