// The signer as a program of its own: payouts sign over its socket while it refuses, is killed, hangs, or
// comes back with another policy or another seed. Nothing is lost, paid twice, or signed beyond its limits.
import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { after, before, beforeEach, describe, it } from 'node:test'
import { encodeFunctionData, erc20Abi, recoverTransactionAddress } from 'viem'
import { setSignEntropy } from 'viem/accounts'
import { createSocketSigner } from '../../apps/server/src/adapters/signer/index.ts'
import { sql } from '../../apps/server/src/infra/database/db.ts'
import { cents } from '../../apps/server/src/kernel/money.ts'
import { auditOutbound, listWallets } from '../../apps/server/src/modules/crypto/outbound/index.ts'
import {
  auditPayouts,
  refuseWithdrawal,
} from '../../apps/server/src/modules/crypto/payouts/index.ts'
import { auditCustody } from '../../apps/server/src/modules/money/custody/index.ts'
import { Crash, createSteps } from '../chains/payouts/crash.ts'
import {
  MNEMONIC,
  newDestination,
  type PayoutEnvironment,
  payoutEnvironment,
  TREASURY,
} from '../chains/payouts/environment.ts'
import { signerProgram } from '../support/signer.ts'

const OTHER_SEED = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
const HANGING_DEADLINE_MS = 500
const USDC = 1_000_000n

const program = signerProgram()
const signer = createSocketSigner({ socketPath: program.socketPath })
// For a program that hangs, and for no other: a slow disk makes a program that is well slower than this.
const impatient = createSocketSigner({
  socketPath: program.socketPath,
  deadlineMs: HANGING_DEADLINE_MS,
})

let environment: PayoutEnvironment
let usdc: `0x${string}`

before(async () => {
  environment = await payoutEnvironment()
  await environment.fund('USDC', 10n ** 13n)
  usdc = (await environment.networks.find('ethereum', 'USDC'))?.address ?? '0x'
  program.write({ seed: MNEMONIC, policy: policy() })
  await program.start()
})
beforeEach(() => {
  environment.alarms.length = 0
})
after(async () => {
  await program.close()
  for (const audit of [auditCustody, auditOutbound, auditPayouts]) {
    assert.deepEqual(await audit(environment.db), [])
  }
  await environment.close()
})

/** 100 USDC a payment, 1,000 a day. */
function policy(change: { destinations?: string[] } = {}): object {
  const fees = { maxPerTransaction: `${10n ** 17n}`, maxPerDay: `${10n ** 19n}` }
  const limits = { maxPerTransaction: `${100n * USDC}`, maxPerDay: `${1_000n * USDC}` }
  const ethereum = {
    ...{ chainId: 1, treasury: TREASURY, fees, gasFunding: fees },
    tokens: { USDC: { address: usdc, ...limits } },
    ...change,
  }
  return { chains: { ethereum } }
}

async function restart(files: Parameters<typeof program.write>[0] = {}): Promise<void> {
  await program.kill()
  program.write(files)
  await program.start()
}

async function send(by = signer): Promise<void> {
  environment.clock.advance(2_001)
  while (await environment.send({ signer: by }));
}

async function approved(change: Parameters<PayoutEnvironment['submit']>[0] = {}) {
  const destination = newDestination()
  const { id, units } = await environment.submit({ destination, ...change })
  await environment.approve()
  return { id, units, destination }
}

/** Sent with the program's signature, mined and confirmed. */
async function paid({ id, units, destination }: Awaited<ReturnType<typeof approved>>) {
  await send()
  await environment.chain.mine(3)
  await environment.track({ signer })
  assert.equal((await environment.read(id)).status, 'confirmed')
  assert.equal(await environment.node.balanceOf(destination, usdc), units)
}

const alarms = () => environment.alarms.map(({ alarm }) => alarm)
const ruleOf = () => environment.alarms.map(({ details }) => details.rule)

