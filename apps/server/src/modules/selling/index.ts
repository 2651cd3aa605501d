// Selling: what it does for the rest of the house.
export type { Bots, Inventories } from './ports.ts'
