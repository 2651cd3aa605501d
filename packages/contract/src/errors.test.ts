import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ERROR_GROUPS, ERROR_KEYS, ERRORS, errorEntry, errorMessage, isErrorKey } from './errors.ts'
import { errorsPage } from './errors-page.ts'

// Numbers and statuses that merchants have in their code: a change here breaks them.
const PROMISED: Record<string, [code: number, status: number]> = {
  INTERNAL_ERROR: [1001, 500],
  VALIDATION_FAILED: [1002, 422],
  NOT_FOUND: [1003, 404],
  RATE_LIMITED: [1004, 429],
  SERVICE_DISABLED: [1005, 503],
  IDEMPOTENCY_CONFLICT: [1006, 409],
  BAD_REQUEST: [1007, 400],
  UNAUTHENTICATED: [1100, 401],
  INVALID_CREDENTIALS: [1101, 401],
  SESSION_EXPIRED: [1102, 401],
  CSRF_TOKEN_INVALID: [1103, 403],
  MISSING_API_KEY: [1104, 401],
  INVALID_API_KEY: [1105, 401],
  API_KEY_REVOKED: [1106, 401],
  INVALID_SIGNATURE: [1107, 401],
  TWO_FACTOR_REQUIRED: [1200, 401],
  TWO_FACTOR_INVALID: [1201, 401],
  TWO_FACTOR_EXPIRED: [1202, 401],
  TWO_FACTOR_ALREADY_ENABLED: [1203, 409],
  TWO_FACTOR_NOT_ENABLED: [1204, 409],
  TWO_FACTOR_FRESH_REQUIRED: [1205, 403],
  TWO_FACTOR_SETUP_REQUIRED: [1206, 403],
  FORBIDDEN: [1300, 403],
  ACCOUNT_SUSPENDED: [1301, 403],
  EMAIL_NOT_VERIFIED: [1302, 403],
  TOKEN_INVALID: [1303, 422],
  PASSWORD_TOO_WEAK: [1304, 422],
  API_KEY_IP_DENIED: [1305, 403],
  ACCOUNT_HAS_FUNDS: [1306, 409],
  USER_NOT_FOUND: [1307, 404],
  CHAT_UNAVAILABLE: [1308, 503],
  CHAT_ACCOUNT_TAKEN: [1309, 409],
  TRADEURL_INVALID_TOKEN: [1413, 422],
  TRADEURL_NOT_FOUND: [1414, 404],
  TRADEURL_PLATFORM_MISMATCH: [1415, 422],
  PLATFORM_ACCOUNT_NOT_LINKED: [1416, 422],
  INVENTORY_PRIVATE: [1417, 422],
  PLATFORM_UNAVAILABLE: [1418, 503],
  INSUFFICIENT_BALANCE: [1500, 402],
  SPENDING_LIMIT_REACHED: [1501, 403],
  DEPOSIT_NOT_FOUND: [1600, 404],
  DEPOSIT_AMOUNT_OUT_OF_RANGE: [1601, 422],
  QUOTE_INVALID: [1602, 422],
  QUOTE_EXPIRED: [1603, 409],
  DEPOSIT_NOT_CANCELLABLE: [1604, 409],
  DEPOSIT_CHAIN_UNSUPPORTED: [1605, 422],
  GATEWAY_UNAVAILABLE: [1606, 503],
  CRYPTO_PAYOUT_NOT_FOUND: [1820, 404],
  CRYPTO_PAYOUT_INSUFFICIENT_BALANCE: [1821, 402],
  CRYPTO_PAYOUT_DESTINATION_INVALID: [1822, 422],
  CRYPTO_PAYOUT_NO_CALLBACK_URL: [1823, 409],
  CRYPTO_PAYOUT_CHAIN_UNSUPPORTED: [1824, 422],
  CRYPTO_PAYOUT_AMOUNT_OUT_OF_RANGE: [1825, 422],
  USER_HAS_FUNDS_OR_OPEN_TRADES: [1900, 409],
  USER_DELETED: [1901, 409],
  EXTERNAL_ID_TAKEN: [1902, 409],
  WEBHOOK_LIMIT_REACHED: [1910, 409],
  MARKET_UNAVAILABLE: [2000, 503],
  ITEM_NOT_FOUND: [2010, 404],
  LISTING_NOT_FOUND: [2011, 404],
  PRICE_MISMATCH: [2020, 409],
  NO_LISTING_AT_PRICE: [2021, 409],
  TRADEURL_REQUIRED: [2022, 422],
  DUPLICATE_LISTING_ID: [2023, 422],
  TRADE_NOT_FOUND: [2030, 404],
  TRADE_CANCEL_TOO_SOON: [2031, 409],
  TRADE_NOT_CANCELLABLE: [2032, 409],
  TRADE_CANCEL_PENDING: [2033, 409],
  MARKET_ORDER_LIMIT_REACHED: [2040, 409],
  MARKET_ORDER_NOT_FOUND: [2041, 404],
  MARKET_ORDER_CLOSED: [2042, 409],
  SELL_ITEM_NOT_ACCEPTED: [2100, 409],
  SELL_ITEM_NOT_FOUND: [2101, 404],
  SELL_NO_BOT_AVAILABLE: [2102, 503],
}

