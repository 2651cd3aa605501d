// The age of an answer that came from a replica; nothing where it is the primary's.
import type { StaleDb } from '#infra/database/replica'

export const asOfView = ({ asOf }: Pick<StaleDb, 'asOf'>): { readonly asOf?: string } =>
  asOf === null ? {} : { asOf: asOf.toISOString() }
