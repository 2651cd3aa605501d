// A deposit through the payment gateway, from the quote to the payer's payment.
import { dataOf } from './answers.ts'
import type { Client } from './client.ts'
import { centsOf } from './trading.ts'

export interface PaidOrder {
  readonly method: 'gateway' | 'onramp'
  /** Of the deposit. */
  readonly id: string
  readonly behalf: string
  readonly promisedCents: number
}

export interface GatewayPayment {
  readonly behalf: string
  /** US dollars. */
  readonly amount: string
  readonly deadlineMs: number
  /** Of the sandbox. */
  control(method: string, path: string, body?: unknown): Promise<unknown>
}

/** Throws where an answer is a refusal. */
export async function payByGateway(
  client: Client,
  { behalf, amount, deadlineMs, control }: GatewayPayment,
): Promise<PaidOrder> {
  const options = { behalf, deadlineMs }
  const body = { amount, currency: 'USDT' }
  const { quoteToken } = dataOf(await client.call('quoteDeposit', { ...options, body }))
  const { currencies } = dataOf(await client.call('listDepositChains', options))
  const chain = currencies.find(({ currency }) => currency === 'USDT')?.chains[0]
  const created = dataOf(
    await client.call('createDeposit', { ...options, body: { quoteToken, chain } }),
  )
  const id = created.fundingId
  await control('POST', `/gateway/${id}/pay`, {})
  return { method: 'gateway', id, behalf, promisedCents: centsOf(created.receiveAmountUsd) }
}
