// The faucet of the sandbox's chains: it stands for an operator who refills a wallet.
import type { Address, ChainName } from '#kernel/chain'

export type Faucet = (
  chain: ChainName,
  /** `amount` is a decimal number of tokens. */
  payment: { readonly address: Address; readonly token: string; readonly amount: string },
) => Promise<void>

const DEADLINE_MS = 10_000

export const createFaucet =
  (controlUrl: string): Faucet =>
  async (chain, payment) => {
    const response = await fetch(`${controlUrl}/${chain}/faucet`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(payment),
      signal: AbortSignal.timeout(DEADLINE_MS),
    })
    if (!response.ok) throw new Error(`the faucet of ${chain} returned ${response.status}`)
    await response.body?.cancel()
  }
