// Puts the contracts of a network on a new chain, at the addresses that the real ones have.
import { type ContractName, callData, runtimeCode } from './contracts/index.ts'
import {
  type Address,
  type Network,
  OTHER_DECIMALS,
  PRICE_DECIMALS,
  type TokenPlan,
} from './networks.ts'
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
    await installToken(rpc, token, from)
    await installAggregator(rpc, { symbol: token.symbol, address: token.aggregator, from })
  }
  const { symbol, aggregator } = network.native
  await installAggregator(rpc, { symbol, address: aggregator, from })
  await complete(rpc, network)
}

/** A chain that is started again on the state of an older sandbox gets what that did not know. */
export async function complete(rpc: Rpc, network: Network): Promise<void> {
  const from = await fundsAccount(rpc)
  const codeAt = (address: Address) => rpc<string>('eth_getCode', [address, 'latest'])
  for (const { contract: name, address } of network.tokens) {
    if ((await codeAt(address)) !== runtimeCode(name)) {
      await contractAt(rpc, { name, address, from }).create()
    }
  }
  for (const token of network.others) {
    if ((await codeAt(token.address)) !== '0x') continue
    const plan = { ...token, decimals: OTHER_DECIMALS, contract: 'ListedToken' } as const
    await installToken(rpc, plan, from)
  }
}

async function installToken(
  rpc: Rpc,
  token: Pick<TokenPlan, 'address' | 'name' | 'decimals' | 'contract'> & { symbol: string },
  from: Address,
): Promise<void> {
  const send = contractAt(rpc, { name: token.contract, address: token.address, from })
  await send.create()
  const decimals = BigInt(token.decimals)
  await send.call('initialize(bytes32,bytes32,uint8)', [token.name, token.symbol, decimals])
  await send.call('mint(address,uint256)', [from, SUPPLY * 10n ** decimals])
}

/** The issuer of a token freezes an address, or ends that: in effect from the next block on. */
export async function setListed(
  rpc: Rpc,
  network: Network,
  { token: symbol, address, isListed }: { token: string; address: Address; isListed: boolean },
): Promise<Address> {
  const from = await fundsAccount(rpc)
  const token = network.tokens.find((one) => one.symbol === symbol)
  if (token === undefined) throw new Error(`${network.id} has no token ${symbol}`)
  return contractAt(rpc, { name: token.contract, address: token.address, from }).call(
    'setListed(address,bool)',
    [address, isListed ? 1n : 0n],
  )
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
  const token = [...network.tokens, ...network.others].find(
    ({ symbol }) => symbol === payment.token,
  )
  if (token === undefined) throw new Error(`${network.id} has no token ${payment.token}`)
  // The call is the same for all of them.
  return contractAt(rpc, { name: 'Token', address: token.address, from }).call(
    'transfer(address,uint256)',
    [to, units],
  )
}
