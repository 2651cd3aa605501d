// Deposits and withdrawals around a copy: what is paid after it is lost by the restore, and known to the
// chain, the payment gateway and the merchant.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { createPublicClient, erc20Abi, http } from 'viem'
import type { OwnInstallation } from '../endurance/worlds/installation.ts'
import { dataOf } from '../support/answers.ts'
import { aBuyer, balanceOf, centsOf } from '../support/trading.ts'
import { until } from '../support/until.ts'
import { CHAIN, TOKEN, TOKEN_ADDRESS } from './surroundings.ts'

const CUSTODY_DOLLARS = '5000'
const DEPOSITED = { chain: '31.00', gateway: '45.00' }

/** As the merchant has stored it. */
interface Withdrawal {
  readonly externalId: string
  readonly destination: `0x${string}`
  readonly amountCents: number
}

export interface Money {
  readonly depositor: string
  readonly address: string
  /** Of the deposit at the gateway. */
  readonly orderId: string
  /** What the depositor has when both deposits are credited. */
  readonly wantedCents: number
  /** Accepted before the copy, released by an operator and paid after it. */
  readonly waiting: Withdrawal
}

export const newWithdrawal = (externalId: string, amountCents: number): Withdrawal => ({
  externalId,
  amountCents,
  destination: `0x${randomBytes(20).toString('hex')}`,
})

export async function beginBeforeCopy({ merchant, sandbox }: OwnInstallation): Promise<Money> {
  const depositor = await aBuyer(merchant, 'depositor', '10.00')
  const { address } = await merchant.get('getCryptoAddress', { behalf: depositor })
  const quote = { behalf: depositor, body: { amount: DEPOSITED.gateway, currency: 'USDT' } }
  const { quoteToken } = dataOf(await merchant.call('quoteDeposit', quote))
  const { currencies } = dataOf(await merchant.call('listDepositChains', { behalf: depositor }))
  const chain = currencies.find(({ currency }) => currency === 'USDT')?.chains[0]
  const order = dataOf(
    await merchant.call('createDeposit', { behalf: depositor, body: { quoteToken, chain } }),
  )
  const custody = await merchant.get('getPayoutAddress')
  await pay({ sandbox }, custody.address, CUSTODY_DOLLARS)
  await until(
    'custody is filled',
    async () => (await merchant.get('getPayoutBalances')).totalCents > 0,
    { deadlineMs: 120_000, everyMs: 500 },
  )
  // The gate compares only wallets that have paid before.
  await untilConfirmed({ merchant }, await withdraw({ merchant }, newWithdrawal('before', 2000)))
  const waiting = newWithdrawal('waiting-at-the-copy', 15_000)
  await withdraw({ merchant }, waiting)
  const promised = centsOf(order.receiveAmountUsd) + centsOf(Number(DEPOSITED.chain))
  const wantedCents = centsOf(await balanceOf(merchant, depositor)) + promised
  return { depositor, address, orderId: order.fundingId, wantedCents, waiting }
}

const pay = ({ sandbox }: Pick<OwnInstallation, 'sandbox'>, address: string, amount: string) =>
  sandbox.control.call('POST', `/chains/${CHAIN}/faucet`, { address, token: TOKEN, amount })

export async function withdraw(
  { merchant }: Pick<OwnInstallation, 'merchant'>,
  withdrawal: Withdrawal,
): Promise<string> {
  const body = { chain: CHAIN, token: TOKEN, ...withdrawal }
  return (await merchant.get('createWithdrawal', { body })).id
}

/** As the webhooks of the merchant have it. */
export interface Paid extends Withdrawal {
  readonly id: string
  readonly hash: string
  readonly nonce: number
}

/** Both withdrawals are paid, and both deposits credited. */
export async function goOnAfterCopy(around: OwnInstallation, money: Money): Promise<Paid[]> {
  const { sandbox } = around
  const sent = [money.waiting, newWithdrawal('made-after-the-copy', 2500)]
  const ids = await Promise.all(sent.map((one) => withdraw(around, one)))
  await around.ops('payouts', 'release', ids[0] ?? '', '--reason', 'drill')
  await pay(around, money.address, DEPOSITED.chain)
  await sandbox.control.call('POST', `/gateway/${money.orderId}/pay`, {})
  await untilCredited(around, money)
  const paid: Paid[] = []
  for (const [i, id] of ids.entries()) {
    await untilConfirmed(around, id)
    paid.push({ ...(sent[i] as Withdrawal), id, ...(await paymentOf(around, id)) })
  }
  return paid
}

async function paymentOf(
  { webhooks }: Pick<OwnInstallation, 'webhooks'>,
  id: string,
): Promise<{ hash: string; nonce: number }> {
  const event = await until('the broadcast is known', () =>
    webhooks.of(id).find(({ type }) => type === 'payout.crypto.withdraw.broadcast'),
  )
  const { nonce, withdrawal } = event.data
  assert.ok(nonce !== undefined && withdrawal?.txHash)
  return { hash: withdrawal.txHash, nonce }
}

export const untilCredited = (
  { merchant }: Pick<OwnInstallation, 'merchant'>,
  { depositor, wantedCents }: Money,
): Promise<unknown> =>
  until(
    'both deposits are credited',
    async () => {
      const cents = centsOf(await balanceOf(merchant, depositor))
      if (cents === wantedCents) return true
      throw new Error(`${depositor} has ${cents} of ${wantedCents} cents`)
    },
    { deadlineMs: 120_000, everyMs: 500 },
  )

export const untilConfirmed = (
  { merchant }: Pick<OwnInstallation, 'merchant'>,
  id: string,
): Promise<unknown> =>
  until(
    `the withdrawal ${id} is confirmed`,
    async () => {
      const { status } = await merchant.get('getWithdrawal', { params: { id } })
      if (status === 'confirmed') return true
      throw new Error(`it is ${status}`)
    },
    { deadlineMs: 120_000, everyMs: 500 },
  )

/** Each destination has what was withdrawn to it, once, by the chain's own word. */
export async function paidOnce(
  { sandbox }: Pick<OwnInstallation, 'sandbox'>,
  paid: readonly Withdrawal[],
): Promise<void> {
  const client = createPublicClient({ transport: http(`${sandbox.url}/chains/${CHAIN}/second`) })
  for (const { externalId, destination, amountCents } of paid) {
    const units = await client.readContract({
      ...{ abi: erc20Abi, address: TOKEN_ADDRESS, functionName: 'balanceOf', args: [destination] },
    })
    assert.equal(units, BigInt(amountCents) * 10_000n, `${externalId} is paid once`)
  }
}
