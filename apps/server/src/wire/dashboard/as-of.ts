// The age of an answer that came from a replica; nothing where it is the primary's.

export const asOfView = ({ asOf }: { readonly asOf: Date | null }): { readonly asOf?: string } =>
  asOf === null ? {} : { asOf: asOf.toISOString() }
