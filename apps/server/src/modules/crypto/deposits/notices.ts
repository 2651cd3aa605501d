// Notices of providers: the signature is checked over the raw bytes, and the order becomes due. A notice
// moves nothing by itself, so one that is lost, doubled, late or forged changes no money.
import { gathered } from '#infra/database/batch'
import type { Db } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import { refuse } from '#kernel/refusal'
import type { ProviderName } from './deposit.ts'
import type { NoticeHeaders, OnrampProvider, PaymentGateway } from './ports.ts'
import { makeDue, type NoticedOrder } from './store/orders.ts'

export interface NoticeDeps {
  readonly db: Db
  readonly clock: Clock
  readonly gateway: PaymentGateway | null
  readonly onramp: OnrampProvider | null
}

export interface ReceivedNotice {
  /** What the provider wants to read, bare; null: any success. */
  readonly receipt: Readonly<Record<string, string>> | null
  /** False: about something that no deposit has. */
  readonly isKnown: boolean
}

export type ReceiveNotice = (
  provider: ProviderName,
  headers: NoticeHeaders,
  rawBody: Buffer,
) => Promise<ReceivedNotice>

/** Refuses INVALID_SIGNATURE, and NOT_FOUND for a provider that is switched off. */
export function createReceiveNotice({ db, clock, gateway, onramp }: NoticeDeps): ReceiveNotice {
  const makeOneDue = gathered<NoticedOrder, boolean>({
    keyOf: () => 'notices',
    write: (orders) => makeDue(db, orders, clock.now()),
  })
  return async (provider, headers, rawBody) => {
    const adapter = provider === 'gateway' ? gateway : onramp
    if (adapter === null) return refuse('NOT_FOUND')
    const answer = adapter.readNotice(headers, rawBody, clock.now())
    if (answer.kind === 'bad_signature') return refuse('INVALID_SIGNATURE')
    const isKnown = answer.order !== null && (await makeOneDue({ provider, key: answer.order }))
    return { receipt: adapter.traits.noticeReceipt, isKnown }
  }
}
