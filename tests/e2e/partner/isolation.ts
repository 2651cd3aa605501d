// What a key sees and moves: its own account, and nothing of any other.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import {
  type MerchantRouteId,
  merchantRoutes,
  type PartnerRoute,
  type PartnerRouteId,
  partnerRoutes,
  type Route,
  valueExample,
} from '@tradepost/contract'
import { sql } from '../../../apps/server/src/infra/database/db.ts'
import {
  aChildOf,
  aSecondPartner,
  balanceOf,
  type PartnerEnvironment,
  REQUIRED_QUERIES,
} from '../../support/partner.ts'

export function registerIsolation(environment: () => PartnerEnvironment): void {
  describe('isolation', () => {
    /** Everything that names something of a merchant, a partner or a child. */
    const privateIds = async (): Promise<string[]> => {
      const { stack, partner, child } = environment()
      const { orders } = await child.get('listOrders')
      const { items: rows } = await child.get('listLedger')
      const { trades } = await stack.merchant.get('listMerchantTrades')
      const { items: users } = await stack.merchant.get('listSubUsers')
      const [profile, partnerProfile] = [
        await child.get('getProfile'),
        await partner.get('getProfile'),
      ]
      return [
        ...orders.map(({ id }) => id),
        ...rows.map(({ id }) => id),
        ...trades.flatMap(({ id, items }) => [id, ...items.map((item) => item.id)]),
        ...users.map(({ id }) => id),
        ...[profile.profile.id, partnerProfile.profile.id],
        ...(await accountIds()),
      ]
    }
    const ACCOUNT_IDS = sql('test_account_ids', 'select id from identity.account limit 100')
    const accountIds = async (): Promise<string[]> =>
      (await environment().stack.database.db.query<{ id: string }>(ACCOUNT_IDS)).map(({ id }) => id)

    it('of a child: no route shows or moves anything of its siblings, its partner or a merchant', async () => {
      const { partner } = environment()
      const { client: otherTenant } = await aChildOf(partner)
      const ids = await privateIds()
      assert.ok(ids.length > 10)
      for (const { id, method, params } of Object.values(partnerRoutes) as PartnerRoute[]) {
        if (method !== 'GET' || params !== undefined) continue
        const { data } = await otherTenant.call(id as PartnerRouteId, {
          query: REQUIRED_QUERIES[id] ?? {},
        })
        const text = JSON.stringify(data)
        const shown = ids.filter((each) => text.includes(each))
        // The partner's name is shown to its children, as the source of a fee.
        const allowed = id === 'getFees' ? 1 : 0
        assert.ok(shown.length <= allowed, `${id} shows ${shown}`)
      }
    })

    it('of a second partner: nothing of the first is shown to it or moved by it', async () => {
      const { stack, partner, child } = environment()
      const other = await aSecondPartner(stack)
      const { client: itsChild, apiKeyId } = await aChildOf(other)
      const { email } = await aChildOf(partner)
      const { deposits } = await child.get('getWallet')
      const ids = [...new Set([...(await privateIds()), ...deposits.map(({ id }) => id)])]
      const routes = Object.values(partnerRoutes) as PartnerRoute[]
      for (const client of [other, itsChild]) {
        for (const { id, method, params, body } of routes) {
          const call = { query: REQUIRED_QUERIES[id] ?? {} }
          if (method === 'GET' && params === undefined) {
            const text = JSON.stringify((await client.call(id as PartnerRouteId, call)).data)
            assert.deepEqual(
              ids.filter((each) => text.includes(each)),
              [],
              id,
            )
          }
          for (const foreign of params === undefined ? [] : ids) {
            const answer = await client.call(id as PartnerRouteId, {
              ...{ ...call, params: { id: foreign, depositId: foreign } },
              body: body && {},
            })
            assert.ok(answer.error !== null, `${id} ${foreign}`)
          }
        }
      }
      const transfer = { amountCents: 1, idempotencyKey: randomUUID() }
      for (const to of [{ toEmail: email }, ...ids.map((id) => ({ toApiKeyId: id }))]) {
        await other.refused('USER_NOT_FOUND', 'transferToChild', { body: { ...transfer, ...to } })
      }
      await partner.refused('USER_NOT_FOUND', 'transferToChild', {
        body: { ...transfer, toApiKeyId: apiKeyId },
      })
      // The same address is a child of its own for each partner.
      const twin = await other.get('createChild', { body: { email } })
      assert.ok(twin.apiKey !== undefined)
      const stats = await other.get('getPartnerStats')
      assert.deepEqual(new Set(Object.values(stats)), new Set([0]))
      const { items: users } = await stack.merchant.get('listSubUsers')
      const subUsers = new Set(users.map(({ id }) => id))
      for (const behalf of ids) {
        const { error } = await stack.merchant.call('listDeposits', { behalf })
        assert.ok(subUsers.has(behalf) || error?.key === 'USER_NOT_FOUND', behalf)
      }
    })

    it('by ids: every foreign id on every route of both interfaces is not found', async () => {
      const { stack, partner, child } = environment()
      const { client: otherTenant } = await aChildOf(partner)
      const ids = [...new Set(await privateIds())]
      const isRefused = (
        id: string,
        { status, error }: { status: number; error: { key: string } | null },
      ) =>
        assert.ok(
          status === 404 || error?.key === 'VALIDATION_FAILED' || error?.key === 'FORBIDDEN',
          id,
        )
      for (const route of Object.values(partnerRoutes) as PartnerRoute[]) {
        if (route.params === undefined) continue
        for (const foreign of ids) {
          const call = { params: { id: foreign, depositId: foreign }, body: route.body && {} }
          isRefused(route.id, await otherTenant.call(route.id as PartnerRouteId, call))
        }
      }
      for (const toApiKeyId of ids.filter((each) => each !== '')) {
        const body = { toApiKeyId, amountCents: 1, idempotencyKey: randomUUID() }
        const answer = await otherTenant.call('transferToChild', { body })
        assert.equal(answer.error?.key, 'FORBIDDEN')
      }
      // Of the merchant interface: ids of the partner's environment.
      const ofPartner = [
        ...(await child.get('listOrders')).orders.map(({ id }) => id),
        (await child.get('getProfile')).profile.id,
      ]
      for (const route of Object.values(merchantRoutes) as Route[]) {
        if (route.params === undefined) continue
        for (const foreign of ofPartner) {
          const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, foreign])
          const answer = await stack.merchant.call(route.id as MerchantRouteId, {
            params: Object.fromEntries(names),
            idempotencyKey: randomUUID(),
            ...(route.body && { body: valueExample(route.body) }),
          })
          isRefused(route.id, answer)
        }
      }
      assert.equal(await balanceOf(otherTenant), 0)
    })
  })
}
