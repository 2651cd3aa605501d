// A merchant that withdraws to addresses outside, each approved by its backend, as long as the drill lasts.
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { english, generateMnemonic } from 'viem/accounts'
import { NETWORKS } from '../../apps/sandbox/src/chains/networks.ts'
import type { AskedFor } from '../support/chains/invariants.ts'
import type { Client } from '../support/client.ts'
import type { Control } from '../support/sandbox.ts'
import { type SignerProgram, signerProgram } from '../support/signer.ts'
import { until } from '../support/until.ts'

export const CHAIN = 'ethereum'
const TOKEN = 'USDC'
const EVERY_MS = 1500
const NO_LIMIT = { maxPerTransaction: String(10n ** 60n), maxPerDay: String(10n ** 60n) }

/** The signer of the release in `root`, with a seed of its own. */
export async function startSigner(root: string): Promise<SignerProgram> {
  const { chainId, tokens } = NETWORKS[CHAIN]
  const signer = signerProgram(root)
  const treasury = '0x7ea5000000000000000000000000000000000001'
  const limits = { fees: NO_LIMIT, gasFunding: NO_LIMIT, native: NO_LIMIT }
  const allowed = tokens.map(({ symbol, address }) => [symbol, { address, ...NO_LIMIT }])
  signer.write({
    seed: generateMnemonic(english, 256),
    policy: {
      chains: { [CHAIN]: { chainId, treasury, ...limits, tokens: Object.fromEntries(allowed) } },
    },
  })
  await signer.start()
  return signer
}

/** The merchant's backend: it approves whatever it is asked. */
export async function startBackend(): Promise<{ readonly url: string; close(): void }> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/approve`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

export async function fillCustody(merchant: Client, { call }: Control): Promise<void> {
  const { address } = await merchant.get('getPayoutAddress')
  const amounts = { [TOKEN]: '400000', NATIVE: '50' }
  for (const [token, amount] of Object.entries(amounts))
    await call('POST', `/chains/${CHAIN}/faucet`, { address, token, amount })
  await until(
    'custody is filled',
    async () =>
      (await merchant.get('getPayoutBalances')).balances.filter(
        ({ amountCents }) => amountCents > 0,
      ).length === Object.keys(amounts).length,
    { deadlineMs: 120_000, everyMs: 500 },
  )
}

export interface Withdrawals {
  readonly asked: readonly AskedFor[]
  /** Requests without an acknowledgement at their first attempt, with what came instead. */
  readonly failures: readonly string[]
  /** Sends each that has none again, under its external id. */
  answerAll(): Promise<void>
  stop(): Promise<void>
}

export function startWithdrawals(merchant: Client): Withdrawals {
  const asked: { externalId: string; destination: string; id: string | null; isRejected: false }[] =
    []
  const failures: string[] = []
  const stopping = new AbortController()
  const { signal } = stopping
  /** Why there is no acknowledgement; null where there is one. */
  const send = async (one: (typeof asked)[number]): Promise<string | null> => {
    const { externalId, destination } = one
    const body = { chain: CHAIN, token: TOKEN, destination, amountCents: 250, externalId }
    try {
      const { data, error } = await merchant.call('createWithdrawal', { body })
      one.id = data?.id ?? null
      return error?.key ?? null
    } catch (error) {
      return String(error)
    }
  }
  const goOn = async (): Promise<void> => {
    while (!signal.aborted) {
      const externalId = `upgrade-${asked.length + 1}`
      const destination = `0x${randomBytes(20).toString('hex')}`
      const one = { externalId, destination, id: null, isRejected: false } as const
      asked.push(one)
      const failure = await send(asked.at(-1) ?? one)
      if (failure !== null) failures.push(`withdrawal ${externalId}: ${failure}`)
      await sleep(EVERY_MS, undefined, { signal }).catch(() => {})
    }
  }
  const going = goOn()
  return {
    ...{ asked, failures },
    answerAll: async () => {
      for (const one of asked.filter(({ id }) => id === null))
        await until(`${one.externalId} is acknowledged`, async () => (await send(one)) === null, {
          deadlineMs: 120_000,
          everyMs: 500,
        })
    },
    stop: () => {
      stopping.abort()
      return going
    },
  }
}
