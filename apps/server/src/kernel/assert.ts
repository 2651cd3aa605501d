/** A broken promise of our own code. It ends in a 500 for one request, never in a dead process. */
export class Bug extends Error {
  override readonly name = 'Bug'
}

export function unreachable(value: never): never {
  throw new Bug(`unreachable: ${JSON.stringify(value)}`)
}

/** Reads an entry that must be there. */
export function assertDefined<T>(value: T | null | undefined, what: string): T {
  if (value === null || value === undefined) throw new Bug(`missing: ${what}`)
  return value
}
