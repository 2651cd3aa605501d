// What the drill restores, and what goes on beside it: markets, a chain, the signer, the merchant's backend.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { NETWORKS } from '../../apps/sandbox/src/chains/networks.ts'
import { type OwnInstallation, startInstallation } from '../endurance/worlds/installation.ts'
import { signerProgram } from '../support/signer.ts'

export const CHAIN = 'ethereum'
export const TOKEN = 'USDC'

/** A larger withdrawal waits for an operator. */
const LIMIT_DOLLARS = '100'

const SEED = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
const NO_LIMIT = { maxPerTransaction: `${10n ** 30n}`, maxPerDay: `${10n ** 30n}` }
const { chainId, tokens } = NETWORKS[CHAIN]
export const TOKEN_ADDRESS = tokens.find(({ symbol }) => symbol === TOKEN)?.address ?? '0x'
const POLICY = {
  chains: {
    [CHAIN]: {
      ...{ chainId, treasury: '0x7ea5000000000000000000000000000000000001' },
      ...{ fees: NO_LIMIT, gasFunding: NO_LIMIT, native: NO_LIMIT },
      tokens: { [TOKEN]: { address: TOKEN_ADDRESS, ...NO_LIMIT } },
    },
  },
}

export async function startSurrounded(): Promise<OwnInstallation> {
  const signer = signerProgram()
  signer.write({ seed: SEED, policy: POLICY })
  await signer.start()
  const backend = await startBackend()
  const close = async (): Promise<void> => {
    backend.close()
    await signer.close()
  }
  try {
    const installation = await startInstallation({
      sandbox: { SANDBOX_LISTINGS: '3000', SANDBOX_CHAINS: CHAIN },
      service: {
        SANDBOX_CHAINS: CHAIN,
        SIGNER_SOCKET: signer.socketPath,
        DEPOSIT_XPUB: await signer.depositXpub(),
        RECONCILE_INTERVAL_MS: '5000',
        PAYOUT_LIMIT_TRANSACTION_DOLLARS: LIMIT_DOLLARS,
      },
      payoutCallbackUrl: backend.url,
    })
    return {
      ...installation,
      close: async () => {
        await installation.close()
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** The merchant's, which approves every withdrawal. */
async function startBackend() {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(200).end())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/approve`,
    close: (): void => {
      server.closeAllConnections()
      server.close()
    },
  }
}
