/**
 * The expected "no": a rule of the business said so. It carries a key of the error catalogue and the
 * facts that the caller may see. It is thrown, so that the transaction around it rolls back by itself.
 */
export class Refusal<Key extends string = string> extends Error {
  readonly key: Key
  readonly facts: Readonly<Record<string, unknown>> | undefined

  constructor(key: Key, facts?: Readonly<Record<string, unknown>>) {
    super(key)
    this.name = 'Refusal'
    this.key = key
    this.facts = facts
  }
}

export const refuse = <Key extends string>(
  key: Key,
  facts?: Readonly<Record<string, unknown>>,
): never => {
  throw new Refusal(key, facts)
}
