// Puts the contracts of a network on a new chain, at the addresses that the real ones have.
import { type ContractName, callData, runtimeCode } from './contracts/index.ts'
import { type Address, type Network, PRICE_DECIMALS } from './networks.ts'
import type { Asset, Prices } from './prices.ts'
import { hex, type Rpc } from './rpc.ts'

/** The account that pays for everything the sandbox does on a chain: anvil's first development account. */
async function fundsAccount(rpc: Rpc): Promise<Address> {
  const [first] = await rpc<Address[]>('eth_accounts')
  if (first === undefined) throw new Error('the node has no development account')
  return first
}

/** What the funds account has of each token at the start, in whole tokens. */
const SUPPLY = 10n ** 12n

/** Whether the chain has its contracts: a chain that is started again on its state does. */
export async function isInstalled(rpc: Rpc, network: Network): Promise<boolean> {
  const code = await rpc<string>('eth_getCode', [network.native.aggregator, 'latest'])
  return code !== '0x'
}

/** In effect from the next block on. */
export async function install(rpc: Rpc, network: Network): Promise<void> {
  const from = await fundsAccount(rpc)
  for (const token of network.tokens) {
    const send = contractAt(rpc, { name: token.contract, address: token.address, from })
    await send.create()
    const decimals = BigInt(token.decimals)
    await send.call('initialize(bytes32,bytes32,uint8)', [token.name, token.symbol, decimals])
    await send.call('mint(address,uint256)', [from, SUPPLY * 10n ** decimals])
    await installAggregator(rpc, { symbol: token.symbol, address: token.aggregator, from })
  }
  const { symbol, aggregator } = network.native
  await installAggregator(rpc, { symbol, address: aggregator, from })
}

async function installAggregator(
  rpc: Rpc,
  options: {
    readonly symbol: string
    readonly address: Address
    readonly from: Address
  },
): Promise<void> {
  const { symbol, address, from } = options
  const send = contractAt(rpc, { name: 'Aggregator', address, from })
  await send.create()
  const args = [`${symbol} / USD`, '', BigInt(PRICE_DECIMALS)]
  await send.call('initialize(bytes32,bytes32,uint8)', args)
}

/** What the price contracts answer from the next block on. */
export async function writePrices(rpc: Rpc, network: Network, prices: Prices): Promise<void> {
  const from = await fundsAccount(rpc)
  const contracts: readonly (readonly [Asset, Address])[] = [
    [network.native.symbol, network.native.aggregator],
    ...network.tokens.map(({ symbol, aggregator }) => [symbol, aggregator] as const),
  ]
  for (const [asset, address] of contracts) {
    const { chainE8, ageSeconds } = prices.of(asset)
    await contractAt(rpc, { name: 'Aggregator', address, from }).call('setPrice(int256,uint256)', [
      chainE8,
      BigInt(ageSeconds),
    ])
  }
}

function contractAt(
  rpc: Rpc,
  options: { readonly name: ContractName; readonly address: Address; readonly from: Address },
): {
  create(): Promise<void>
  /** Sends the call; it takes effect in the next block. */
  call(signature: string, args: readonly (bigint | string)[], value?: bigint): Promise<Address>
} {
  const { name, address, from } = options
  return {
    create: async () => {
      await rpc('anvil_setCode', [address, runtimeCode(name)])
    },
    call: (signature, args, value = 0n) =>
      rpc('eth_sendTransaction', [
        {
          from,
          to: address,
          value: hex(value),
          data: callData(name, signature, args),
          gas: hex(500_000),
        },
      ]),
  }
}

/** Sends native coin or a token from the funds account; the transfer is in the next block. */
export async function pay(
  rpc: Rpc,
  network: Network,
  payment: { readonly to: Address; readonly token: string; readonly units: bigint },
): Promise<Address> {
  const { to, units } = payment
  const from = await fundsAccount(rpc)
  if (payment.token === 'NATIVE') {
    return rpc('eth_sendTransaction', [{ from, to, value: hex(units) }])
  }
  const token = network.tokens.find(({ symbol }) => symbol === payment.token)
  if (token === undefined) throw new Error(`${network.id} has no token ${payment.token}`)
  return contractAt(rpc, { name: token.contract, address: token.address, from }).call(
    'transfer(address,uint256)',
    [to, units],
  )
}
