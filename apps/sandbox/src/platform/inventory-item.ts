import type { Asset } from '../dataset/types.ts'

/** The context of an item: `normal` is the platform's context 2, `protected` its context 16. */
export type InventoryContext = 'normal' | 'protected'

export interface InventoryItem {
  readonly assetId: string
  readonly asset: Asset
  readonly tradable: boolean
  readonly marketable: boolean
  readonly context: InventoryContext
  /** When a protected item may be traded again. */
  readonly protectedUntilMs: number | null
}
