// The chains that the sandbox runs, with the chain ids and the contract addresses of the real ones: what a
// service is configured with for production is right here too.

export type Address = `0x${string}`

export type NetworkId = 'ethereum' | 'base' | 'arbitrum' | 'optimism' | 'bsc'

export interface TokenPlan {
  readonly symbol: 'USDT' | 'USDC'
  readonly name: string
  readonly address: Address
  readonly decimals: number
  /** USDT on ethereum returns no data from `transfer`; all others return true. */
  readonly contract: 'ListedToken' | 'SilentToken'
  /** Where its price in dollars is read on the chain. */
  readonly aggregator: Address
}

/** Another dollar that users send: a bridged coin, or the issuer's own bridge. */
export interface OtherToken {
  readonly symbol: 'USDCE' | 'USDBC' | 'USDT0'
  readonly name: string
  readonly address: Address
}
export const OTHER_DECIMALS = 6

export interface Network {
  readonly id: NetworkId
  readonly chainId: number
  readonly native: { readonly symbol: 'ETH' | 'BNB'; readonly aggregator: Address }
  readonly tokens: readonly TokenPlan[]
  readonly others: readonly OtherToken[]
}

/** Of every aggregator of prices in dollars. */
export const PRICE_DECIMALS = 8

/** USDT and USDC of a network, in this order: `[address, decimals, aggregator]`. */
function tokens(
  usdt: readonly [Address, number, Address],
  usdc: readonly [Address, number, Address],
  usdtContract: TokenPlan['contract'] = 'ListedToken',
): readonly TokenPlan[] {
  const plan = (
    symbol: TokenPlan['symbol'],
    name: string,
    contract: TokenPlan['contract'],
    [address, decimals, aggregator]: readonly [Address, number, Address],
  ): TokenPlan => ({ symbol, name, address, decimals, contract, aggregator })
  return [
    plan('USDT', 'Tether USD', usdtContract, usdt),
    plan('USDC', 'USD Coin', 'ListedToken', usdc),
  ]
}

export const NETWORKS: Readonly<Record<NetworkId, Network>> = {
  ethereum: {
    id: 'ethereum',
    chainId: 1,
    native: { symbol: 'ETH', aggregator: '0x5f4eC3Df9cbd43714FE2740f5E3616155c5b8419' },
    others: [],
    tokens: tokens(
      [
        '0xdAC17F958D2ee523a2206206994597C13D831ec7',
        6,
        '0x3E7d1eAB13ad0104d2750B8863b489D65364e32D',
      ],
      [
        '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
        6,
        '0x8fFfFfd4AfB6115b954Bd326cbe7B4BA576818f6',
      ],
      'SilentToken',
    ),
  },
  base: {
    id: 'base',
    chainId: 8453,
    native: { symbol: 'ETH', aggregator: '0x71041dddad3595F9CEd3DcCFBe3D1F4b0a16Bb70' },
    others: [
      {
        symbol: 'USDBC',
        name: 'USD Base Coin',
        address: '0xd9aAEc86B65D86f6A7B5B1b0c42FFA531710b6CA',
      },
    ],
    tokens: tokens(
      [
        '0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2',
        6,
        '0xf19d560eB8d2ADf07BD6D13ed03e1D11215721F9',
      ],
      [
        '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
        6,
        '0x7e860098F58bBFC8648a4311b374B1D669a2bc6B',
      ],
    ),
  },
  arbitrum: {
    id: 'arbitrum',
    chainId: 42_161,
    native: { symbol: 'ETH', aggregator: '0x639Fe6ab55C921f74e7fac1ee960C0B6293ba612' },
    others: [
      {
        symbol: 'USDCE',
        name: 'USD Coin (Arb1)',
        address: '0xFF970A61A04b1Ca14834A43f5dE4533eBDDB5CC8',
      },
    ],
    tokens: tokens(
      [
        '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9',
        6,
        '0x3f3f5dF88dC9F13eac63DF89EC16ef6e7E25DdE7',
      ],
      [
        '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
        6,
        '0x50834F3163758fcC1Df9973b6e91f0F0F0434aD3',
      ],
    ),
  },
  optimism: {
    id: 'optimism',
    chainId: 10,
    native: { symbol: 'ETH', aggregator: '0x13e3Ee699D1909E989722E753853AE30b17e08c5' },
    others: [
      {
        symbol: 'USDCE',
        name: 'USD Coin (bridged)',
        address: '0x7F5c764cBc14f9669B88837ca1490cCa17c31607',
      },
      {
        symbol: 'USDT0',
        name: 'USD T0',
        address: '0x01bFF41798a0BcF287b996046Ca68b395DbC1071',
      },
    ],
    tokens: tokens(
      [
        '0x94b008aA00579c1307B0EF2c499aD98a8ce58e58',
        6,
        '0xECef79E109e997bCA29c1c0897ec9d7b03647F5E',
      ],
      [
        '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85',
        6,
        '0x16a9FA2FDa030272Ce99B29CF780dFA30361E0f3',
      ],
    ),
  },
  bsc: {
    id: 'bsc',
    chainId: 56,
    native: { symbol: 'BNB', aggregator: '0x0567F2323251f0Aab15c8dFb1967E4e8A7D42aeE' },
    others: [],
    tokens: tokens(
      [
        '0x55d398326f99059fF775485246999027B3197955',
        18,
        '0xB97Ad0E74fa7d920791E90258A6E2085088b4320',
      ],
      [
        '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d',
        18,
        '0x51597f405303C4377E36123cBc172b13269EA163',
      ],
    ),
  },
}
