import { throwBetween } from '../../kernel/dice.ts'
import {
  type BotOffer,
  type BotOfferStage,
  botOfferIdOf,
  type Move,
  rollbackTradeIdOf,
  tradeIdOf,
} from './offer.ts'

type Json = Record<string, unknown>

/** The platform's numbers for the state of an offer. */
const OFFER_STATES: Readonly<Record<BotOfferStage, number>> = {
  confirming: 9,
  active: 2,
  held: 3,
  released: 3,
  reversed: 3,
  declined: 7,
  expired: 5,
  canceled: 6,
  invalid_items: 8,
}
const TRADE_COMMITTED = 2
const TRADE_COMPLETE = 3
const TRADE_TAKEN_BACK = 12
const CONFIRMED_BY_PHONE = 2

/** An offer as the Web API shows it to the bot that made it. */
export function viewWebOffer(offer: BotOffer): Json {
  const { progress } = offer
  const tradeId = tradeIdOf(offer)
  return {
    tradeofferid: botOfferIdOf(offer),
    accountid_other: offer.partner,
    message: offer.message,
    expiration_time: seconds(progress.expiresAtMs),
    trade_offer_state: OFFER_STATES[progress.stage],
    ...(offer.give.length === 0 ? {} : { items_to_give: offer.give.map(viewItem(offer)) }),
    ...(offer.take.length === 0 ? {} : { items_to_receive: offer.take.map(viewItem(offer)) }),
    is_our_offer: true,
    time_created: seconds(offer.createdAtMs),
    time_updated: seconds(updatedAtMs(offer)),
    ...(tradeId === null ? {} : { tradeid: tradeId }),
    from_real_time_trade: false,
    escrow_end_date: 0,
    confirmation_method: offer.give.length === 0 ? 0 : CONFIRMED_BY_PHONE,
    eresult: 1,
  }
}

/** The platform writes some changes down with a time that is long past: every fourth one here. */
export function updatedAtMs({ seq, createdAtMs, progress }: BotOffer): number {
  const isBackdated = progress.endedAtMs !== null || progress.acceptedAtMs !== null
  if (!isBackdated || seq % 4 !== 0) return progress.updatedAtMs
  const earlyMs = throwBetween(60_000, 20 * 60_000, 'back-dated', seq)
  return Math.max(createdAtMs, progress.updatedAtMs - earlyMs)
}

/** The trade that came of an offer, from the bot's side. */
export function viewTrade(offer: BotOffer): Json {
  const { progress, plan } = offer
  const rollback = rollbackTradeIdOf(offer)
  const lasting = plan.tradeFault === undefined ? TRADE_COMPLETE : TRADE_COMMITTED
  return {
    tradeid: tradeIdOf(offer),
    steamid_other: offer.partnerId,
    time_init: seconds(progress.acceptedAtMs ?? 0),
    time_settlement: seconds(progress.settlesAtMs ?? 0),
    status: rollback === null ? lasting : TRADE_TAKEN_BACK,
    ...(offer.take.length === 0 ? {} : { assets_received: offer.take.map(viewMoved(offer)) }),
    ...(offer.give.length === 0 ? {} : { assets_given: offer.give.map(viewMoved(offer)) }),
    ...(rollback === null ? {} : { rollback_trade: rollback }),
  }
}

const viewMoved =
  ({ progress, plan }: BotOffer) =>
  ({ assetId, asset, newAssetId, returnedAssetId }: Move): Json => ({
    appid: 730,
    contextid: '2',
    assetid: assetId,
    amount: '1',
    classid: asset.classId,
    instanceid: asset.instanceId,
    ...(plan.tradeFault === 'status_2_bare'
      ? {}
      : {
          new_assetid: newAssetId,
          new_contextid: progress.stage === 'released' ? '2' : '16',
        }),
    ...(progress.stage === 'reversed'
      ? { rollback_new_assetid: returnedAssetId, rollback_new_contextid: '2' }
      : {}),
  })

/** An item that has moved since the offer was made is shown as missing. */
const viewItem =
  ({ progress }: BotOffer) =>
  ({ assetId, asset }: Move): Json => ({
    appid: 730,
    contextid: '2',
    assetid: assetId,
    classid: asset.classId,
    instanceid: asset.instanceId,
    amount: '1',
    missing: progress.acceptedAtMs !== null || progress.stage === 'invalid_items',
  })

const seconds = (timeMs: number): number => Math.floor(timeMs / 1000)
