// POST /inbound/{provider}: the notices of payment providers. No key: the body is signed, and each address
// has its own limit.
import { ADDRESS_LIMITS, inboundNotice } from '@tradepost/contract'
import type { ReceiveNotice } from '#deposits'
import { Refusal, refuse } from '#kernel/refusal'
import type { ApiInterface } from '../shared/api-interface.ts'
import { notFound } from '../shared/failure.ts'
import {
  type ConfirmedCaller,
  defineOperation,
  type Operation,
  PreparedResponse,
} from '../shared/operation.ts'
import type { AddressLimits } from '../shared/ports.ts'
import type { Principal } from '../shared/principal.ts'

interface Sender extends Principal, ConfirmedCaller {
  readonly ip: string
}

export interface InboundDeps {
  readonly receiveNotice: ReceiveNotice
  /** Every address passes when left out. */
  readonly addresses?: Pick<AddressLimits, 'admit'> | undefined
}

/** A sender is known by the signature of its body alone, which the handler checks. */
const confirm = async (): Promise<void> => {}

const PERMISSIONS: ReadonlySet<string> = new Set(['notify'])

export const createInboundInterface = ({
  receiveNotice,
  addresses,
}: InboundDeps): ApiInterface<Sender, Sender> => ({
  name: 'inbound',
  operations: [noticeOperation(receiveNotice)],
  authenticate: ({ ip }, operation) => {
    // An address that has no operation is not ours to charge.
    if (operation === null) throw new Refusal('NOT_FOUND')
    return { tenant: null, permissions: PERMISSIONS, ip, confirm }
  },
  limits: addresses
    ? {
        admit: ({ principal }) => addresses.admit(principal.ip, ADDRESS_LIMITS.inbound),
        untouched: () => ({}),
      }
    : null,
  resolveCaller: (sender) => sender,
  closedRoutes: [],
  prefixes: ['/inbound'],
  answerUnmatched: notFound,
})

const noticeOperation = (receiveNotice: ReceiveNotice): Operation<Sender> =>
  defineOperation<typeof inboundNotice, Sender>(
    { route: inboundNotice, permission: 'notify' },
    async ({ params, headers, rawBody }) => {
      const { provider } = params
      if (provider !== 'gateway' && provider !== 'onramp') return refuse('NOT_FOUND')
      const { receipt } = await receiveNotice(provider, headers, rawBody)
      // Bare: a provider repeats its notice until it reads its own receipt.
      return receipt === null
        ? { received: true }
        : new PreparedResponse(JSON.stringify(receipt), {})
    },
  ) as unknown as Operation<Sender>
