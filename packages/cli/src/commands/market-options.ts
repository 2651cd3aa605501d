// Options of the commands that take a key of either interface.
import type { BehalfOptions } from '../cli.ts'
import type { FilterOptions } from './listing-filters.ts'

export interface SearchOptions extends BehalfOptions {
  readonly minPrice?: string
  readonly maxPrice?: string
  readonly exterior?: string
  readonly rarity?: string
  readonly weapon?: string
  readonly delivery?: 'standard' | 'instant'
  readonly sort?: string
  readonly all?: boolean
  readonly page: number
  readonly limit: number
}

export interface ListingsOptions extends FilterOptions {
  readonly sort?: string
  readonly limit: number
}

export interface BuyOptions extends BehalfOptions {
  readonly maxPrice?: string
  readonly item?: string
  readonly market?: string
  readonly price?: string
  readonly tradeUrl?: string
  readonly externalId?: string
  readonly yes?: boolean
}
