// Deposits over HTTP against the sandbox's gateway and on-ramp, which speak the providers' protocols and
// lose, double, delay, reorder and forge what they send. Whatever happens, what was paid is credited once.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Deposit } from '@tradepost/contract'
import type { Browser } from 'playwright-core'
import { launch, noBrowser, open as openPage, overflowOf, PHONE } from '../support/browser.ts'
import type { SandboxCall } from '../support/sandbox-call.ts'
import { shareStack } from '../support/shared-stack.ts'
import type { Stack } from '../support/stack.ts'
import { aBuyer, balanceOf } from '../support/trading.ts'
import { until } from '../support/until.ts'

let stack: Stack
let users = 0

before(async () => {
  stack = await shareStack()
})
after(() => stack.close())

const control: SandboxCall = (...command) => stack.control.call(...command)
const script = (party: 'gateway' | 'onramp', ...next: string[]) =>
  control('POST', `/${party}/script`, { next })
const pay = (id: string, amount?: string) =>
  control('POST', `/gateway/${id}/pay`, amount === undefined ? {} : { amount })
const expire = (id: string) => control('POST', `/gateway/${id}/expire`)

interface Opened {
  readonly behalf: string
  readonly id: string
  /** US dollars that the quote promised. */
  readonly promised: number
}

async function quoted(behalf: string, amount: string, currency: string) {
  const { merchant } = stack
  return merchant.get('quoteDeposit', { behalf, body: { amount, currency } })
}

/** A gateway deposit of 100.00 USD, for an account of its own. */
async function open(currency: 'USDT' | 'BTC' = 'USDT', amount = '100.00'): Promise<Opened> {
  const { merchant } = stack
  const behalf = await aBuyer(merchant, `depositor-${users++}`, '1.00')
  const { quoteToken, receiveAmountUsd: promised } = await quoted(behalf, amount, currency)
  const { currencies } = await merchant.get('listDepositChains', { behalf })
  const chain = currencies.find((offered) => offered.currency === currency)?.chains[0]
  const created = await merchant.get('createDeposit', { behalf, body: { quoteToken, chain } })
  assert.equal(created.status, 'initiated')
  assert.ok(created.onChain.address.length > 10)
  return { behalf, id: created.fundingId, promised }
}

const read = ({ behalf, id }: Pick<Opened, 'behalf' | 'id'>): Promise<Deposit> =>
  stack.merchant.get('getDeposit', { behalf, params: { id } })

const untilStatus = (opened: Pick<Opened, 'behalf' | 'id'>, status: Deposit['status']) =>
  until(`${opened.id} is ${status}`, async () => {
    const deposit = await read(opened)
    return deposit.status === status && deposit
  })

/** What the account got since it was opened with a dollar. */
const gained = async ({ behalf }: Opened): Promise<number> =>
  Math.round(((await balanceOf(stack.merchant, behalf)) - 1) * 100) / 100

const typesOf = (id: string): string[] => stack.webhooks.of(id).map(({ type }) => type)

