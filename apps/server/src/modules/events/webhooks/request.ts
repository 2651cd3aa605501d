// What an attempt sent, as it is kept: headers and body, deflated with a dictionary of texts that nearly all
// of them have. PostgreSQL would compress a row of more than 2 kB only, and without knowing what others have.
// Of a trade's request, 1,400 bytes, about 400 are left; 810 without the dictionary.
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { assertDefined } from '#kernel/assert'

export interface SentRequest {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A byte that says which dictionary, and what it was deflated to. */
export function packRequest({ headers, body }: SentRequest): Buffer {
  const text = `${JSON.stringify(headers)}\n${body}`
  const deflated = deflateRawSync(text, { dictionary: DICTIONARIES[NEWEST], windowBits: 13 })
  return Buffer.concat([Buffer.of(NEWEST), deflated])
}

export function unpackRequest(packed: Uint8Array): SentRequest {
  const dictionary = assertDefined(DICTIONARIES[packed[0] ?? 0], 'dictionary of a kept request')
  const text = inflateRawSync(packed.subarray(1), { dictionary }).toString('utf8')
  const end = text.indexOf('\n')
  return { headers: JSON.parse(text.slice(0, end)), body: text.slice(end + 1) }
}

const NEWEST = 1

/**
 * By number. One that was in use is never changed: a better one is added, and the old one may go when no row
 * that it packed is kept. What is found most often stands last.
 */
const DICTIONARIES: Readonly<Record<number, Buffer>> = {
  [NEWEST]: Buffer.from(
    [
      '"reason":"code":"message":"type":"sell","subUserId":"externalId":"payout.crypto.withdraw.approval"',
      '"payout.crypto.withdraw.broadcast","confirmed","refunded","data":{"withdrawal":{"id":"amount":"txHash":"0x',
      '"chain":"network":"token":"symbol":"address":"nonce":"confirmations":"fee":"requestedAt":"deposit.initiated"',
      '"deposit.pending","deposit.completed","deposit.expired","data":{"deposit":{"method":"creditedAmount":',
      '"market_order.filled","market_order.paused","data":{"order":{"quantity":"filled":"maxPrice":"expiresAt":',
      '"service.status_changed","order.updated","order.refunded","failed","canceled","declined","reverted"',
      '"revertedBy":"user","error":"refund":{"itemId":"buyerFault":false,"refunded":0,"penalty":0}',
      '"settlement":{"houseFeeCents":0,"merchantFeeCents":0},"quality":"StatTrak™ ","Souvenir ","★ Knife","Gloves"',
      '"phase":"sticker":"stickers":[{"slot":0,"keychains":"Minimal Wear","Factory New","Well-Worn","Battle-Scarred"',
      '"Sniper Rifle","Pistol","SMG","Shotgun","Machinegun","Container","Sticker","Consumer Grade","Industrial Grade"',
      '"Restricted","Classified","Covert","b0c3d9","5e98d9","8847ff","d32ce6","eb4b4b","type":"Base Grade Container"',
      'x-service-signature","traceparent":"00-","trade.initiated","trade.pending","trade.active","trade.settled"',
      '"trade.refunded","status":"initiated","status":"pending","status":"active","offerId":"","externalId":"',
      // A request as most are.
      '{"content-type":"application/json","user-agent":"Service-Webhooks/1.0","webhook-id":"01","webhook-timestamp":"17',
      '","webhook-signature":"t=17,s="}\n{"id":"01","type":"trade.completed","createdAt":"2026-01-01T00:00:00.000Z"',
      ',"data":{"trade":{"id":"01","type":"buy","userId":"01","platformId":"765611980","tradeUrl":',
      '"https://steamcommunity.com/tradeoffer/new/?partner=1&token=","status":"hold","game":"cs2","items":[{"id":"01',
      '","name":"AK-47 | ","marketHashName":"AK-47 |  (Field-Tested)","type":"Mil-Spec Grade Rifle","iconUrl":"',
      '_medium","price":1.,"status":"hold","tradable":true,"exterior":"Field-Tested","rarity":"Mil-Spec Grade",',
      '"color":"4b69ff","wear":"0.1","paintSeed":1,"delivery":"instant","offerId":"1"}],"summary":{"total":1,',
      '"delivered":1,"completed":1,"failed":0},"totalPrice":1.,"currency":"USD","createdAt":"2026-01-01T00:00:00.000Z"',
      ',"updatedAt":"2026-01-01T00:00:00.000Z","offerId":"1","externalId":"order-1","holdEndDate":"2026-',
      '01-01T00:00:00.000Z","settledAt":"2026-01-01T00:00:00.000Z"}}}',
    ].join(''),
  ),
}
