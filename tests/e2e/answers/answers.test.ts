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
import { createPartnerClient, successOf } from '../../support/client.ts'
import { type Stack, startStack } from '../../support/stack.ts'
import { callMerchant } from './merchant.ts'
import { callPartner } from './partner.ts'
import { createRecorder } from './recorder.ts'

const FOLDER = join(import.meta.dirname, '../../../packages/contract/src/answers')
const IS_KEPT = process.env.KEEP_ANSWERS === '1'

let stack: Stack
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
    keepOrCheck('merchant', merchantRoutes, recorder.answers())
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
