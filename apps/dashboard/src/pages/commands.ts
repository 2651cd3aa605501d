// Commands to paste into a terminal, in the order of a newcomer's first day.

const API = `-H "api-key: $TRADEPOST_API_KEY"`
const JSON_BODY = `-H "content-type: application/json"`

export const KEEP_KEY = "export TRADEPOST_API_KEY='tp_…'"
export const PAY_IN = `npx tradepost deposits create 100`
/** It answers 200 to whatever it is sent. */
export const ENDPOINT = `node -e 'require("http").createServer((q, r) => r.end()).listen(4000)'`
export const ADD_USER = `curl -s -X POST ${API} ${JSON_BODY} -d '{"externalId":"user-1"}' "${location.origin}/merchant/users"`
export const TRY_OUT = `curl -s ${API} "${location.origin}/market/search?inStock=true"`
export const BUY = `curl -s -X POST ${API} ${JSON_BODY} -d '{"itemId":"ITEM","maxPrice":"PRICE","tradeUrl":"TRADE_URL","amount":1,"delivery":"standard"}' "${location.origin}/market/quick-buy"`
/** For the key of a partner, or of a child. */
export const PARTNER_TRY_OUT = `curl -s -H "X-API-Key: $TRADEPOST_PARTNER_KEY" "${location.origin}/v2/market/search?end=100"`
