// What persons do on the dashboard's pages, in a real browser, over the real interface and database.
import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import { TOTP } from 'otpauth'
import type { BrowserContextOptions } from 'playwright-core'
import { cents } from '../../apps/server/src/kernel/money.ts'
import { createChild } from '../../apps/server/src/modules/accounts/identity/index.ts'
import { credit } from '../../apps/server/src/modules/money/ledger/testing/wallets.ts'
import { createReporter } from '../../apps/server/src/modules/trading/reconciliation/report.ts'
import { givenManyTrades } from '../../apps/server/src/modules/trading/trades/testing/many-trades.ts'
import { givenStuckTrades } from '../../apps/server/src/operations/testing/stuck-trades.ts'
import { hold, noBrowser, open, PHONE, type Watched } from '../support/browser.ts'
import {
  addEndpoint,
  closeSecret,
  faultsOf,
  giveLogin,
  givenDashboard,
  logInTo,
  pagesOf,
  settled,
  violations,
} from '../support/dashboard.ts'
import { givenHostileDelivery } from '../support/hostile-data.ts'
import { answerOps } from '../support/server.ts'

const skip = noBrowser

const dashboard = givenDashboard()
const base = (): string => pagesOf(dashboard.server)

const faults = faultsOf
const loggedIn = (
  t: TestContext,
  person: { email: string; options?: BrowserContextOptions },
): Promise<Watched> =>
  logInTo(t, { server: dashboard.server, browser: dashboard.browser, ...person })

it('a person registers, confirms the address and arrives at an account of their own', {
  skip,
}, async (t) => {
  const watched = await open(t, { browser: dashboard.browser, url: `${base()}/register` })
  const { page } = watched
  const email = 'first@example.com'
  await page.getByLabel('Email', { exact: true }).fill(email)
  await page.getByLabel('Country').selectOption({ label: 'Germany' })
  await page.getByLabel('Password').fill('short')
  await page.getByRole('button', { name: 'Register' }).click()
  await page.getByText('At least 10 characters').waitFor()
  await page.getByLabel('Password').fill('password123')
  await page.getByRole('button', { name: 'Register' }).click()
  await page.getByText('too easy to guess').waitFor()
  await page.getByLabel('Password').fill('four calm northern lights')
  await page.getByRole('button', { name: 'Register' }).click()
  await page.getByText('We sent an email').waitFor()
  // The form that had the focus is gone.
  await page.locator('h1:focus', { hasText: 'Check your inbox' }).waitFor()
  const [mail] = await dashboard.server.mailTo(email)
  const link = /http\S+verify-email#token=\S+/.exec(mail?.text ?? '')?.[0] ?? ''
  await page.goto(link)
  await page.getByRole('button', { name: 'Confirm email' }).click()
  const step = page.getByRole('listitem').filter({ hasText: 'Create an API key' })
  await step.getByText('to do', { exact: true }).waitFor()
  await page.getByText(`"${new URL(base()).origin}/market/search?inStock=true&limit=5"`).waitFor()
  assert.deepEqual(await violations(page, { isDarkToo: true }), [])
  assert.deepEqual([faults(watched), watched.foreignRequests], [[], []])
})

it('a first visit of any page leads to the log-in page and asks for nothing that is refused', {
  skip,
}, async (t) => {
  const { email } = await dashboard.server.person()
  for (const path of ['/overview', '/keep-factor', '/trades?status=failed']) {
    const watched = await open(t, { browser: dashboard.browser, url: `${base()}${path}` })
    await settled(watched.page)
    assert.deepEqual(watched.errors, [], path)
    if (path !== '/trades?status=failed') continue
    await giveLogin(watched.page, email)
    await watched.page.waitForURL(`**/dashboard${path}`)
  }
  // The page of visitors is no address of its own.
  assert.equal((await fetch(`${base()}/visitors.html`)).status, 404)
})

