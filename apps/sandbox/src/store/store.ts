/** One step of the dataset that a restart has to repeat, in the order in which it was taken. */
export type DatasetStep =
  | { readonly kind: 'tick'; readonly nowMs: number }
  | { readonly kind: 'take'; readonly market: string; readonly id: string }
  | { readonly kind: 'put_back'; readonly listing: string }
  | {
      readonly kind: 'price'
      readonly market: string
      readonly id: string
      readonly priceMills: number
    }
  | { readonly kind: 'remove'; readonly market: string; readonly id: string }

/** An order as it lies in the store: what never changes, and what does. */
export interface OrderRow {
  readonly seq: number
  readonly placement: string
  readonly progress: string
}

export interface Mail {
  readonly receivedAt: string
  readonly body: unknown
}

/**
 * Where the sandbox keeps what must outlive it. All calls are synchronous: what a caller was told
 * has been written before it was told, so a kill between two lines loses nothing acknowledged.
 */
export interface Store {
  readSetting(name: string): string | null
  writeSetting(name: string, value: string): void
  insertOrder(row: OrderRow): void
  updateOrder(seq: number, progress: string): void
  readOrders(): Iterable<OrderRow>
  /** A bot's trade offer as a whole, new or changed. */
  writeBotOffer(seq: number, offer: string): void
  readBotOffers(): Iterable<string>
  appendStep(step: DatasetStep): void
  readSteps(): Iterable<DatasetStep>
  /** The dataset as a whole; the steps that led to it are forgotten. */
  writeDataset(dump: () => string): void
  writePersona(partner: number, token: string): void
  readPersonas(): Iterable<{ readonly partner: number; readonly token: string }>
  appendMail(mail: Mail): void
  readMail(): Iterable<Mail>
  /** All writes of `work`, or none. */
  atomically<T>(work: () => T): T
  close(): void
}

/** Keeps nothing: the sandbox's memory is then the only copy. */
export function createForgetfulStore(): Store {
  return {
    readSetting: () => null,
    writeSetting: () => {},
    insertOrder: () => {},
    updateOrder: () => {},
    readOrders: () => [],
    writeBotOffer: () => {},
    readBotOffers: () => [],
    appendStep: () => {},
    readSteps: () => [],
    writeDataset: () => {},
    writePersona: () => {},
    readPersonas: () => [],
    appendMail: () => {},
    readMail: () => [],
    atomically: (work) => work(),
    close: () => {},
  }
}
