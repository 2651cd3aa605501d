import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FailureCode } from '#ports/buying'
import { readPurchaseAnswer } from './purchase-answer.ts'

const refusal = (error: string, code?: unknown) => ({
  success: false,
  id: false,
  price: null,
  error,
  ...(code === undefined ? {} : { code }),
})

const REFUSALS: readonly (readonly [error: string, code: unknown, expected: FailureCode])[] = [
  ['No item was found at the specified price or lower.', 0, 'LISTING_UNAVAILABLE'],
  [
    'No items with the chance to transfer were found at the price or below',
    0,
    'LISTING_UNAVAILABLE',
  ],
  ['Предметы по указанной цене или ниже не найдены', 0, 'LISTING_UNAVAILABLE'],
  ['К сожалению, предложение устарело. Обновите страницу.', 0, 'LISTING_UNAVAILABLE'],
  ['Кто-то уже покупает этот предмет', '0', 'LISTING_UNAVAILABLE'],
  ['Not money', 0, 'MARKET_UNAVAILABLE'],
  ['Not enough funds on account', 0, 'MARKET_UNAVAILABLE'],
  ['Недостаточно средств на счету', 0, 'MARKET_UNAVAILABLE'],
  ['Вы не можете покупать предметы', 0, 'MARKET_UNAVAILABLE'],
  ['Покупка ограничена из-за не принятия большого кол-ва обменов', 0, 'BUYER_TRADE_RESTRICTED'],
  ['Вы не можете покупать из-за не принятия большого кол-ва обменов', 0, 'BUYER_TRADE_RESTRICTED'],
  ['Unfortunately, the offer has ended. Please refresh the page', 0, 'LISTING_UNAVAILABLE'],
  ['Неверная ссылка для обмена', 0, 'TRADE_URL_INVALID'],
  ['Invalid trade link', 0, 'TRADE_URL_INVALID'],
  [
    'Вам нужно сначала открыть инвентарь в настройках стим профиля.',
    undefined,
    'TRADE_URL_INVALID',
  ],
  [
    'First you must open your inventory in your Steam profile settings.',
    undefined,
    'TRADE_URL_INVALID',
  ],
  ['bad_token_inv_closed', undefined, 'TRADE_URL_INVALID'],
  [
    'Ошибка проверки ссылки, наш бот не сможет забрать или передать вам вещи',
    0,
    'STEAM_ACCOUNT_RESTRICTED',
  ],
  [
    'Error verifying link. Our bot cannot take or transfer your items.',
    0,
    'STEAM_ACCOUNT_RESTRICTED',
  ],
  ['Error: reason VACBan or Game ban.', 0, 'STEAM_ACCOUNT_RESTRICTED'],
  ['Бот забанен, скоро исправим.', 0, 'MARKET_UNAVAILABLE'],
  ['Item search error', 0, 'PURCHASE_FAILED'],
  ['link check failed', 3, 'MARKET_UNAVAILABLE'],
  ['checking bot banned', 20, 'MARKET_UNAVAILABLE'],
  ['recipient inventory hidden', 5, 'TRADE_URL_INVALID'],
  ['invalid link', '12', 'TRADE_URL_INVALID'],
  ['banned', 6, 'STEAM_ACCOUNT_RESTRICTED'],
  ['no mobile authenticator', 7, 'STEAM_ACCOUNT_RESTRICTED'],
  ['no offline trades', 8, 'STEAM_ACCOUNT_RESTRICTED'],
  ['inventory full', 21, 'STEAM_ACCOUNT_RESTRICTED'],
  ['Bad KEY', undefined, 'MARKET_UNAVAILABLE'],
  ['bad_key', undefined, 'MARKET_UNAVAILABLE'],
]

for (const [error, code, expected] of REFUSALS) {
  test(`"${error}" with code ${code} is a certain refusal: ${expected}`, () => {
    const { answer } = readPurchaseAnswer(200, refusal(error, code))
    assert.equal(answer.kind === 'refused' ? answer.code : answer.kind, expected)
  })
}

test('a code says more than the text beside it', () => {
  const { answer } = readPurchaseAnswer(200, refusal('Not money', 12))
  assert.equal(answer.kind === 'refused' && answer.code, 'TRADE_URL_INVALID')
})

test('only "nothing at this price" asks for a second look at the price', () => {
  const looked = REFUSALS.filter(
    ([error, code]) => readPurchaseAnswer(200, refusal(error, code)).isPriceOrGone,
  )
  assert.deepEqual(
    looked.map(([error]) => error.slice(0, 10)),
    ['No item wa', 'No items w', 'Предметы п'],
  )
})

test('what an operator must fix raises an alarm, what concerns the recipient does not', () => {
  const alarms = REFUSALS.filter(([error, code]) => {
    const { answer } = readPurchaseAnswer(200, refusal(error, code))
    return answer.kind === 'refused' && answer.alarm === true
  })
  assert.deepEqual(
    alarms.map(([error]) => error),
    [
      'Not money',
      'Not enough funds on account',
      'Недостаточно средств на счету',
      'Вы не можете покупать предметы',
      'Bad KEY',
      'bad_key',
    ],
  )
})

test('only a lack of money and a bad key say something of our account', () => {
  const said = REFUSALS.flatMap(([error, code]) => {
    const { answer } = readPurchaseAnswer(200, refusal(error, code))
    return answer.kind === 'refused' && answer.account ? [[error, answer.account]] : []
  })
  assert.deepEqual(said, [
    ['Not money', 'no_funds'],
    ['Not enough funds on account', 'no_funds'],
    ['Недостаточно средств на счету', 'no_funds'],
    ['Bad KEY', 'forbidden'],
    ['bad_key', 'forbidden'],
  ])
})

const UNKNOWN: readonly (readonly [what: string, status: number, body: unknown])[] = [
  ['an HTML page with status 200', 200, undefined],
  ['a 502', 502, undefined],
  ['a 500 that speaks JSON', 500, refusal('Not money', 0)],
  ['success without an id', 200, { success: true }],
  ['success with id false', 200, { success: true, id: false, price: 50 }],
  ['success with id 0', 200, { success: true, id: '0', price: 50 }],
  ['success with an id beyond exact numbers', 200, { success: true, id: 2 ** 60, price: 50 }],
  ['failure with an id', 200, { ...refusal('Not money', 0), id: '11392691554' }],
  ['code 2', 200, refusal('Not money', 2)],
  ['an unlisted text', 200, refusal('Something new', 0)],
  ['an unlisted code with an unlisted text', 200, refusal('Something new', 99)],
  ['no success flag', 200, { error: 'Not money' }],
  ['a bare list', 200, []],
  ['a bare text', 200, 'ok'],
  ['null', 200, null],
]

for (const [what, status, body] of UNKNOWN) {
  test(`${what} is an unknown outcome`, () => {
    assert.equal(readPurchaseAnswer(status, body).answer.kind, 'unknown')
  })
}

for (const [id, price] of [
  ['11392691554', 50],
  [11392691554, '50'],
] as const) {
  test(`an acceptance is read whether its id is a ${typeof id} or not`, () => {
    const { answer } = readPurchaseAnswer(200, { success: true, id, price })
    assert.deepEqual(answer, { kind: 'accepted', orderId: '11392691554', paidMills: 50n })
  })
}

test('an acceptance with a senseless price is accepted, the price unknown', () => {
  for (const price of [-5, 0, 'x', null, 1.5, 10 ** 15]) {
    const { answer } = readPurchaseAnswer(200, { success: true, id: 7, price })
    assert.deepEqual(answer, { kind: 'accepted', orderId: '7', paidMills: null })
  }
})