describe('a gateway deposit', { concurrency: 8 }, () => {
  it('paid exactly is completed and credited as quoted, and its events arrive in order', async () => {
    const opened = await open()
    await pay(opened.id)
    const deposit = await untilStatus(opened, 'completed')
    assert.equal(deposit.creditedAmount, opened.promised)
    assert.equal(await gained(opened), opened.promised)
    const events = ['deposit.initiated', 'deposit.pending', 'deposit.completed']
    await until('its webhooks', () => typesOf(opened.id).length === 3)
    assert.deepEqual(typesOf(opened.id), events)
  })

  it('paid in part is partial when its order ends, and a top-up completes it', async () => {
    const opened = await open()
    await pay(opened.id, '40')
    await until('the payer sees how much has come', async () => {
      const { status, receivedAmountToken, creditedAmount } = await untilStatus(opened, 'pending')
      return `${status} ${receivedAmountToken} ${creditedAmount}` === 'pending 40 null'
    })
    await expire(opened.id)
    const partial = await untilStatus(opened, 'partial')
    assert.equal(partial.receivedAmountToken, '40')
    await pay(opened.id, '60')
    await untilStatus(opened, 'completed')
    assert.equal(await gained(opened), opened.promised)
  })

  it('paid too much is credited whole', async () => {
    const opened = await open()
    await pay(opened.id, '150')
    await untilStatus(opened, 'completed')
    assert.equal(await gained(opened), Math.round(opened.promised * 150) / 100)
  })

  it('paid after its end is credited all the same', async () => {
    const opened = await open()
    await expire(opened.id)
    await untilStatus(opened, 'expired')
    await pay(opened.id)
    await untilStatus(opened, 'completed')
    assert.equal(await gained(opened), opened.promised)
  })

  it('paid after it was cancelled is credited all the same', async () => {
    const opened = await open()
    const { behalf, id } = opened
    const cancelled = await stack.merchant.get('cancelDeposit', { behalf, params: { id } })
    assert.deepEqual(cancelled, { depositId: id, status: 'cancelled' })
    await stack.merchant.refused('DEPOSIT_NOT_CANCELLABLE', 'cancelDeposit', {
      behalf,
      params: { id },
    })
    await pay(id)
    await untilStatus(opened, 'completed')
    assert.equal(await gained(opened), opened.promised)
  })

  it('that the provider pays back is refunded, and the wallet is debited', async () => {
    const opened = await open()
    await pay(opened.id)
    await untilStatus(opened, 'completed')
    await control('POST', `/gateway/${opened.id}/refund`, { amount: '100', state: 'refunded' })
    await untilStatus(opened, 'refunded')
    assert.equal(await gained(opened), 0)
  })

  it('in another currency is credited with what the provider converted it into', async () => {
    const opened = await open('BTC')
    await pay(opened.id)
    const deposit = await untilStatus(opened, 'completed')
    assert.equal(deposit.token, 'BTC')
    // The provider counts tokens to six digits, which is some cents of a bitcoin.
    const difference = (await gained(opened)) - opened.promised
    assert.ok(Math.abs(difference) < 0.2, String(difference))
  })

  it('is not found by another account', async () => {
    const { id } = await open()
    const behalf = await aBuyer(stack.merchant, `other-${users++}`, '1.00')
    const call = { behalf, params: { id } }
    await stack.merchant.refused('DEPOSIT_NOT_FOUND', 'getDeposit', call)
    await stack.merchant.refused('DEPOSIT_NOT_FOUND', 'cancelDeposit', call)
    assert.deepEqual((await stack.merchant.get('listDeposits', { behalf })).items, [])
  })
})