/** Beyond the nonces of the wallet: signed, and never sent. */
const request = (
  nonce: number,
  change: { units?: bigint; to?: `0x${string}`; recipient?: `0x${string}`; data?: `0x${string}` },
  chainId = 1,
) => {
  const { units = USDC, to = usdc, recipient = newDestination() } = change
  const args = [recipient, units] as const
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args })
  const fees = { maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 1n }
  const call = { to, value: 0n, data: change.data ?? data }
  return {
    ...({ key: 'hot', depositIndex: null } as const),
    transaction: { ...{ chainId, nonce, gas: 60_000n }, ...fees, ...call },
  }
}

async function answerTo(of: ReturnType<typeof request>): Promise<string> {
  const answer = await signer.sign(of)
  return answer.kind === 'refused' ? answer.rule : answer.kind
}

describe('the signer program', () => {
  it('signs payouts over a socket that its owner alone may use', async () => {
    assert.equal(statSync(program.socketPath).mode & 0o777, 0o600)
    await paid(await approved())
    const [one, again] = [await signer.sign(request(900, {})), await signer.sign(request(900, {}))]
    assert.ok(one.kind === 'signed' && again.kind === 'signed')
    assert.equal(one.from, environment.hot)
    const raw = one.raw as Parameters<typeof recoverTransactionAddress>[0]['serializedTransaction']
    assert.equal(await recoverTransactionAddress({ serializedTransaction: raw }), environment.hot)
  })

  it('refuses what its policy does not allow, whatever the service asks', async () => {
    const approve = { abi: erc20Abi, functionName: 'approve', args: [environment.hot, 1n] } as const
    const usdt = (await environment.networks.find('ethereum', 'USDT'))?.address ?? '0x'
    const over = 100n * USDC + 1n
    const answers = [
      await answerTo(request(901, {}, 8453)),
      await answerTo(request(901, { to: usdt })),
      await answerTo(request(901, { data: encodeFunctionData(approve) })),
      await answerTo(request(901, { units: over })),
      await answerTo(request(901, { units: 0n })),
    ]
    assert.deepEqual(answers, [
      'CHAIN_NOT_ALLOWED',
      'TOKEN_NOT_ALLOWED',
      'CALL_NOT_ALLOWED',
      'AMOUNT_OVER_TRANSACTION_LIMIT',
      'AMOUNT_ZERO',
    ])
  })

  it('that refuses a payment leaves it queued without a nonce, for an operator', async () => {
    const next = (await listWallets(environment.db))[0]?.nextNonce
    const { id } = await approved({ amountCents: cents(10_001n) })
    await send()
    assert.deepEqual(ruleOf(), ['AMOUNT_OVER_TRANSACTION_LIMIT'])
    assert.equal((await listWallets(environment.db))[0]?.nextNonce, next)
    const answer = await environment.db.transaction((tx) =>
      refuseWithdrawal(tx, id, environment.clock.now()),
    )
    assert.equal(answer, 'refunded')
    await paid(await approved())
  })

  it('that refuses one of several signs the others, without a hole in the nonces', async () => {
    const next = (await listWallets(environment.db))[0]?.nextNonce ?? 0
    const amounts = [2_500n, 10_001n, 2_500n].map(cents)
    const all = await Promise.all(amounts.map((amountCents) => environment.submit({ amountCents })))
    await environment.approve()
    await send()
    assert.deepEqual(ruleOf(), ['AMOUNT_OVER_TRANSACTION_LIMIT'])
    const states = await Promise.all(all.map(async ({ id }) => (await environment.read(id)).status))
    assert.deepEqual(states, ['broadcast', 'queued', 'broadcast'])
    assert.equal((await listWallets(environment.db))[0]?.nextNonce, next + 2)
    await environment.chain.mine(3)
    await environment.track({ signer })
    const refused = all[1]?.id ?? ''
    const at = environment.clock.now()
    const answer = await environment.db.transaction((tx) => refuseWithdrawal(tx, refused, at))
    assert.equal(answer, 'refunded')
  })

  it('that is killed with payments under way is asked again after its start', async () => {
    const waiting = [await approved(), await approved(), await approved()]
    await program.kill()
    await send()
    assert.deepEqual([...new Set(alarms())], ['outbound_signer_unavailable'])
    for (const { id } of waiting) assert.equal((await environment.read(id)).status, 'queued')
    await program.start()
    for (const one of waiting) await paid(one)
  })

  it('that hangs delays payments, and signs each once when it goes on', async () => {
    const waiting = [await approved(), await approved()]
    program.signal('SIGSTOP')
    await send(impatient)
    await send(impatient)
    assert.deepEqual([...new Set(alarms())], ['outbound_signer_unavailable'])
    for (const { id } of waiting) assert.equal((await environment.read(id)).status, 'queued')
    program.signal('SIGCONT')
    for (const one of waiting) await paid(one)
  })

  it('that refuses after a lost answer has the nonce filled, and the payment is refunded', async () => {
    const { id, destination } = await approved()
    program.signal('SIGSTOP')
    await send(impatient)
    await restart({ policy: policy({ destinations: [newDestination()] }) })
    await send()
    assert.ok(ruleOf().includes('DESTINATION_NOT_ALLOWED'))
    await environment.chain.mine(3)
    await environment.track({ signer })
    const end = await environment.read(id)
    assert.deepEqual([end.status, end.failureReason], ['refunded', 'transaction_replaced'])
    assert.equal(await environment.node.balanceOf(destination, usdc), 0n)
  })

  it('with another seed signs nothing that is sent', async () => {
    const waiting = await approved()
    await restart({ seed: OTHER_SEED, policy: policy() })
    await send()
    assert.equal((await environment.read(waiting.id)).status, 'queued')
    assert.match(String(environment.alarms[0]?.details.detail), /the signer has the key of/)
    await restart({ seed: MNEMONIC })
    await paid(waiting)
  })

  it('keeps the limit of a day over kill -9', async () => {
    let nonce = 1_000
    const sign = (units: bigint) => answerTo(request(nonce++, { units }))
    let answer = await sign(100n * USDC)
    while (answer === 'signed') answer = await sign(100n * USDC)
    assert.equal(answer, 'AMOUNT_OVER_DAILY_LIMIT')
    while ((await sign(USDC)) === 'signed');
    await restart()
    assert.equal(await sign(USDC), 'AMOUNT_OVER_DAILY_LIMIT')
  })
})

