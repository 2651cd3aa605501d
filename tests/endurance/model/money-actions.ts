// What can happen to money in and out, one step of a history each: to deposits and withdrawals, to the
// processes that follow them, to the blocks and to the fees of the chain, and to the key of the hot wallet.

import { assertDefined } from '../../../apps/server/src/kernel/assert.ts'
import { newId } from '../../../apps/server/src/kernel/id.ts'
import { cents } from '../../../apps/server/src/kernel/money.ts'
import { refuseWithdrawal } from '../../../apps/server/src/modules/crypto/payouts/index.ts'
import { newDestination } from '../../chains/payouts/environment.ts'
import { CONFIRMATIONS, type Money, mayCrash, TOKENS } from './money-environment.ts'

/** A whole number from 0 up to, and without, `most`. */
export type Below = (most: number) => number

interface Actions {
  /** One of what happens all the time. */
  step(below: Below): Promise<unknown>
  /** Each is a part of every history. */
  readonly rare: readonly ((below: Below) => Promise<unknown>)[]
  /** A withdrawal of USDC. */
  pay(): Promise<unknown>
}

export async function createActions(money: Money): Promise<Actions> {
  const { environment, chain, clock, watch, addresses, custody } = money
  const withdraw = createWithdrawing(money)
  const usual = (below: Below): readonly (() => Promise<unknown>)[] => {
    const token = TOKENS[below(TOKENS.length)] ?? 'USDT'
    const units = token === 'NATIVE' ? 10n ** 16n : 20_000_000n
    const amount = units + BigInt(below(1_000_000)) * (units / 1_000_000n)
    const to = addresses[below(addresses.length)] ?? custody
    return [
      () => chain.pay(to, token, amount),
      () => chain.pay(custody, token, amount),
      () => chain.pay(environment.hot, token, amount),
      () => withdraw(token),
      () => withdraw(token),
      () => environment.approve(),
      () => mayCrash(money.send(1 + below(30))),
      () => Promise.all([money.send(), money.send()]),
      () => mayCrash(money.track(1 + below(25))),
      () => money.track(),
      () => chain.mine(1 + below(2)),
      () => chain.mine(1),
      () => reorganise(money, below),
      () => mayCrash(money.scan(1 + below(40))),
      () => Promise.all([watch.scan(), watch.scan()]),
      () => mayCrash(money.confirm(1 + below(40))),
      () => Promise.all([money.confirm(0), money.confirm(0)]),
      () => money.sweep(),
      async () => clock.advance(below(30_000)),
    ]
  }
  const code = await chain.rpc<string>('eth_getCode', [
    await chain.deploy('RejectingReceiver'),
    'latest',
  ])
  return {
    step: async (below) => {
      const actions = usual(below)
      await actions[below(actions.length)]?.()
    },
    pay: () => withdraw('USDC'),
    rare: [
      () => withdraw('USDC', { isRejected: true }),
      () => unanswered(money, withdraw),
      (below) => refuse(money, below),
      () => spike(money, withdraw),
      () => money.sendInVain(),
      () => turnAway(money, withdraw, code),
      () => useNonce(money, withdraw),
    ],
  }
}

type Withdraw = (token: string, how?: { readonly isRejected?: boolean }) => Promise<string>

/**
 * To an address of its own; the merchant's backend rejects those that it is to reject. Returns the address.
 */
function createWithdrawing({ environment, asked }: Money): Withdraw {
  const rejected = new Set<string>()
  environment.receiver.answer = ({ body }, response) => {
    const { data } = JSON.parse(body) as { data: { withdrawal: { id: string } } }
    response.writeHead(rejected.has(data.withdrawal.id) ? 403 : 200).end()
  }
  return async (token, { isRejected = false } = {}) => {
    const externalId = newId()
    const destination = newDestination()
    const amountCents = cents(BigInt(500 + (asked.length % 7) * 300))
    const { id } = await environment.submit({ externalId, destination, token, amountCents })
    if (isRejected) rejected.add(id)
    asked.push({ externalId, destination, id, isRejected })
    return destination
  }
}

/** An approval without an answer: it is asked for again. */
async function unanswered({ environment }: Money, withdraw: Withdraw): Promise<void> {
  await withdraw('USDT')
  await environment.approve({ post: async () => ({ kind: 'timeout' }) })
}

/** An operator refuses one: refunded now, or its nonce is filled, or it is too late. */
async function refuse({ db, clock, asked }: Money, below: Below): Promise<void> {
  const id = asked.at(-1 - below(Math.min(asked.length, 4)))?.id
  if (id !== null && id !== undefined)
    await db.transaction((tx) => refuseWithdrawal(tx, id, clock.now()))
}

/** Far above twice the base fee of a chain at rest, which is what a payment offers. */
const SPIKE_WEI = 40n * 10n ** 9n

/** What waits is below the base fee from now on: the node drops it, and refuses its bytes. */
async function spike({ environment, chain, send }: Money, withdraw: Withdraw): Promise<void> {
  await withdraw('USDT')
  await environment.approve()
  await send()
  await chain.setNextBaseFee(SPIKE_WEI)
  await chain.mine(1)
}

/** The destination becomes a contract that refuses payments, after the payment was tried and sent. */
async function turnAway(
  { environment, chain, send }: Money,
  withdraw: Withdraw,
  code: string,
): Promise<void> {
  const destination = await withdraw('NATIVE')
  await environment.approve()
  await send()
  await chain.rpc('anvil_setCode', [destination, code])
}

/**
 * The key of the hot wallet is used elsewhere, for good: what waits in the pool is gone, and the nonce of
 * the first payment with it. What it cost is booked in the end, as an operator does.
 */
async function useNonce(money: Money, withdraw: Withdraw): Promise<void> {
  const { environment, chain, node, foreign } = money
  const { hot } = environment
  await chain.rpc('anvil_dropAllTransactions')
  const nonce = await node.nonceOf(hot)
  await chain.impersonate(hot)
  const hash = await chain.send({ from: hot, to: newDestination(), value: 0n })
  await chain.rpc('anvil_stopImpersonatingAccount', [hot])
  await chain.mine(CONFIRMATIONS)
  const { feePaid } = assertDefined(await node.receipt(hash), 'a receipt')
  foreign.push({ hash, nonce, feePaid })
  await withdraw('USDC')
  await environment.approve()
}

/** Fewer blocks than count as final; of their transactions the first few come back, perhaps none. */
async function reorganise({ chain }: Money, below: Below): Promise<void> {
  const depth = 1 + below(CONFIRMATIONS - 1)
  const head = await chain.head()
  const lost: `0x${string}`[] = []
  for (let number = head - BigInt(depth) + 1n; number <= head; number++) {
    const block = await chain.rpc<{ transactions: `0x${string}`[] }>('eth_getBlockByNumber', [
      `0x${number.toString(16)}`,
      false,
    ])
    lost.push(...block.transactions)
  }
  const kept = await Promise.all(
    lost.slice(0, below(lost.length + 1)).map((hash) => chain.raw(hash)),
  )
  const offset = below(depth)
  await chain.rpc('anvil_dropAllTransactions')
  await chain.reorg(
    depth,
    kept.map((raw) => [raw, offset] as const),
  )
}