// Scripts apply to the next thing of their kind: one deposit at a time.
describe('a provider that misbehaves', () => {
  let slow: Opened

  it('that is slow to convert leaves the deposit pending and says so', async () => {
    slow = await open('BTC')
    await script('gateway', 'conversion_delay:12')
    await pay(slow.id)
    await until('it waits', async () => (await read(slow)).reason === 'conversion_delay')
  })

  it('that blocks a payment fails the deposit', async () => {
    const opened = await open()
    await script('gateway', 'payment_blocked')
    await pay(opened.id)
    const deposit = await untilStatus(opened, 'failed')
    assert.equal(deposit.reason, 'payment_blocked')
    assert.equal(await gained(opened), 0)
  })

  for (const fault of [
    'notice_lost',
    'notice_doubled',
    'notice_delayed:3',
    'notice_reordered',
    'notice_forged',
  ]) {
    it(`with ${fault} a payment is credited once`, async () => {
      const opened = await open()
      await script('gateway', fault)
      await pay(opened.id)
      await untilStatus(opened, 'completed')
      await script('gateway', 'replay_notices')
      assert.equal(await gained(opened), opened.promised)
    })
  }

  it('whose look-up shows another order or a false sum credits nothing for it', async () => {
    const opened = await open()
    await script('gateway', 'other_order')
    await script('gateway', 'false_total:5000', 'false_payment:5000', 'false_payment:1e9')
    await pay(opened.id)
    await untilStatus(opened, 'completed')
    assert.equal(await gained(opened), opened.promised)
  })

  it('that loses its answer to a create has one order, which is found and paid', async () => {
    const behalf = await aBuyer(stack.merchant, `depositor-${users++}`, '1.00')
    const { quoteToken, receiveAmountUsd: promised } = await quoted(behalf, '100.00', 'USDT')
    await script('gateway', 'lost_reply_placed')
    const body = { quoteToken, chain: await firstChain() }
    const answer = await stack.merchant.call('createDeposit', { behalf, body })
    const again = await stack.merchant.refused('QUOTE_INVALID', 'createDeposit', { behalf, body })
    const id = answer.data?.fundingId ?? String(answer.error?.meta?.depositId)
    // Of a create that was not answered nothing is listed before it is paid.
    assert.equal(again.meta?.depositId, answer.data?.fundingId)
    await pay(id)
    await until('it is listed', async () =>
      (await stack.merchant.get('listDeposits', { behalf })).items.some((one) => one.id === id),
    )
    await untilStatus({ behalf, id }, 'completed')
    assert.equal(await gained({ behalf, id, promised }), promised)
  })

  it('that is away is GATEWAY_UNAVAILABLE, and goes on afterwards', async () => {
    const behalf = await aBuyer(stack.merchant, `depositor-${users++}`, '1.00')
    const opened = await open()
    await control('PUT', '/gateway', { online: false })
    try {
      const body = { amount: '100.00' }
      await stack.merchant.refused('GATEWAY_UNAVAILABLE', 'quoteDeposit', { behalf, body })
    } finally {
      await control('PUT', '/gateway', { online: true })
    }
    await pay(opened.id)
    await untilStatus(opened, 'completed')
  })

  it('that was slow to convert has converted in the end', async () => {
    await untilStatus(slow, 'completed')
  })

  const firstChain = async (): Promise<string> => {
    const { currencies } = await stack.merchant.get('listDepositChains')
    return currencies.find(({ currency }) => currency === 'USDT')?.chains[0] ?? assert.fail()
  }
})

describe('a card deposit', { concurrency: 4 }, () => {
  async function openCard(): Promise<Opened & { widgetUrl: string }> {
    const { merchant } = stack
    const behalf = await aBuyer(merchant, `card-${users++}`, '1.00')
    const body = { payAmount: '50.00', payCurrency: 'EUR' }
    const quote = await merchant.get('quoteOnramp', { behalf, body })
    const { quoteToken, receiveAmountUsd: promised } = quote
    const redirectUrl = 'https://shop.example/done'
    const created = await merchant.get('createOnramp', {
      behalf,
      body: { quoteToken, redirectUrl },
    })
    return { behalf, id: created.fundingId, promised, widgetUrl: created.widgetUrl }
  }

  it('that is paid is credited with what the provider sends', async () => {
    const opened = await openCard()
    assert.equal((await fetch(opened.widgetUrl)).status, 200)
    await control('POST', `/onramp/${opened.id}/complete`)
    const deposit = await untilStatus(opened, 'completed')
    assert.equal(deposit.method, 'onramp')
    assert.ok(Math.abs((await gained(opened)) - opened.promised) < 0.02)
  })

  for (const reason of ['name_mismatch', 'amount_mismatch', 'abandoned']) {
    it(`that ends as ${reason} fails and says so`, async () => {
      const opened = await openCard()
      await control('POST', `/onramp/${opened.id}/fail`, { reason })
      assert.equal((await untilStatus(opened, 'failed')).reason, reason)
      assert.equal(await gained(opened), 0)
    })
  }

  it('of which less arrives is partial, and what arrives is credited', async () => {
    const opened = await openCard()
    await script('onramp', 'sends:25')
    await control('POST', `/onramp/${opened.id}/complete`)
    await untilStatus(opened, 'partial')
    assert.equal(await gained(opened), 25)
  })
})