describe('a signer whose signatures differ from call to call', () => {
  // Until the end of this process.
  before(() => setSignEntropy(true))

  it('pays once when two processes sign at once, and the later one goes on', async () => {
    const one = await approved()
    const sign: typeof environment.signer.sign = async (request) => {
      const answer = await environment.signer.sign(request)
      // The other one takes the payment over in this moment, signs it and sends it.
      while (await environment.send());
      return answer
    }
    while (await environment.send({ signer: { ...environment.signer, sign } }));
    const hashes = await environment.db.query<{ hash: string }>(
      sql(
        'test.attempts',
        `select a.hash from outbound.attempt a join outbound.transaction t on t.id = a.transaction_id
         where t.ref_id = $1`,
      ),
      [one.id],
    )
    const { txHash } = await environment.read(one.id)
    assert.deepEqual(hashes, [{ hash: txHash }])
    assert.equal((await environment.finish(one.id)).status, 'confirmed')
    assert.equal(await environment.node.balanceOf(one.destination, usdc), one.units)
  })

  it('pays once when the process dies right before or after the signature', async () => {
    for (const crashAt of [1, 2]) {
      const one = await approved()
      const { signer: broken } = createSteps(environment, crashAt)
      await assert.rejects(environment.send({ signer: broken }), Crash)
      environment.clock.advance(2_001)
      assert.equal((await environment.finish(one.id)).status, 'confirmed')
      assert.equal(await environment.node.balanceOf(one.destination, usdc), one.units)
    }
  })
})
