// Money into the wallets of partners and children, and out of them.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { aChildOf, balanceOf, type PartnerEnvironment } from '../../support/partner.ts'
import { centsOf } from '../../support/trading.ts'
import { until } from '../../support/until.ts'

export function registerWallet(environment: () => PartnerEnvironment): void {
  it('a deposit through the gateway is listed, cancelled, or paid and credited', async () => {
    const { stack, partner, child } = environment()
    const { client } = await aChildOf(partner)
    const [chain] = await client.get('listCryptoChains', { query: { currency: 'USDT' } })
    assert.ok(chain)
    const body = { token: 'USDT', amount: 25, network: chain.name }
    const first = await client.get('createCryptoDeposit', { body })
    const statuses = async (status?: string): Promise<string[]> => {
      const query = status === undefined ? {} : { status }
      return (await client.get('getWallet', { query })).deposits.map((each) => each.status)
    }
    assert.deepEqual(await statuses(), ['initiated'])
    const params = { depositId: first.depositId }
    const { status } = await client.get('cancelWalletDeposit', { params })
    assert.equal(status, 'cancelled')
    await client.refused('DEPOSIT_NOT_CANCELLABLE', 'cancelWalletDeposit', { params })
    await child.refused('DEPOSIT_NOT_FOUND', 'cancelWalletDeposit', { params })
    await client.refused('DEPOSIT_CHAIN_UNSUPPORTED', 'createCryptoDeposit', {
      body: { ...body, network: 'NONE' },
    })

    const paid = await client.get('createCryptoDeposit', { body })
    const control = `${stack.demo.sandboxUrl}/control/gateway/${paid.prepayId}/pay`
    assert.ok((await fetch(control, { method: 'POST' })).ok)
    await until('the payment is credited', async () =>
      (await statuses('completed')).length === 1 ? true : null,
    )
    const balance = await balanceOf(client)
    assert.equal(balance, centsOf(paid.payAmountUsd) - centsOf(paid.gatewayFee))
    assert.deepEqual(await statuses('cancelled'), ['cancelled'])
  })

  it('a statement adds a month of the wallet up, of the key that asks', async () => {
    const { partner } = environment()
    const { client } = await aChildOf(partner)
    for (const each of [partner, client]) {
      const { closed, number, wallets } = await each.get('getStatement')
      assert.deepEqual([closed, number, wallets.length], [false, null, 1])
      const [wallet] = wallets
      assert.ok(wallet)
      assert.deepEqual([wallet.wallet, wallet.currency], ['spot', 'USD'])
      const moved = wallet.rows.reduce(
        (sum, row) => sum + centsOf(row.credit) - centsOf(row.debit),
        0,
      )
      assert.equal(centsOf(wallet.opening) + moved, centsOf(wallet.closing))
      assert.equal(centsOf(wallet.closing), await balanceOf(each))
    }
    const query = { month: '2001-01' }
    const { closed, number, wallets } = await client.get('getStatement', { query })
    assert.deepEqual([closed, number, wallets[0]?.rows], [true, '2001-01-0000', []])
    await client.refused('VALIDATION_FAILED', 'getStatement', { query: { month: '9999-01' } })
  })

  it('a deposit by card is quoted, opened, and credited when it is paid', async () => {
    const { stack, partner } = environment()
    const { client } = await aChildOf(partner)
    const body = { fiatAmount: 50, fiatType: 12, type: 1, coinCode: 'usdc', network: 'bep20' }
    const quote = await client.get('quoteCardDeposit', { body })
    assert.deepEqual([quote.fiatAmount, quote.fiatType, quote.expiresIn], [50, 12, '5m'])
    assert.ok(quote.coinAmount > 20 && quote.rate < 1)
    const session = await client.get('openCardSession', {
      body: { coinId: 116, chainId: 1, fiatType: 12, fiatAmount: 50, type: 1, paymentMethod: 2 },
    })
    assert.deepEqual(session.quote, quote)
    assert.match(session.widgetUrl, /^http/)
    assert.equal(
      session.merchantRecognitionId.replaceAll('-', ''),
      session.depositId.replaceAll('-', ''),
    )
    const control = `${stack.demo.sandboxUrl}/control/onramp/${session.depositId}/complete`
    assert.ok((await fetch(control, { method: 'POST' })).ok)
    const [deposit] = await until('it is credited', async () => {
      const { deposits } = await client.get('getWallet', { query: { status: 'completed' } })
      return deposits.length > 0 ? deposits : null
    })
    assert.deepEqual([deposit?.id, deposit?.method], [session.depositId, 'onramp'])
    assert.equal(await balanceOf(client), centsOf(quote.coinAmount))

    const wanted = await client.get('openCardSession', { body: { fiatType: 21, coinAmount: 40 } })
    assert.ok((wanted.quote?.coinAmount ?? 0) >= 40)
    const open = { fiatType: 21, fiatAmount: 50 }
    for (const [key, wrong] of [
      ['VALIDATION_FAILED', { fiatType: 21 }],
      ['VALIDATION_FAILED', { ...open, coinId: 54, coinCode: 'usdc' }],
      ['VALIDATION_FAILED', { ...open, chainId: 1, network: 'erc20' }],
      ['VALIDATION_FAILED', { ...open, fiatAmount: 50.001 }],
      ['DEPOSIT_CHAIN_UNSUPPORTED', { ...open, chainId: 2 }],
      ['DEPOSIT_CHAIN_UNSUPPORTED', { ...open, network: 'trc20' }],
      ['DEPOSIT_AMOUNT_OUT_OF_RANGE', { ...open, fiatAmount: 1 }],
    ] as const) {
      const { meta } = await client.refused(key, 'openCardSession', { body: wrong })
      const chains = ['erc20', 'bep20', 'arbitrum', 'base', 'optimism']
      if (key === 'DEPOSIT_CHAIN_UNSUPPORTED') assert.deepEqual(meta, { chains })
    }
    const card = { fiatType: 21, type: 1, coinCode: 'usdt', network: 'bep20' } as const
    for (const [out, within] of [
      [19.99, 20],
      [10_000.01, 10_000],
    ] as const) {
      const [refused, taken] = [out, within].map((fiatAmount) => ({ ...card, fiatAmount }))
      const key = 'DEPOSIT_AMOUNT_OUT_OF_RANGE'
      await client.refused(key, 'quoteCardDeposit', { body: refused })
      await client.get('quoteCardDeposit', { body: taken })
    }
    const mapping = await client.get('getOnrampMapping')
    assert.ok('chainSymbolMapping' in mapping)
    assert.ok(Object.keys(await client.get('getOnrampLimits')).length > 0)
    assert.ok('DE' in (await client.get('getOnrampCountries')))
  })

  it('rates are shown to the partner alone, with the chains of each token', async () => {
    const { partner, child } = environment()
    const { baseUsdAmount, feeMultiplier, currencies } = await partner.get('listDepositRates')
    assert.deepEqual([baseUsdAmount, feeMultiplier], [5, 0.995])
    const usdt = currencies.find(({ token }) => token === 'USDT')
    assert.ok(usdt?.isStable && (usdt.rate?.usdPerToken ?? 0) > 0.97)
    assert.ok(usdt.chains.length > 0 && usdt.chains.every(({ symbol }) => symbol === 'USDT'))
    await child.refused('FORBIDDEN', 'listDepositRates')
  })

  it('a withdrawal is refused where no chain is switched on, and for what is no amount', async () => {
    const { child } = environment()
    const address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
    const body = { token: 'USDT', network: 'base', address, amount: 20 }
    const start = await balanceOf(child)
    await child.refused('CRYPTO_PAYOUT_CHAIN_UNSUPPORTED', 'withdraw', { body })
    for (const wrong of [{ amount: 0 }, { amount: -1 }, { amount: 1.001 }, { token: 'NATIVE' }]) {
      await child.refused('VALIDATION_FAILED', 'withdraw', { body: { ...body, ...wrong } })
    }
    assert.deepEqual(await child.get('listWithdrawFees', { query: { currency: 'USDT' } }), [])
    assert.equal(await balanceOf(child), start)
  })
}