describe('the page on which a card is charged', () => {
  let browser: Browser
  before(async () => {
    if (noBrowser === false) browser = await launch()
  })
  after(() => browser?.close())

  /** Back at the shop: any page of ours stands for it. */
  const shopUrl = (): string => `${stack.demo.baseUrl}/docs`
  const untilOwn = (id: string, wanted: Deposit['status']) =>
    until(`the deposit is ${wanted}`, async () => {
      const { status } = await stack.merchant.get('getDeposit', { params: { id } })
      return status === wanted
    })
  async function beginCard(): Promise<{ readonly id: string; readonly widgetUrl: string }> {
    const { merchant } = stack
    const { quoteToken } = await merchant.get('quoteOnramp', {
      body: { payAmount: '100.00', payCurrency: 'EUR' },
    })
    const begun = await merchant.get('createOnramp', {
      body: { quoteToken, redirectUrl: shopUrl() },
    })
    return { id: begun.fundingId, widgetUrl: begun.widgetUrl }
  }

  it('a person pays by the keyboard alone and is sent back to the shop', {
    skip: noBrowser,
  }, async (t) => {
    const { id, widgetUrl } = await beginCard()
    const { page, errors, foreignRequests } = await openPage(t, {
      ...{ browser, url: widgetUrl },
      options: PHONE,
    })
    assert.ok((await overflowOf(page)) <= 0)
    assert.equal(await page.locator('html').getAttribute('lang'), 'en')
    assert.equal(await page.getByRole('heading', { level: 1 }).count(), 1)
    await page.keyboard.press('Tab')
    assert.equal(await page.locator(':focus').innerText(), 'Pay 100.00 EUR')
    await page.keyboard.press('Enter')
    await page.getByRole('status').waitFor()
    assert.deepEqual([errors, foreignRequests], [[], []])
    await page.waitForURL(`${shopUrl()}?**`)
    const { searchParams } = new URL(page.url())
    assert.equal(searchParams.get('merchantRecognitionId'), id.replaceAll('-', ''))
    await untilOwn(id, 'completed')
  })

  it('a person who cancels returns at once, and the payment cannot be made any more', {
    skip: noBrowser,
  }, async (t) => {
    const { id, widgetUrl } = await beginCard()
    const { page } = await openPage(t, { browser, url: widgetUrl })
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('You canceled the payment.').waitFor()
    await page.getByRole('link', { name: 'Return now' }).click()
    await page.waitForURL(`${shopUrl()}?**`)
    assert.equal(new URL(page.url()).searchParams.get('status'), 'failed')
    await page.goto(widgetUrl)
    assert.equal(await page.getByRole('button').count(), 0)
    await untilOwn(id, 'failed')
  })
})

it('a notice without a good signature, and one of an unknown provider, are refused', async () => {
  const post = (provider: string, body: string) =>
    fetch(`${stack.demo.baseUrl}/inbound/${provider}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
  const forged = await post('gateway', '{"bizType":"PAY_ADDRESS"}')
  assert.equal(forged.status, 401)
  const { error } = (await forged.json()) as { error: { key: string } }
  assert.equal(error.key, 'INVALID_SIGNATURE')
  assert.equal((await post('elsewhere', '{}')).status, 404)
  assert.equal((await post('gateway', '{')).status, 400)
})

it('amounts outside the bounds are refused', async () => {
  const { merchant } = stack
  for (const amount of ['4.99', '25000.01']) {
    await merchant.refused('DEPOSIT_AMOUNT_OUT_OF_RANGE', 'quoteDeposit', { body: { amount } })
  }
  for (const amount of ['5', '25000']) await merchant.get('quoteDeposit', { body: { amount } })
  for (const [out, within] of [
    [{ payAmount: '19.99' }, { payAmount: '20.00' }],
    [{ payAmount: '10000.01' }, { payAmount: '10000' }],
    [{ receiveAmount: '19.99' }, { receiveAmount: '20' }],
    [{ receiveAmount: '10000.01' }, { receiveAmount: '10000' }],
  ]) {
    const refused = { body: { ...out, payCurrency: 'USD' as const } }
    await merchant.refused('DEPOSIT_AMOUNT_OUT_OF_RANGE', 'quoteOnramp', refused)
    await merchant.get('quoteOnramp', { body: { ...within, payCurrency: 'USD' } })
  }
  const both = { payAmount: '50.00', receiveAmount: '50.00', payCurrency: 'USD' }
  await merchant.refused('VALIDATION_FAILED', 'quoteOnramp', { body: both })
})