it('a key is created, shown once, rotated and revoked', { skip }, async (t) => {
  const { email } = await dashboard.server.person()
  const watched = await loggedIn(t, { email })
  const { page } = watched
  await page.getByRole('link', { name: 'API keys' }).click()
  await page.getByRole('button', { name: 'Create a key' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('<b>shop</b>')
  // A network that is none is named at its field, and nothing that was typed is lost.
  const networks = dialog.getByLabel('Allowed networks')
  await networks.fill('203.0.113.0/33')
  await dialog.getByRole('button', { name: 'Create a key' }).click()
  await dialog.getByText('Check the highlighted fields').waitFor()
  assert.equal(await networks.getAttribute('aria-invalid'), 'true')
  assert.deepEqual(await violations(page, { isDarkToo: true }), [])
  await networks.fill('203.0.113.0/24')
  await dialog.getByRole('button', { name: 'Create a key' }).click()
  const secret = await dialog.locator('code').first().innerText()
  assert.match(secret, /^tp_test_\w{49}$/)
  assert.equal(await dialog.locator('pre').innerText(), `export TRADEPOST_API_KEY='${secret}'`)
  // Every way out asks while it was not copied.
  for (const leave of [
    () => page.keyboard.press('Escape'),
    () => page.keyboard.press('Escape'),
    () => dialog.getByRole('button', { name: 'Close', exact: true }).click(),
  ]) {
    await leave()
    const question = dialog.getByText('You have not copied it yet')
    await question.waitFor()
    await dialog.getByRole('button', { name: 'Back' }).click()
    await question.waitFor({ state: 'detached' })
  }
  await page.keyboard.press('Escape')
  assert.deepEqual(await violations(page, { isDarkToo: true }), [])
  await dialog.getByRole('button', { name: 'Close without copying' }).click()
  await page.getByRole('cell', { name: '<b>shop</b>' }).waitFor()
  assert.equal((await page.content()).includes(secret), false)
  await page.getByRole('button', { name: 'Edit' }).click()
  assert.equal(await dialog.getByLabel('Name').inputValue(), '<b>shop</b>')
  assert.equal(await networks.inputValue(), '203.0.113.0/24')
  await networks.fill('')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('cell', { name: 'any', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Rotate' }).click()
  await dialog.getByRole('button', { name: 'Rotate' }).click()
  await closeSecret(dialog)
  await page.getByText('rotating').first().waitFor()
  const renewed = page.getByRole('row', { name: 'active' })
  await renewed.getByRole('button', { name: 'Revoke' }).click()
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('revoked', { exact: true }).waitFor()
  assert.deepEqual(faults(watched), [])
})

it('an authenticator app is set up; the next login and a sensitive act ask for its code', {
  skip,
}, async (t) => {
  const { email } = await dashboard.server.person()
  const { page } = await loggedIn(t, { email })
  await page.getByRole('link', { name: 'Security' }).click()
  await page.getByRole('button', { name: 'Set up an authenticator app' }).click()
  const dialog = page.getByRole('dialog')
  const secret = await dialog.locator('code').innerText()
  // In two groups, as apps show it.
  const code = (): string =>
    new TOTP({ secret })
      .generate({ timestamp: dashboard.server.clock.now().getTime() })
      .replace(/^.{3}/, '$& ')
  await dialog.getByRole('textbox', { name: 'Code' }).fill(code())
  await dialog.getByRole('button', { name: 'Confirm' }).click()
  await dialog.getByText('Each works once if you lose your phone').waitFor()
  await closeSecret(dialog)
  await page.getByRole('button', { name: 'Log out' }).click()
  dashboard.server.clock.advance(61_000)
  await giveLogin(page, email)
  await page.getByRole('textbox', { name: 'Code' }).fill(code())
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.getByRole('link', { name: 'API keys' }).click()
  dashboard.server.clock.advance(11 * 60_000)
  await page.getByRole('button', { name: 'Create a key' }).first().click()
  await page.getByRole('dialog').getByLabel('Name').fill('late')
  await page.getByRole('dialog').getByRole('button', { name: 'Create a key' }).click()
  const stepUp = page.getByRole('dialog', { name: 'Confirm it is you' })
  await stepUp.getByRole('textbox', { name: 'Code' }).fill(code())
  await stepUp.getByRole('button', { name: 'Confirm' }).click()
  await page.getByText('Copy it now').waitFor()
})

it('an administrator pauses and resumes trading, and suspends an account', { skip }, async (t) => {
  const merchant = await dashboard.server.person()
  const { email } = await dashboard.server.person('administrator')
  const { page } = await loggedIn(t, { email })
  await page.getByRole('link', { name: 'Service controls' }).last().click()
  const trading = page.locator('form', { has: page.getByRole('button', { name: / trading$/ }) })
  await trading.getByLabel('Reason').fill('a drill')
  await page.getByRole('button', { name: 'Pause trading' }).click()
  await page.getByText('Trading is paused').waitFor()
  await page.getByText(`Paused by ${email}: a drill`).waitFor()
  const { page: own } = await loggedIn(t, { email: merchant.email })
  await own.getByText('Trading is paused: buys and sells are not accepted').waitFor()
  await trading.getByLabel('Reason').fill('over')
  await page.getByRole('button', { name: 'Resume trading' }).click()
  await page.getByText('Trading is on').waitFor()
  await page.goto(`${base()}/admin/accounts?q=${merchant.email}`)
  await page.getByRole('button', { name: 'Suspend' }).click()
  await page.getByRole('dialog').getByLabel('Reason').fill('a drill')
  await page.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click()
  await page.getByRole('cell', { name: 'suspended' }).waitFor()
  await page.goto(`${base()}/overview`)
  await page.waitForURL(/\/admin\/overview$/)
  await own.reload()
  await own.getByText('This account is suspended').waitFor()
  assert.equal(await own.getByText('Trading is paused').count(), 0)
  await own.goto(`${base()}/admin/overview`)
  await own.waitForURL(/\/overview$/)
  await own.getByText('This account is suspended').waitFor()
})

it('an administrator opens a merchant, issues its key, sets its fees, and finds who did it', {
  skip,
}, async (t) => {
  const { email } = await dashboard.server.person('administrator')
  const watched = await loggedIn(t, { email })
  const { page } = watched
  await page.goto(`${base()}/admin/accounts`)
  await page.getByRole('button', { name: 'Open a merchant' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Email').fill('<b>@shop.example')
  // The fee of the service is never none by an empty field.
  const serviceFee = dialog.getByLabel('Service fee, percent')
  assert.equal(await serviceFee.inputValue(), '5.00')
  await serviceFee.fill('3')
  const sent: string[] = []
  page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()))
  await dialog.getByRole('button', { name: 'Open' }).click()
  await dialog.getByText('Enter a valid email address').waitFor()
  await dialog.getByText('Required').waitFor()
  assert.deepEqual(sent, [])
  await dialog.getByLabel('Email').fill("=cmd|'/c'@shop.example")
  await dialog.getByLabel('Name').fill('<img src=x onerror=alert(1)>')
  await dialog.getByRole('button', { name: 'Open' }).click()
  await page.getByRole('heading', { level: 1, name: '<img' }).waitFor()
  // Its first person is invited by mail.
  await page.getByRole('link', { name: 'Invitations' }).click()
  await page.getByRole('table', { name: 'Invitations' }).getByText("=cmd|'/c'@shop").waitFor()
  await page.goBack()
  await page.getByRole('button', { name: 'Create a key' }).click()
  await dialog.getByLabel('Key name').fill('server')
  await dialog.getByRole('button', { name: 'Create a key' }).click()
  const secret = await dialog.locator('code').innerText()
  assert.match(secret, /^tp_test_/)
  await closeSecret(dialog)
  await page.getByLabel('Service fee, percent').fill('100.01')
  await page.getByRole('button', { name: 'Set fees' }).click()
  await page.getByText('Must be at most 100.', { exact: true }).waitFor()
  await page.getByLabel('Service fee, percent').fill('2.60')
  await page.getByLabel('Reason').fill('as agreed')
  await page.getByRole('button', { name: 'Set fees' }).click()
  await page.getByText('Fees set.').waitFor()
  await page.getByLabel('Service fee, percent').fill('2.50')
  await page.getByLabel('Reason').fill('agreed anew')
  // The log is on the screen before the change is answered, and shows it then.
  const change = await hold(page, '**/dashboard/api/admin/merchants/*/fees', 'request')
  await page.getByRole('button', { name: 'Set fees' }).click()
  await change.reached
  await page.getByRole('link', { name: 'Show its entries' }).click()
  await page.getByText('Opened an account').first().waitFor()
  change.release()
  await page.getByText('Service fee: 2.60% → 2.50%').waitFor()
  assert.deepEqual(faults(watched), [])
})

it('a stuck trade is explained in under a minute by any id in hand, as on the command line', {
  skip,
}, async (t) => {
  const { server, database } = dashboard
  const { clock } = server
  const stuck = await givenStuckTrades({ db: database.db, clock })
  const { email } = await server.person('administrator')
  const watched = await loggedIn(t, { email })
  const { page } = watched
  for (const { why, tradeId, handle, says } of stuck) {
    const begun = performance.now()
    await page.keyboard.press('Control+k')
    const box = page.getByRole('combobox', { name: 'Search' })
    // At once, as who has pasted an id does: what it belongs to is waited for.
    await box.fill(handle)
    await box.press('Enter')
    await page.waitForURL(new RegExp(`admin/trades/${tradeId}$`))
    await settled(page)
    const heading = page.getByRole('heading', { name: 'Where it stands' })
    const section = page.locator('section', { has: heading })
    const shown = (await section.innerText()).replace(/\s+/g, ' ')
    assert.ok(performance.now() - begun < 60_000, why)
    const settings = { DATABASE_URL: database.url }
    const { stdout } = await answerOps(settings, ['trade', handle], { clock })
    const [summary = ''] = stdout.split('\n\n')
    const spoken = summary.replace(/\s+/g, ' ')
    for (const expected of says) {
      assert.match(shown, expected, why)
      assert.match(spoken, expected, why)
    }
  }
  assert.deepEqual(faults(watched), [])
})

it('an anonymous caller is led to the log-in page and back, and to no other place', {
  skip,
}, async (t) => {
  const { email } = await dashboard.server.person()
  dashboard.server.clock.advance(61_000)
  const { page } = await open(t, { browser: dashboard.browser, url: `${base()}/webhook` })
  await page.waitForURL(/\/dashboard\/login\?next=/)
  await page.goto(`${base()}/login?next=//evil.example/`)
  await giveLogin(page, email)
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  assert.ok(page.url().startsWith(`${base()}/`))
})

it('a person pays in by token, and an administrator releases what was held back', {
  skip,
}, async (t) => {
  const { email, accountId } = await dashboard.server.person()
  const { deposits } = dashboard.server
  const { id: held } = await deposits.given({ accountId, tenantId: accountId, currency: 'USD' })
  deposits.gateway.pay(held, '200000', { state: 'paid' })
  await deposits.follow()
  const { page } = await loggedIn(t, { email })
  await page.goto(`${base()}/deposits/${held}`)
  await page.getByText('do not pay again').waitFor()
  assert.equal(await page.getByRole('img', { name: 'QR code of the address' }).count(), 0)
  await page.getByRole('link', { name: 'Deposits' }).first().click()
  await page.getByRole('button', { name: 'Deposit', exact: true }).click()
  await page.getByRole('link', { name: 'Crypto, one payment' }).click()
  await page.getByLabel('Amount in USD').fill('fifty')
  await page.getByRole('button', { name: 'Quote' }).click()
  await page.getByText('Enter a number with up to two decimals').waitFor()
  await page.getByLabel('Amount in USD').fill('50.00')
  await page.getByRole('button', { name: 'Quote' }).click()
  await page.getByText('50 USDT').waitFor()
  await page.getByRole('button', { name: 'Create deposit' }).click()
  await page.getByRole('img', { name: 'QR code of the address' }).waitFor()
  const [, id = ''] = /deposits\/(.+)$/.exec(page.url()) ?? []
  dashboard.server.deposits.gateway.pay(id, '50', { state: 'paid' })
  await dashboard.server.deposits.follow()
  // Nothing dispatches events here, so the page would look by itself after half a minute.
  await page.reload()
  await page.getByText('$49.50 credited').waitFor()

  const admin = await dashboard.server.person('administrator')
  const { page: desk } = await loggedIn(t, { email: admin.email })
  await desk.goto(`${base()}/admin/find?q=${held}`)
  await desk.waitForURL(new RegExp(`admin/deposits/${held}$`))
  await desk.getByText('It waits for an administrator').waitFor()
  await desk.getByRole('button', { name: 'Release' }).click()
  await desk.getByRole('dialog').getByLabel('Reason').fill('the payer has called')
  await desk.getByRole('dialog').getByRole('button', { name: 'Release' }).click()
  await desk.getByText('It waits for an administrator').waitFor({ state: 'detached' })
  await dashboard.server.deposits.follow()
  assert.equal((await dashboard.server.deposits.find(held)).status, 'completed')
})

it('an adjustment is proposed from its account by a deep link, and another administrator approves it', {
  skip,
}, async (t) => {
  const { server } = dashboard
  const { accountId, email } = await server.person()
  const [first, second] = [
    await server.person('administrator'),
    await server.person('administrator'),
  ]
  const { page } = await loggedIn(t, { email: first.email })
  await page.goto(`${base()}/admin/adjustments?account=${accountId}`)
  const dialog = page.getByRole('dialog')
  assert.equal(await dialog.getByLabel('Account').inputValue(), accountId)
  await dialog.getByLabel('Amount').fill('12.34')
  await dialog.getByLabel('Reference').fill('desk-1')
  await dialog.getByLabel('Reason').fill('paid twice for one order')
  await dialog.getByRole('button', { name: 'Show the posting' }).click()
  await dialog.getByText(email).waitFor()
  await dialog.getByText('$12.34').first().waitFor()
  await dialog.getByRole('button', { name: 'Propose this posting' }).click()
  await dialog.waitFor({ state: 'detached' })
  assert.doesNotMatch(page.url(), /account=/)

  const { page: other } = await loggedIn(t, { email: second.email })
  await other.getByRole('link', { name: /^Adjustments \d+ waiting$/ }).click()
  await other.getByRole('link', { name: 'desk-1' }).click()
  await other.getByRole('button', { name: 'Approve' }).click()
  await other.getByRole('dialog').getByRole('button', { name: 'Approve' }).click()
  await other.getByRole('dialog').waitFor({ state: 'detached' })
  await other.getByText('approved', { exact: true }).waitFor()
  await other.goto(`${base()}/admin/accounts/${accountId}`)
  await other.getByText('$12.34').waitFor()
})

it('a member who may only read is offered no act that the service would refuse', {
  skip,
}, async (t) => {
  const { email, accountId } = await dashboard.server.person('read_only')
  const { deposits } = dashboard.server
  const delivery = await givenHostileDelivery(dashboard.database.db, accountId)
  const waiting = await deposits.given({ accountId, tenantId: accountId, currency: 'USD' })
  const { page } = await loggedIn(t, { email })
  for (const path of [
    ...['webhook', `webhook/deliveries/${delivery}`, 'fees', 'deposits', `deposits/${waiting.id}`],
    ...['deposits/new', 'payouts/withdraw', 'payouts/destinations'],
  ]) {
    await page.goto(`${base()}/${path}`)
    await settled(page)
    const acts = await page.locator('#content').getByRole('button').allInnerTexts()
    const writing = acts.filter((act) => !READING_ACTS.test(act))
    assert.deepEqual(writing, [], path)
  }
})

/** Filters, saved views of one's own, copies to the clipboard, and exports of what may be read. */
const READING_ACTS = /^(?:\+ .+|Views.*|Copy.*|Export CSV)$/

it('a session that has ended leads to the log-in page, and back to where it was', {
  skip,
}, async (t) => {
  const { email } = await dashboard.server.person()
  const watched = await loggedIn(t, { email })
  const { page } = watched
  await settled(page)
  await page.getByRole('link', { name: 'Webhooks' }).click()
  await page.getByRole('heading', { name: 'Webhooks' }).waitFor()
  await settled(page)
  dashboard.server.clock.advance(8 * 86_400_000)
  // The page asks by itself as well: where that overtakes the click, it is left from where it is.
  await page.getByRole('link', { name: 'Security' }).evaluateAll((links) => {
    for (const link of links) link.click()
  })
  await page.waitForURL(/\/dashboard\/login\?next=/)
  const left = new URL(page.url()).searchParams.get('next') ?? ''
  assert.ok(['/login-settings', '/webhook'].includes(left), left)
  await giveLogin(page, email)
  await page.waitForURL(`**/dashboard${left}`)
  await settled(page)
  // A page that is asked for anew is an anonymous caller's, which asks for nothing that is refused.
  const address = page.url()
  await page.goto('about:blank')
  dashboard.server.clock.advance(8 * 86_400_000)
  watched.errors.splice(0)
  await page.goto(address)
  await page.getByRole('button', { name: 'Log in', exact: true }).waitFor()
  await settled(page)
  assert.deepEqual(watched.errors, [])
})

it('files with hashed names are kept for ever, the page is not, and a missing file is no page', {
  skip,
}, async () => {
  const { origin } = new URL(base())
  const page = await fetch(`${base()}/keys`)
  assert.equal(page.headers.get('cache-control'), 'no-cache')
  assert.match(
    page.headers.get('content-security-policy') ?? '',
    /require-trusted-types-for 'script'/,
  )
  const asset = /src="(\/dashboard\/assets\/[^"]+\.js)"/.exec(await page.text())?.[1] ?? ''
  const script = await fetch(origin + asset, { headers: { 'accept-encoding': 'br' } })
  assert.match(script.headers.get('cache-control') ?? '', /immutable/)
  assert.equal(script.headers.get('content-encoding'), 'br')
  assert.equal((await fetch(`${base()}/assets/none.js`)).status, 404)
  const opened = await fetch(`${base()}/none.html`, { headers: { accept: 'text/html' } })
  assert.deepEqual(
    [opened.status, opened.headers.get('content-type')],
    [404, 'text/html; charset=utf-8'],
  )
  assert.equal((await fetch(`${origin}/dashboard/api/none`)).status, 401)
})

it('a case leads its administrator to what to do about it', { skip }, async (t) => {
  const { db } = dashboard.database
  const { clock } = dashboard.server
  const opened: string[] = []
  const report = createReporter({
    ...{ db, clock, source: 'statement' },
    onOpened: (_, { caseId }) => opened.push(caseId),
  })
  await report('missing', { market: 'market_a', orderId: '17' })
  const { email } = await dashboard.server.person('administrator')
  const watched = await loggedIn(t, { email })
  const { page } = watched
  await page.goto(`${base()}/admin/cases/${opened[0]}`)
  await page.getByRole('link', { name: 'runbook “reconciliation case”' }).click()
  await page.waitForURL('**/docs/runbooks/reconciliation-case#missing')
  await page.getByRole('heading', { name: 'A reconciliation case' }).waitFor()
  assert.deepEqual(watched.errors, [])
})

it('an address that no page has says so within the dashboard, with what was asked for', {
  skip,
}, async (t) => {
  const { email } = await dashboard.server.person('administrator')
  const { page } = await loggedIn(t, { email })
  for (const path of ['no/such/page', 'none.html']) {
    await page.goto(`${base()}/${path}`)
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    await page.getByText(`There is no page at /dashboard/${path}.`).waitFor()
    await page.locator('main').getByRole('link', { name: 'Documentation' }).waitFor()
  }
})

it('a partner finds a child and what it bought, on a phone too', { skip }, async (t) => {
  const partner = await dashboard.server.partner()
  const { child } = await dashboard.database.db.transaction((tx) =>
    createChild(tx, {
      ...{ partnerId: partner.accountId, email: 'shop@example.com', name: 'A shop' },
      ...{ description: null, environment: 'test', at: dashboard.server.clock.now() },
    }),
  )
  await givenManyTrades(dashboard.database.db, {
    ...{ tenantId: partner.accountId, accountId: child.id, count: 3 },
    from: new Date(dashboard.server.clock.now().getTime() - 3_600_000),
  })
  const watched = await loggedIn(t, { email: partner.email, options: PHONE })
  const { page } = watched
  for (const other of ['overview', 'trades', 'admin/cases']) {
    await page.goto(`${base()}/${other}`)
    await page.waitForURL(`${base()}/partner`)
  }
  await page.goto(`${base()}/children`)
  await page.getByText('shop@example.com').click()
  await page.getByRole('heading', { name: 'shop@example.com' }).waitFor()
  await page.getByRole('link', { name: 'Orders', exact: true }).last().click()
  await page.getByText('The Oldest One').click()
  await page.waitForURL(/\/orders\/[0-9a-f-]{36}$/)
  await page.getByRole('link', { name: 'shop@example.com' }).waitFor()
  assert.deepEqual(faults(watched), [])
})

it('a partner opens a child, moves money to it, and replaces its key', { skip }, async (t) => {
  const { email, accountId } = await dashboard.server.partner()
  await credit(dashboard.database.db, { id: accountId, currency: 'USD' }, cents(10_000n))
  const watched = await loggedIn(t, { email })
  const { page } = watched
  const dialog = page.getByRole('dialog')
  const isStep = (step: string, state: 'to do' | 'done'): Promise<void> =>
    page.getByRole('listitem').filter({ hasText: step }).getByText(state).waitFor()
  await isStep('Deposit money', 'done')
  await isStep('Create a child', 'to do')
  await isStep('Transfer money to a child', 'to do')
  await page.getByRole('link', { name: 'Children' }).click()
  await page.getByRole('button', { name: 'Create a child' }).click()
  await dialog.getByLabel('Email').fill('new@shops.example')
  await dialog.getByRole('button', { name: 'Create a child' }).click()
  assert.match(await dialog.locator('code').innerText(), /^tp_test_/)
  await closeSecret(dialog)
  await page.getByRole('link', { name: 'new@shops.example' }).click()
  await page.getByRole('button', { name: 'Transfer' }).click()
  await dialog.getByText('Available: $100.00').waitFor()
  await dialog.getByLabel('Amount in USD').fill('12.345')
  await dialog.getByRole('button', { name: 'Transfer' }).click()
  await dialog.getByText('Check the highlighted fields').waitFor()
  await dialog.getByLabel('Amount in USD').fill('12.34')
  await dialog.getByRole('button', { name: 'Transfer' }).click()
  await page.getByText('$12.34', { exact: true }).first().waitFor()
  await page.getByRole('link', { name: 'Overview' }).click()
  await isStep('Create a child', 'done')
  await isStep('Transfer money to a child', 'done')
  await page.goBack()
  const tabs = page.getByRole('navigation', { name: 'Sections' })
  await tabs.getByRole('link', { name: 'API keys' }).click()
  await page.getByRole('button', { name: 'Rotate' }).click()
  await dialog.getByRole('button', { name: 'Rotate' }).click()
  await closeSecret(dialog)
  await page.getByText('rotating').first().waitFor()
  await tabs.getByRole('link', { name: 'Webhooks' }).click()
  await addEndpoint(page, 'http://127.0.0.1:9/hook')
  await page.getByRole('columnheader', { name: 'Events' }).waitFor()
  // Events of partners are signed in one form only.
  assert.equal(await page.getByRole('columnheader', { name: 'Signature' }).count(), 0)
  await tabs.getByRole('link', { name: 'Deliveries' }).click()
  await page.getByRole('button', { name: 'Resend failed deliveries' }).click()
  await dialog.getByRole('button', { name: 'Resend failed deliveries' }).click()
  await dialog.getByText('There are no failed deliveries').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await tabs.getByRole('link', { name: 'Audit log' }).click()
  await page.getByText('Rotated an API key').waitFor()
  // By keyboard alone: the dialog takes the focus, and gives it back.
  await page.getByRole('link', { name: 'Ledger' }).first().click()
  await page.getByRole('button', { name: 'Low-balance alert' }).focus()
  await page.keyboard.press('Enter')
  await dialog.getByLabel('Amount in USD').waitFor()
  assert.deepEqual(await violations(page, { isDarkToo: true }), [])
  await page.keyboard.type('90')
  await page.keyboard.press('Enter')
  await page.getByText('Alert below $90.00').waitFor()
  await dialog.waitFor({ state: 'detached' })
  assert.equal(await page.evaluate('document.activeElement?.textContent'), 'Low-balance alert')
  assert.deepEqual(faults(watched), [])
})
