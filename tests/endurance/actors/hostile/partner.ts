// A hostile partner and its children at their limits: one child, one transfer and one order asked for many
// times at once, money sent that is not there, withdrawals from a child's wallet, and deposits that are left.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { Db } from '../../../../apps/server/src/infra/database/db.ts'
import { createPartnerClient, type PartnerClient } from '../../../support/client.ts'
import { buyBody } from '../../../support/partner.ts'
import { pickWith } from '../../dice.ts'
import type { AttackDeps } from './deps.ts'
import { listCommonItems } from './orders.ts'
import { countFundings } from './races.ts'
import { assertServed } from './tally.ts'

interface Child {
  readonly client: PartnerClient
  readonly email: string
}

const MOST_CHILDREN = 12
const TIMES = 5

export interface PartnerAttack {
  step(): Promise<void>
}

export function createPartnerAttack({
  partner,
  db,
  tally,
  throwDice,
}: AttackDeps & {
  readonly partner: PartnerClient
  readonly db: Db
}): PartnerAttack {
  const pick = pickWith(throwDice)
  const children: Child[] = []
  let round = 0
  const openChild = async (): Promise<void> => {
    const email = `child-${++round}-${randomBytes(3).toString('hex')}@attack.example`
    const answers = await Promise.all(
      Array.from({ length: TIMES }, () => partner.call('createChild', { body: { email } })),
    )
    for (const answer of answers) tally.served('children', answer)
    const keys = answers.flatMap(({ data }) => data?.apiKey ?? [])
    assert.ok(keys.length <= 1, `one child came with ${keys.length} keys`)
    const [apiKey] = keys
    if (apiKey === undefined) return
    children.push({ client: createPartnerClient({ baseUrl: partner.baseUrl, apiKey }), email })
  }
  const transfer = async ({ email }: Child): Promise<void> => {
    const idempotencyKey = `attack-transfer-${++round}`
    const amountCents = pick([1, 500, 20_000, 100_000_000_000])
    const send = (amount: number, toEmail = email) =>
      partner.call('transferToChild', { body: { toEmail, amountCents: amount, idempotencyKey } })
    const answers = await Promise.all([
      ...Array.from({ length: TIMES }, () => send(amountCents)),
      send(amountCents + 1),
      send(amountCents, 'unknown@attack.example'),
    ])
    for (const answer of answers) tally.served('transfers', answer)
    const booked = await countFundings(db, idempotencyKey)
    assert.ok(booked <= 1, `${idempotencyKey} was booked ${booked} times`)
  }
  const buy = async ({ client }: Child): Promise<void> => {
    const item = pick(await listCommonItems(db))
    const listed = await client.call('listListings', { query: { item } })
    const { data } = tally.served('listings of a child', listed)
    const listing = data?.listings[0]
    if (listing === undefined) return
    const token = pick(['accept00', 'declin00', 'slowly00'])
    const idempotencyKey = `attack-order-${++round}`
    const answers = await Promise.all(
      Array.from({ length: TIMES }, () =>
        client.call('buyListing', { body: buyBody(listing, token), idempotencyKey }),
      ),
    )
    for (const answer of answers) tally.served('orders of a child', answer)
  }
  const withdraw = async ({ client }: Child): Promise<void> => {
    const body = {
      ...{ token: pick(['USDT', 'USDC']), network: pick(['base', 'ethereum', 'nowhere']) },
      ...{ address: `0x${randomBytes(20).toString('hex')}`, amount: pick([1, 3.5, 100_000]) },
    }
    const idempotencyKey = `attack-withdraw-${++round}`
    const answers = await Promise.all(
      Array.from({ length: TIMES }, () => client.call('withdraw', { body, idempotencyKey })),
    )
    for (const answer of answers) tally.served('withdrawals of a child', answer)
    const ids = new Set(answers.flatMap(({ data }) => data?.id ?? []))
    assert.ok(ids.size <= 1, `${idempotencyKey} made ${ids.size} withdrawals`)
  }
  const deposit = async ({ client }: Child): Promise<void> => {
    const query = { currency: 'USDT' }
    const { data } = tally.served(
      'chains of a child',
      await client.call('listCryptoChains', { query }),
    )
    const network = data?.[0]?.name ?? 'TRX'
    const body = { token: 'USDT', amount: pick([4.99, 5, 1000, 1_000_000]), network }
    const created = await client.call('createCryptoDeposit', { body })
    const made = tally.served('deposits of a child', created)
    if (!made.data) return
    const params = { depositId: made.data.depositId }
    const cancels = await Promise.all(
      Array.from({ length: TIMES }, () => client.call('cancelWalletDeposit', { params })),
    )
    for (const answer of cancels) tally.served('deposit cancels of a child', answer)
  }
  const read = async ({ client }: Child): Promise<void> => {
    const answers = await Promise.all([
      client.call('listOrders'),
      client.call('getWallet'),
      partner.call('getPartnerStats'),
      partner.call('listDepositRates'),
    ])
    for (const answer of answers) assertServed('a read of the partner', answer)
    tally.count('reads of the partner', answers.length)
  }
  return {
    step: async () => {
      if (children.length === 0 || (children.length < MOST_CHILDREN && throwDice() < 0.2)) {
        await openChild()
      }
      const child = pick(children)
      if (child === undefined) return
      await pick([transfer, transfer, buy, buy, withdraw, deposit, read])(child)
    },
  }
}
