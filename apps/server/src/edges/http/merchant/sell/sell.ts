// GET /market/sell/prices, GET /market/sell/inventory, POST /market/sell
import { merchantRoutes, type SellInventoryItem } from '@tradepost/contract'
import type { CatalogueView } from '#catalog'
import type { Clock } from '#infra/process/clock'
import { assertDefined } from '#kernel/assert'
import { type Cents, parseAmount } from '#kernel/money'
import { Refusal, refuse } from '#kernel/refusal'
import { type AppraisalDeps, type Offered, readOffers, type Sell, type SellLine } from '#selling'
import { SUCCESS_TAIL, successHead } from '#wire/envelope'
import { sellItemView } from '#wire/merchant/selling'
import { moneyNumber } from '#wire/money'
import { PreparedResponse } from '../../shared/operation.ts'
import { segmentsOf } from '../../shared/whole-answers/shared-tail.ts'
import { MAKES_TRADE, type MerchantOperations, operation, tradingOperation } from '../operation.ts'
import { createSellPrices } from './sell-appraisal.ts'

export interface SellingOperationsDeps {
  readonly view: CatalogueView
  readonly clock: Clock
  readonly appraisal: AppraisalDeps
  readonly sell: Sell
}

export function createSellingOperations({
  view,
  clock,
  appraisal,
  sell,
}: SellingOperationsDeps): Pick<
  MerchantOperations,
  'listSellPrices' | 'getSellInventory' | 'sell'
> {
  const prices = createSellPrices({ view, clock })
  return {
    listSellPrices: operation(merchantRoutes.listSellPrices, async ({ caller, headers }) => {
      const whole = await prices(await appraisal.readPolicy())
      return whole.respond(caller.requestId, headers)
    }),

    getSellInventory: tradingOperation(merchantRoutes.getSellInventory, async ({ caller }) => {
      const { id: accountId, tenantId, platformId } = caller.account
      if (platformId === null) return refuse('PLATFORM_ACCOUNT_NOT_LINKED')
      const { requestId } = caller
      const offered = await readOffers(appraisal, { accountId, tenantId, platformId }, requestId)
      return inventoryResponse(offered, requestId)
    }),

    sell: tradingOperation(
      merchantRoutes.sell,
      async ({ caller, body }) => {
        const { account, tenant } = caller
        const receipt = await sell(
          {
            accountId: account.id,
            tenantId: account.tenantId,
            currency: account.currency,
            merchantCurrency: tenant.currency,
            merchantFeeBps: account.merchantSellFeeBps,
            platformId: account.platformId,
            primaryTradeUrl: account.primaryTradeUrl,
          },
          {
            requestId: caller.requestId,
            externalId: body.externalId ?? null,
            tradeUrl: body.tradeUrl ?? null,
            items: body.items.map(lineOf),
          },
        ).catch(priceShown)
        return {
          id: receipt.tradeId,
          status: 'initiated' as const,
          itemCount: receipt.itemCount,
          totalPrice: moneyNumber(receipt.total),
          currency: account.currency,
          createdAt: receipt.createdAt.toISOString(),
        }
      },
      { refusesSuspended: true, ...MAKES_TRADE },
    ),
  }
}

/** Written in pieces: an inventory of thousands of items is some megabytes. */
async function inventoryResponse(
  offered: readonly Offered[],
  requestId: string,
): Promise<PreparedResponse> {
  const parts = [Buffer.from(`${successHead(requestId)}{"items":[`)]
  const textOf = (each: Offered): string => {
    const item: SellInventoryItem = sellItemView(each)
    return JSON.stringify(item)
  }
  for await (const segment of segmentsOf(offered, { textOf })) {
    parts.push(Buffer.from(segment.text()))
  }
  parts.push(Buffer.from(`],"currency":"USD","count":${offered.length}}${SUCCESS_TAIL}`))
  return new PreparedResponse(parts, {})
}

interface ItemBody {
  readonly id?: string
  readonly assetid?: string
  readonly price: string
}

const lineOf = (item: ItemBody): SellLine => ({
  asset:
    item.id !== undefined
      ? { id: item.id }
      : { assetId: assertDefined(item.assetid, 'one name of the asset') },
  price: assertDefined(parseAmount(item.price), 'an amount of the contract’s form'),
})

/** The quote of the moment as a caller reads prices. */
function priceShown(error: unknown): never {
  if (error instanceof Refusal && error.key === 'PRICE_MISMATCH') {
    const { assetid, currentPriceCents } = error.details as {
      assetid: string
      currentPriceCents: Cents
    }
    throw new Refusal('PRICE_MISMATCH', { assetid, currentPrice: moneyNumber(currentPriceCents) })
  }
  throw error
}