test('every promised key has its number and status, and there is no other', () => {
  const actual = Object.fromEntries(
    Object.entries(ERRORS).map(([key, { code, status }]) => [key, [code, status]]),
  )
  assert.deepEqual(actual, PROMISED)
})

test('no two keys share a code', () => {
  const codes = ERROR_KEYS.map((key) => ERRORS[key].code)
  assert.equal(new Set(codes).size, codes.length)
})

test('every code is in a named group', () => {
  for (const key of ERROR_KEYS) {
    const { code } = ERRORS[key]
    assert.ok(
      ERROR_GROUPS.some(({ from }) => from === code - (code % 100)),
      key,
    )
  }
})

test('every sentence is one', () => {
  for (const key of ERROR_KEYS) {
    const { message, messages = {}, meaning, action } = errorEntry(key)
    for (const sentence of [message, ...Object.values(messages), meaning, action])
      assert.match(sentence, /^[A-Z].*\.$/, key)
  }
})

test('an example of meta names only documented fields', () => {
  for (const key of ERROR_KEYS) {
    const { meta = {}, metaExample = {} } = errorEntry(key)
    for (const name of Object.keys(metaExample)) assert.ok(name in meta, `${key}: ${name}`)
    // The usual cause of SERVICE_DISABLED, the pause of trading, has no meta, and only a batch has an index.
    const usual = Object.keys(meta).filter((name) => name !== 'index')
    const hasExample = usual.length > 0 && key !== 'SERVICE_DISABLED'
    assert.equal(hasExample, Object.keys(metaExample).length > 0, key)
  }
})

test('a known reason has a message of its own, any other the message of its key', () => {
  const { message, messages } = ERRORS.SERVICE_DISABLED
  assert.equal(errorMessage('SERVICE_DISABLED', { reason: 'switched_off' }), messages.switched_off)
  for (const meta of [undefined, {}, { reason: 'toString' }, { reason: 1 }, { reason: 'later' }]) {
    assert.equal(errorMessage('SERVICE_DISABLED', meta), message)
  }
  assert.equal(
    errorMessage('NOT_FOUND', { reason: 'switched_off' }),
    errorEntry('NOT_FOUND').message,
  )
})

test('a name that only every object has is no key', () => {
  assert.ok(isErrorKey('NOT_FOUND'))
  for (const name of ['toString', '__proto__', 'constructor', '']) assert.ok(!isErrorKey(name))
})

test('the page has a heading and a link for every key, in the order of the codes', () => {
  const page = errorsPage(ERRORS)
  const headings = [...page.matchAll(/^### (.*)$/gm)].map((match) => match[1])
  const byCode = [...ERROR_KEYS].sort((one, other) => ERRORS[one].code - ERRORS[other].code)
  assert.deepEqual(headings, byCode)
  for (const key of ERROR_KEYS) assert.ok(page.includes(`[${key}](#${key.toLowerCase()})`), key)
})
