// What the on-ramp sells, for which money, and where it may be sent. Numbers are the provider's own ids.

export interface Fiat {
  readonly symbol: string
  readonly fiatType: number
  /** Of one order, in whole units. */
  readonly min: number
  readonly max: number
  readonly methods: Readonly<Record<string, number>>
}

export const FIATS: readonly Fiat[] = [
  { symbol: 'EUR', fiatType: 12, min: 15, max: 12_000, methods: { CARD: 1, SEPA: 2 } },
  { symbol: 'GBP', fiatType: 20, min: 12, max: 10_000, methods: { CARD: 1, FASTER_PAYMENTS: 2 } },
  { symbol: 'USD', fiatType: 21, min: 15, max: 12_500, methods: { CARD: 1, ACH: 2 } },
]

export interface Coin {
  readonly coinCode: string
  readonly coinId: number
  readonly name: string
}

const COINS: readonly Coin[] = [
  { coinCode: 'usdt', coinId: 54, name: 'Tether' },
  { coinCode: 'usdc', coinId: 116, name: 'USD Coin' },
]

export interface Network {
  readonly network: string
  readonly chainId: number
  readonly name: string
  /** Of the chain itself. */
  readonly networkId: number
  readonly hashLink: string
  /** Hundredths of a dollar for each delivery. */
  readonly gasCents: number
}

const NETWORKS: readonly Network[] = [
  {
    ...{ network: 'erc20', chainId: 0, name: 'Ethereum', networkId: 1, gasCents: 250 },
    hashLink: 'https://etherscan.io/tx/',
  },
  {
    ...{ network: 'bep20', chainId: 1, name: 'BNB Smart Chain', networkId: 56, gasCents: 20 },
    hashLink: 'https://bscscan.com/tx/',
  },
  {
    ...{ network: 'arbitrum', chainId: 13, name: 'Arbitrum One', networkId: 42_161, gasCents: 15 },
    hashLink: 'https://arbiscan.io/tx/',
  },
  {
    ...{ network: 'base', chainId: 16, name: 'Base', networkId: 8_453, gasCents: 10 },
    hashLink: 'https://basescan.org/tx/',
  },
  {
    ...{ network: 'optimism', chainId: 17, name: 'Optimism', networkId: 10, gasCents: 10 },
    hashLink: 'https://optimistic.etherscan.io/tx/',
  },
]

/** Two-letter codes of the countries that are served, by their money. */
export const COUNTRIES: Readonly<Record<string, { readonly name: string; readonly fiat: string }>> =
  {
    AT: { name: 'Austria', fiat: 'EUR' },
    DE: { name: 'Germany', fiat: 'EUR' },
    ES: { name: 'Spain', fiat: 'EUR' },
    FI: { name: 'Finland', fiat: 'EUR' },
    FR: { name: 'France', fiat: 'EUR' },
    IE: { name: 'Ireland', fiat: 'EUR' },
    IT: { name: 'Italy', fiat: 'EUR' },
    NL: { name: 'Netherlands', fiat: 'EUR' },
    PL: { name: 'Poland', fiat: 'EUR' },
    PT: { name: 'Portugal', fiat: 'EUR' },
    GB: { name: 'United Kingdom', fiat: 'GBP' },
    US: { name: 'United States', fiat: 'USD' },
  }

export const fiatOf = (fiatType: unknown): Fiat | undefined =>
  FIATS.find((fiat) => String(fiat.fiatType) === String(fiatType))

/** By its code, else by its number; the code takes precedence when both are given. */
export const coinOf = (coinCode: unknown, coinId: unknown): Coin | undefined =>
  coinCode === undefined
    ? COINS.find((coin) => String(coin.coinId) === String(coinId))
    : COINS.find((coin) => coin.coinCode === String(coinCode).toLowerCase())

export const networkOf = (network: unknown, chainId: unknown): Network | undefined =>
  network === undefined
    ? NETWORKS.find((one) => String(one.chainId) === String(chainId))
    : NETWORKS.find((one) => one.network === String(network).toLowerCase())

/** `limitsMapping`: the bounds of an order by fiat type. */
export const limits = () => ({
  onramp: Object.fromEntries(FIATS.map(({ fiatType, min, max }) => [fiatType, { min, max }])),
})

/** `allConfigMapping`: symbols and their numbers. */
export const configMapping = () => ({
  fiatSymbolMapping: Object.fromEntries(FIATS.map(({ symbol, fiatType }) => [symbol, fiatType])),
  coinSymbolMapping: Object.fromEntries(COINS.map(({ coinCode, coinId }) => [coinCode, coinId])),
  chainSymbolMapping: Object.fromEntries(
    NETWORKS.map(({ network, chainId }) => [network, chainId]),
  ),
})

/** `allCountryConfig`: what each country pays with. */
export const countryConfig = () =>
  Object.fromEntries(
    Object.entries(COUNTRIES).map(([code, { name, fiat }]) => {
      const { fiatType, methods } = FIATS.find(({ symbol }) => symbol === fiat) ?? {}
      return [
        code,
        { country: name, fiatSymbol: fiat, fiatType, isActive: 1, paymentMethods: methods },
      ]
    }),
  )

/** Coins and networks in full, as the provider publishes them. */
export const chainMapping = () => ({
  allCoinConfig: Object.fromEntries(
    COINS.map(({ coinCode, coinId, name }) => [
      coinCode,
      {
        ...{ coinId, coinName: name, balanceFloatPlaces: 2, tradeFloatPlaces: 2 },
        networks: NETWORKS.map(({ chainId }) => chainId),
      },
    ]),
  ),
  networkConfig: Object.fromEntries(
    NETWORKS.map(({ chainId, network, name, networkId, hashLink }) => [
      chainId,
      {
        ...{ chainSymbol: network, chainName: name, networkId, hashLink, startingWith: ['0x'] },
        addressRegex: '^(0x)[0-9A-Fa-f]{40}$',
      },
    ]),
  ),
})
