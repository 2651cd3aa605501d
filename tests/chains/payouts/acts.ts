// What the cases of payouts do and look at again and again, in the environment that their file has opened.

import type { Withdrawal } from '../../../apps/server/src/modules/crypto/payouts/withdrawal.ts'
import { readBalance } from '../../../apps/server/src/modules/money/custody/index.ts'
import type { Parts, PayoutEnvironment } from './environment.ts'

type Change = Parameters<PayoutEnvironment['submit']>[0]

export interface Acts {
  readonly parts: () => Parts
  /** Base units of the merchant in custody. */
  balance(token?: string): Promise<bigint>
  /** The contract of a token; null for the native coin. */
  contract(token: string): Promise<`0x${string}` | null>
  /** Base units that an address has on the chain. */
  held(address: string, token: string): Promise<bigint>
  /** The address turns into a contract that refuses every payment of native coin. */
  refusePayments(address: string): Promise<void>
  /** Approved and sent, not mined. */
  sent(change?: Change, parts?: Parameters<PayoutEnvironment['send']>[0]): Promise<Withdrawal>
}

export function actsIn(environment: () => PayoutEnvironment): Acts {
  const contract: Acts['contract'] = async (token) =>
    (await environment().networks.find('ethereum', token))?.address ?? null
  return {
    contract,
    parts: () => {
      const { db, node, signer } = environment()
      return { db, node, signer }
    },
    balance: (token = 'USDC') =>
      readBalance(
        environment().db,
        { role: 'merchant', ownerId: environment().merchantId },
        { chain: 'ethereum', token },
      ),
    held: async (address, token) =>
      environment().node.balanceOf(address as `0x${string}`, await contract(token)),
    refusePayments: async (address) => {
      const { deploy, rpc } = environment().chain
      const code = await rpc<string>('eth_getCode', [await deploy('RejectingReceiver'), 'latest'])
      await rpc('anvil_setCode', [address, code])
    },
    sent: async (change = {}, parts = {}) => {
      const { id } = await environment().submit(change)
      await environment().approve()
      while (await environment().send(parts));
      return environment().read(id)
    },
  }
}
