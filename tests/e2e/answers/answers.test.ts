// The answers that the reference shows are answers of the service, to a call of each operation on the
// sandbox. `npm run answers` keeps those of a run. Without it, each answer is held against the contract, and
// so is what the reference shows.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { answerExamples, merchantRoutes, partnerRoutes, type RouteBase } from '@tradepost/contract'
import { testDatabase } from '../../../apps/server/src/infra/testing/database.ts'
import { newId } from '../../../apps/server/src/kernel/id.ts'
import { type Client, createPartnerClient, successOf } from '../../support/client.ts'
import { someListing } from '../../support/partner.ts'
import { type Stack, startStack } from '../../support/stack.ts'
import { until } from '../../support/until.ts'
import {
  HOW_TO_INSTALL,
  isNewmanInstalled,
  type Outcome,
  type Run,
  runBruno,
  runPostman,
} from './collections.ts'
import { callMerchant, USER } from './merchant.ts'
import { callPartner } from './partner.ts'
import { createRecorder, type Recorder } from './recorder.ts'

const FOLDER = join(import.meta.dirname, '../../../packages/contract/src/answers')
const IS_KEPT = process.env.KEEP_ANSWERS === '1'

let stack: Stack
/** The last answers of the merchant interface, by operation. */
let merchant: Answers = {}
before(async () => {
  stack = await startStack(await testDatabase({ poolSize: 2 }), {
    ...{ SANDBOX_CHAINS: 'ethereum', RATE_LIMIT_SCALE: '20', HOLD_SECONDS: '2' },
  })
})
after(() => stack.close())

const originsOf = ({ demo }: Stack): Readonly<Record<string, string>> => ({
  [demo.sandboxUrl]: 'https://pay.example.com',
  [demo.baseUrl]: 'https://tradepost.example.com',
})

type Routes = Readonly<Record<string, RouteBase>>
type Answers = ReturnType<Recorder<Client>['answers']>

function keepOrCheck(name: 'merchant' | 'partner', routes: Routes, answers: object): void {
  assert.deepEqual(Object.keys(answers), Object.keys(routes).sort(), 'every operation has answered')
  if (IS_KEPT) {
    writeFileSync(join(FOLDER, `${name}.json`), `${JSON.stringify(answers, null, 2)}\n`)
    return
  }
  for (const [id, route] of Object.entries(routes)) {
    const shown = { requestId: newId(), success: true, data: answerExamples[name][id] }
    assert.ok(successOf(route)(shown), `${name} ${id}: the reference shows another shape`)
  }
}

describe('the reference shows an answer of every operation', () => {
  it('of the merchant interface', async () => {
    const recorder = createRecorder(stack.merchant, originsOf(stack))
    await callMerchant(stack, recorder.get)
    merchant = recorder.answers()
    keepOrCheck('merchant', merchantRoutes, merchant)
  })

  it('of the partner interface', async () => {
    const { baseUrl, partner } = stack.demo
    const own = createRecorder(
      createPartnerClient({ baseUrl, apiKey: partner.apiKey }),
      originsOf(stack),
    )
    const client = createPartnerClient({ baseUrl, apiKey: partner.childApiKey })
    const child = createRecorder(client, originsOf(stack))
    await callPartner({ partner: own.get, child: child.get, client })
    const answers = { ...own.answers(), ...child.answers() }
    const sorted = Object.entries(answers).sort(([one], [other]) => (one < other ? -1 : 1))
    keepOrCheck('partner', partnerRoutes, Object.fromEntries(sorted))
  })
})

describe('a collection of the documentation, run on what the calls above have made', () => {
  const idOf = (operation: string): string =>
    String((merchant[operation] as { id?: unknown } | undefined)?.id)

  /** With a listing that its purchase takes, and an id of its own for it. */
  const ofMerchant = async (externalId: string): Promise<Run> => {
    const { items } = await stack.merchant.get('listMarketListings', {
      behalf: USER,
      query: { minPrice: '1.00', maxPrice: '12.50', limit: 1 },
    })
    return {
      ...{ baseUrl: stack.demo.baseUrl, name: 'merchant', externalId },
      changes: ['Buy listings'],
      variables: {
        ...{ apiKey: stack.demo.merchant.apiKey, userId: USER, tradeItemId: `${externalId}-a` },
        ...{ itemId: idOf('getItem'), listingId: items[0]?.id ?? '' },
        ...{ tradeId: idOf('getTransaction') },
        ...{ eventId: idOf('getMerchantEvent') },
        ...{ orderId: idOf('getMarketOrder'), depositId: idOf('getDeposit') },
        ...{ batchId: idOf('getPayoutBatch') },
        ...{ withdrawalId: idOf('getWithdrawal') },
      },
    }
  }

  /** With a listing of the market that its examples name. */
  const ofPartner = async (): Promise<Run> => {
    const { baseUrl, partner } = stack.demo
    const client = createPartnerClient({ baseUrl, apiKey: partner.apiKey })
    const listing = await until('a listing of market A is for sale', async () => {
      const one = await someListing(client)
      return one.market === 'market_a' && one
    })
    return {
      ...{ baseUrl, name: 'partner' },
      variables: { apiKey: partner.apiKey, itemId: listing.itemId, listingId: listing.id },
    }
  }

  /** Every read is in it, under its name in the reference, and answers; so does each change. */
  const assertAnswered = (outcome: Outcome, routes: Routes, changes: readonly string[]): void => {
    const reads = Object.values(routes).filter(({ method }) => method === 'GET')
    const names = [...reads.map(({ summary }) => summary), ...changes]
    assert.deepEqual(outcome.map(([name]) => name).sort(), names.sort())
    assert.deepEqual(
      outcome.filter(([, status]) => status !== 200 && status !== 201),
      [],
    )
  }

  const skip = !isNewmanInstalled && HOW_TO_INSTALL
  it('answers every read, and a purchase of a merchant, in Postman', { skip }, async () => {
    const run = await ofMerchant('order-of-postman')
    assertAnswered(await runPostman(run), merchantRoutes, run.changes ?? [])
    assertAnswered(await runPostman(await ofPartner()), partnerRoutes, [])
  })

  it('answers every read, and a purchase of a merchant, as Bruno reads it', async () => {
    const run = await ofMerchant('order-of-bruno')
    assertAnswered(await runBruno(run), merchantRoutes, run.changes ?? [])
    assertAnswered(await runBruno(await ofPartner()), partnerRoutes, [])
  })
})
