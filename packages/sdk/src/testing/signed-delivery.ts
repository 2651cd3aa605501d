// A delivery as the service signs it, now.
import { createHmac } from 'node:crypto'

const SECRET = `whsec_${'A'.repeat(42)}E`
const ID = '0193f3f0-0000-7000-8000-0000000000aa'

const EVENT = {
  id: ID,
  type: 'trade.refunded',
  createdAt: '2026-11-21T09:30:00.000Z',
  data: {
    trade: { id: '0193f3f0-0000-7000-8000-0000000000bb', externalId: 'žofie’s order' },
    refund: {
      itemId: '0193f3f0-0000-7000-8000-0000000000cc',
      buyerFault: true,
      refunded: 9.8,
      penalty: 0.2,
    },
  },
}

export interface TestDelivery {
  readonly event: typeof EVENT
  readonly secret: string
  readonly body: string | Buffer
  readonly headers: Readonly<Record<string, string>>
}

/** An approval callback for a withdrawal. */
export const APPROVAL = {
  ...EVENT,
  type: 'payout.crypto.withdraw.approval',
  data: {
    withdrawal: {
      id: '0193f3f0-0000-7000-8000-0000000000dd',
      userId: '0193f3f0-0000-7000-8000-0000000000ee',
      externalId: 'payout-1',
      forUserId: null,
      forUserExternalId: 'anna',
      status: 'pending_callback',
      chain: 'base',
      token: 'USDC',
      tokenAddress: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      destination: '0x52908400098527886E0F7030069857D2E4169EE7',
      amountCents: 2500,
      feeCents: 50,
      amountWei: '25000000',
      txHash: null,
      failureReason: null,
      callbackAttempts: 1,
      createdAt: '2026-11-21T09:30:00.000Z',
      broadcastAt: null,
      confirmedAt: null,
    },
  },
}

export function signedDelivery({
  body = JSON.stringify(EVENT, null, 2),
}: {
  readonly body?: string | Buffer
} = {}): TestDelivery {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signature = createHmac('sha256', SECRET)
    .update(`${ID}.${timestamp}.`)
    .update(body)
    .digest('base64url')
  return {
    event: EVENT,
    secret: SECRET,
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Service-Webhooks/1.0',
      'webhook-id': ID,
      'webhook-timestamp': timestamp,
      'webhook-signature': `t=${timestamp},s=${signature}`,
    },
  }
}
