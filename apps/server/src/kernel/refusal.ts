/**
 * The keys that a refusal may carry. The kernel knows no contract: the edge declares the contract's
 * catalogue into this interface (edges/http/shared/failure.ts), so that one list exists and a typing error in
 * any module does not compile.
 */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging
export interface RefusalCatalogue {}

export type RefusalKey = keyof RefusalCatalogue

/**
 * The expected "no": a rule of the business said so. It carries a key of the error catalogue and the
 * details that the caller may see. It is thrown, so that the transaction around it rolls back by itself.
 */
export class Refusal extends Error {
  readonly key: RefusalKey
  readonly details: Readonly<Record<string, unknown>> | undefined

  constructor(key: RefusalKey, details?: Readonly<Record<string, unknown>>) {
    // Without a stack: it says nothing that the key does not, and takes 30 µs, which a caller who is refused
    // for its pace may ask for thousands of times a second. Without one it takes 2.
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(key)
    Error.stackTraceLimit = stackTraceLimit
    this.name = 'Refusal'
    this.key = key
    this.details = details
  }
}

export const refuse = (key: RefusalKey, details?: Readonly<Record<string, unknown>>): never => {
  throw new Refusal(key, details)
}
