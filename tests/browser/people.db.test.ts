// What people do with their login and their team, in a real browser with an authenticator of its own.
import assert from 'node:assert/strict'
import { after, before, it, type TestContext } from 'node:test'
import { TOTP } from 'otpauth'
import type { Browser, Page } from 'playwright-core'
import {
  type ChatAtSandbox,
  startChatAtSandbox,
} from '../../apps/server/src/edges/http/testing/chat-at-sandbox.ts'
import {
  codeIn,
  type DashboardServer,
  startDashboardServer,
} from '../../apps/server/src/edges/http/testing/dashboard-server.ts'
import { sql } from '../../apps/server/src/infra/database/db.ts'
import { type TestDatabase, testDatabase } from '../../apps/server/src/infra/testing/database.ts'
import { hold, launch, noBrowser, open } from '../support/browser.ts'
import { addEndpoint, closeSecret, giveLogin } from '../support/dashboard.ts'

const skip = noBrowser

let database: TestDatabase
let server: DashboardServer
let chat: ChatAtSandbox
let browser: Browser
let url: string
const CONSOLE = 'http://127.0.0.1:9/'

before(async () => {
  if (skip) return
  database = await testDatabase()
  chat = await startChatAtSandbox()
  server = await startDashboardServer(database.db, {
    ...{ hasPages: true, chat: chat.platform, sandboxUrl: CONSOLE },
  })
  url = server.url.replace('127.0.0.1', 'localhost')
  browser = await launch()
})
after(async () => {
  if (skip) return
  await browser.close()
  await server.close()
  await chat.close()
  await database.close()
})

const linkTo = async (email: string, path: string): Promise<string> => {
  const [mail] = await server.mailTo(email)
  return new RegExp(`http\\S+/${path}#token=\\S+`).exec(mail?.text ?? '')?.[0] ?? ''
}

const FAILING = sql(
  'test.failing_endpoint',
  'update webhooks.endpoint set failing_since = $3 where account_id = $1 and url = $2',
)

/** A page on the log-in form, at the next minute. */
async function anonymous(t: TestContext): Promise<Page> {
  server.nextMinute()
  return (await open(t, { browser, url: `${url}/dashboard/login` })).page
}

async function logOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Log out' }).click()
  await page.getByLabel('Email', { exact: true }).waitFor()
  server.nextMinute()
}

it('a passkey is made, logs in alone and beside the password, and answers a sensitive act', {
  skip,
}, async (t) => {
  const { email } = await server.person()
  const page = await anonymous(t)
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true },
      ...{ hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
    },
  })
  await giveLogin(page, email)
  await page.getByRole('link', { name: 'Security' }).click()
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('your password alone does not log you in').waitFor()
  await dialog.getByLabel('Name').fill('<i>laptop</i>')
  await dialog.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByText('Each works once if you lose your phone').waitFor()
  await closeSecret(dialog)
  await page.getByRole('cell', { name: '<i>laptop</i>' }).waitFor()
  await page.getByText('Logging in with your password also takes a passkey').waitFor()
  await logOut(page)
  await page.getByRole('button', { name: 'Log in with a passkey' }).click()
  await page.locator('main#content').waitFor()
  await logOut(page)
  await giveLogin(page, email)
  await page.getByRole('button', { name: 'Use the passkey' }).click()
  await page.getByRole('link', { name: 'API keys' }).click()
  server.clock.advance(11 * 60_000)
  await page.getByRole('button', { name: 'Create a key' }).first().click()
  await dialog.getByLabel('Name').fill('late')
  await dialog.getByRole('button', { name: 'Create a key' }).click()
  await page.getByRole('button', { name: 'Use the passkey' }).click()
  await page.getByText('Copy it now').waitFor()
  await closeSecret(dialog)
  // A person who does not touch the device is let in nowhere, and the page says what to do.
  await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
  await logOut(page)
  await page.getByRole('button', { name: 'Log in with a passkey' }).click()
  await page.getByText('No passkey was used').waitFor()
})

it('a person who has lost the phone logs in with a recovery code and sets up another', {
  skip,
}, async (t) => {
  const { email } = await server.person()
  const page = await anonymous(t)
  await giveLogin(page, email)
  await page.getByRole('link', { name: 'Security' }).click()
  const setUp = async (): Promise<string[]> => {
    await page.getByRole('button', { name: 'Set up an authenticator app' }).click()
    const dialog = page.getByRole('dialog')
    const secret = await dialog.locator('code').innerText()
    const code = new TOTP({ secret }).generate({ timestamp: server.clock.now().getTime() })
    await dialog.getByRole('textbox', { name: 'Code' }).fill(code)
    await dialog.getByRole('button', { name: 'Confirm' }).click()
    await dialog.getByText('Each works once if you lose your phone').waitFor()
    const codes = (await dialog.locator('code').innerText()).split(/\s+/)
    await closeSecret(dialog)
    return codes
  }
  const [recovery = ''] = await setUp()
  await logOut(page)
  await giveLogin(page, email)
  await page.getByRole('button', { name: 'I have lost access to all of these' }).click()
  await page.getByRole('button', { name: 'Remove my second factor in 72 hours' }).click()
  await page.getByText('Check your inbox').waitFor()
  const otherBrowser = await anonymous(t)
  await otherBrowser.goto(await linkTo(email, 'keep-factor'))
  await otherBrowser.getByRole('button', { name: 'Keep my second factor' }).click()
  await otherBrowser.getByText('Your second factor stays').waitFor()
  await page.getByRole('button', { name: 'Use a recovery code' }).click()
  await page.getByRole('textbox', { name: 'Code' }).fill(recovery.toLowerCase())
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.getByRole('link', { name: 'Security' }).click()
  await page.getByRole('button', { name: 'Turn off codes' }).click()
  assert.equal((await setUp()).includes(recovery), false)
})

it('an administrator without a second factor is led to where one is set up', {
  skip,
}, async (t) => {
  const production = await startDashboardServer(database.db, { hasPages: true, isDemo: false })
  t.after(() => production.close())
  const { email } = await production.person('administrator')
  const pages = `${production.url.replace('127.0.0.1', 'localhost')}/dashboard`
  const { page } = await open(t, { browser, url: `${pages}/login` })
  await giveLogin(page, email)
  await page.getByText('Administrators need a second factor').first().waitFor()
  await page.getByRole('link', { name: 'Set it up' }).first().click()
  await page.getByRole('button', { name: 'Set up an authenticator app' }).waitFor()
})

it('codes by mail are set up, asked for at a login and sent again', { skip }, async (t) => {
  const { email } = await server.person()
  const page = await anonymous(t)
  const mailed = async (): Promise<string> => codeIn((await server.mailTo(email))[0]?.text ?? '')
  await giveLogin(page, email)
  await page.getByRole('link', { name: 'Security' }).click()
  await page.getByRole('button', { name: 'Get codes by email' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('We emailed you a code').waitFor()
  await dialog.getByRole('textbox', { name: 'Code' }).fill(await mailed())
  await dialog.getByRole('button', { name: 'Confirm' }).click()
  await dialog.getByText('Each works once if you lose your phone').waitFor()
  await closeSecret(dialog)
  await page.getByText('also takes a code that we email you').waitFor()
  await logOut(page)
  await giveLogin(page, email)
  await page.getByRole('button', { name: 'Send another code' }).click()
  await page.getByText('We sent a new code').waitFor()
  await page.getByRole('textbox', { name: 'Code' }).fill(await mailed())
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.getByRole('link', { name: 'Security' }).waitFor()
})

it('an owner invites a person, who joins with a password, is logged in by it and is given another role', {
  skip,
}, async (t) => {
  const { email } = await server.person()
  const page = await anonymous(t)
  await giveLogin(page, email)
  await page.getByRole('link', { name: 'Team' }).click()
  await page.getByRole('button', { name: 'Invite a member' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Email').fill('colleague@example.com')
  await dialog.getByLabel('Role').selectOption('finance')
  await dialog.getByRole('button', { name: 'Invite a member' }).click()
  await page.getByText('We sent an invitation to colleague@example.com').waitFor()
  const colleague = await anonymous(t)
  await colleague.goto(await linkTo('colleague@example.com', 'invitation'))
  await colleague.getByText('to join an account as finance').waitFor()
  await colleague.getByLabel('New password').fill('four calm northern lights')
  await colleague.getByRole('button', { name: 'Accept' }).click()
  await colleague.getByRole('link', { name: 'Team' }).click()
  await colleague.getByRole('cell', { name: 'colleague@example.com (you)' }).waitFor()
  assert.equal(await colleague.getByRole('button', { name: 'Remove' }).count(), 0)
  await page.reload()
  const row = page.getByRole('row', { name: 'colleague@example.com' })
  await row.getByRole('button', { name: 'Change role' }).click()
  await dialog.getByLabel('Role').selectOption('developer')
  await dialog.getByRole('button', { name: 'Change role' }).click()
  await row.getByRole('cell', { name: 'developer' }).waitFor()
  await page.getByRole('row', { name: email }).getByRole('button', { name: 'Remove' }).click()
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await page.getByText('Check the highlighted fields').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  // The last owner can close the account, and not leave it.
  await page.getByRole('button', { name: 'Leave this account' }).click()
  await dialog.getByRole('button', { name: 'Leave this account' }).click()
  await page.getByText('You are the last owner').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Close the account' }).click()
  await dialog.getByLabel('to confirm').fill('N')
  await dialog.getByRole('button', { name: 'Close the account' }).click()
  await dialog.getByText('must be the name of the account').waitFor()
  await dialog.getByLabel('to confirm').fill('M')
  await dialog.getByRole('button', { name: 'Close the account' }).click()
  await page.getByRole('heading', { name: 'Log in' }).waitFor()
})

it('a chat account is linked on the page of its platform, refused there, and unlinked', {
  skip,
}, async (t) => {
  const { email } = await server.person()
  const page = await anonymous(t)
  await giveLogin(page, email)
  await page.getByRole('link', { name: 'Security' }).click()
  await page.getByRole('button', { name: 'Link a chat account' }).click()
  await page.getByRole('button', { name: 'Deny' }).click()
  await page.getByText('did not allow the link').waitFor()
  await page.getByRole('main').getByRole('link', { name: 'Security' }).click()
  await page.getByRole('button', { name: 'Link a chat account' }).click()
  await page.getByLabel('Your account here').fill('<i>ada</i>')
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.getByText('“<i>ada</i>” is linked').waitFor()
  // Neither the code nor the state stays in the address.
  assert.equal(page.url(), `${url}/dashboard/chat`)
  await page.getByRole('main').getByRole('link', { name: 'Security' }).click()
  await page.getByText('“<i>ada</i>” is linked').waitFor()
  await page.getByRole('button', { name: 'Unlink it' }).click()
  await page.getByRole('button', { name: 'Link a chat account' }).waitFor()
})

it('a page of a mail’s link says at once when the link was not opened whole', {
  skip,
}, async (t) => {
  const page = await anonymous(t)
  for (const [path, next] of [
    ['verify-email', 'Log in'],
    ['reset-password', 'Reset your password'],
    ['change-email', 'Security'],
    ['keep-factor', 'Log in'],
    ['invitation', 'Log in'],
  ] as const) {
    await page.goto(`${url}/dashboard/${path}`)
    await page.getByText('This link is incomplete').waitFor()
    await page.getByRole('link', { name: next }).waitFor()
    assert.equal(await page.getByRole('button').count(), 0, path)
  }
})

it('approvals get an address of their own, which is tested, rotated and cleared', {
  skip,
}, async (t) => {
  const { email } = await server.person()
  const page = await anonymous(t)
  await giveLogin(page, email)
  await page.getByRole('link', { name: 'Payouts' }).click()
  await page.getByRole('link', { name: 'Destinations' }).click()
  await page.getByText('Without one, no withdrawal can be made').waitFor()
  const dialog = page.getByRole('dialog')
  const shownSecret = async (): Promise<string> => {
    await dialog.getByText('Copy it now').waitFor()
    const secret = await dialog.locator('code').innerText()
    await closeSecret(dialog)
    return secret
  }
  await page.getByLabel('Another approval endpoint').fill('http://127.0.0.1:9/approve')
  await page.getByRole('button', { name: 'Save' }).click()
  const first = await shownSecret()
  await page.getByText('signed with a secret of the approval endpoint').waitFor()
  assert.equal((await page.content()).includes(first), false)
  await page.getByRole('button', { name: 'Send test' }).click()
  await page.getByText('Not delivered').waitFor()
  await page.getByRole('button', { name: 'Rotate secret' }).click()
  await dialog.getByRole('button', { name: 'Rotate secret' }).click()
  assert.notEqual(await shownSecret(), first)
  await page.getByText('The previous secret also signs until').waitFor()
  await page.getByRole('button', { name: 'Use the webhook endpoint again' }).click()
  await dialog.getByRole('button', { name: 'Use the webhook endpoint again' }).click()
  await page.getByText('Without one, no withdrawal can be made').waitFor()
})

it('a second endpoint is added for some events, changed, tested, and removed', {
  skip,
}, async (t) => {
  const { email } = await server.person()
  const page = await anonymous(t)
  await giveLogin(page, email)
  await page.getByRole('link', { name: 'Webhooks' }).click()
  const dialog = page.getByRole('dialog')
  const add = async (address: string, type?: string): Promise<void> => {
    await page.getByRole('button', { name: 'Add an endpoint' }).click()
    await dialog.getByLabel('URL').fill(address)
    if (type !== undefined) {
      await dialog.getByLabel('Signature').selectOption('standard')
      await dialog.getByLabel('all events').uncheck()
      await dialog.getByLabel(type, { exact: true }).check()
    }
    await dialog.getByRole('button', { name: 'Add an endpoint' }).click()
    await dialog.getByText('Copy it now').waitFor()
    await closeSecret(dialog)
  }
  await add('http://127.0.0.1:9/first')
  server.clock.advance(1000)
  await add('http://127.0.0.1:9/books', 'trade.settled')
  const row = page.getByRole('row', { name: 'http://127.0.0.1:9/books' })
  await row.getByText('trade.settled').waitFor()
  await row.getByText('Standard Webhooks').waitFor()
  await row.getByRole('button', { name: 'Test' }).click()
  await page.getByText('http://127.0.0.1:9/books: Not delivered').waitFor()
  await row.getByRole('button', { name: 'Disable' }).click()
  await row.getByRole('button', { name: 'Enable' }).waitFor()
  await row.getByRole('button', { name: 'Edit' }).click()
  await dialog.getByLabel('all events').check()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await row.getByText('all events').waitFor()
  await row.getByRole('button', { name: 'Remove' }).click()
  await dialog.getByRole('button', { name: 'Remove the endpoint' }).click()
  await row.waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Deliveries' }).click()
  await page.getByRole('cell', { name: 'webhook.test' }).waitFor()
})

it('failed deliveries of an endpoint are listed from its row, and resending them names and means it', {
  skip,
}, async (t) => {
  const { email, accountId } = await server.person()
  const page = await anonymous(t)
  await giveLogin(page, email)
  await page.getByRole('link', { name: 'Webhooks' }).click()
  await addEndpoint(page, 'http://127.0.0.1:9/first')
  server.clock.advance(1000)
  await addEndpoint(page, 'http://127.0.0.1:9/dead')
  await page.getByRole('row', { name: '127.0.0.1:9/dead' }).waitFor()
  await database.db.query(FAILING, [accountId, 'http://127.0.0.1:9/dead', server.clock.now()])
  await page.reload()
  const row = page.getByRole('row', { name: '127.0.0.1:9/dead' })
  await row.getByRole('link', { name: 'View failed deliveries' }).click()
  await page.getByRole('button', { name: 'State: retrying, given up, skipped' }).waitFor()
  await page.getByRole('button', { name: 'Endpoint: http://127.0.0.1:9/dead' }).waitFor()
  const resend = page.getByRole('button', { name: 'Resend failed deliveries' })
  await resend.click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Resend failed deliveries' }).click()
  await dialog.getByText('no failed deliveries to http://127.0.0.1:9/dead since').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  // Without a filter it is the one that fails.
  await page.goto(`${url}/dashboard/webhook/deliveries`)
  await resend.click()
  const chosen = dialog.getByLabel('Endpoint').locator('option:checked')
  assert.equal(await chosen.innerText(), 'http://127.0.0.1:9/dead')
})

it('a webhook endpoint is removed on its page, after a question', { skip }, async (t) => {
  const { email } = await server.person()
  const page = await anonymous(t)
  await giveLogin(page, email)
  await page.getByRole('link', { name: 'Webhooks' }).click()
  await page.getByText('No endpoint yet').waitFor()
  await addEndpoint(page, 'http://127.0.0.1:9/hook')
  const dialog = page.getByRole('dialog')
  const row = page.getByRole('row', { name: 'http://127.0.0.1:9/hook' })
  await row.getByText('enabled').waitFor()
  assert.equal(await page.getByText('http://127.0.0.1:9/hook').count(), 1)
  await row.getByRole('button', { name: 'Remove' }).click()
  await dialog.getByText('gets a new secret').waitFor()
  await dialog.getByRole('button', { name: 'Remove the endpoint' }).click()
  await page.getByRole('status').filter({ hasText: 'Endpoint removed.' }).waitFor()
  await page.getByText('No endpoint yet').waitFor()
})

/** In the bar above each page. */
const toConsole = (page: Page) =>
  page.locator(`main a[href="${CONSOLE}"]`, { hasText: 'Sandbox console' })

it('the first page after a log-in leads to the console of the sandbox, however late that is known', {
  skip,
}, async (t) => {
  const { email } = await server.person()
  const page = await anonymous(t)
  const session = await hold(page, `${url}/dashboard/api/session`, 'answer')
  await giveLogin(page, email)
  await session.reached
  assert.equal(await page.locator('main#content').count(), 0)
  session.release()
  await page.locator('main#content').waitFor()
  assert.equal(await toConsole(page).count(), 1)
})

it('one of two tabs renews the session, and the other goes on with it', { skip }, async (t) => {
  const { email } = await server.person()
  const page = await anonymous(t)
  const context = page.context()
  const cookie = async (): Promise<string | undefined> =>
    (await context.cookies()).find(({ name }) => name === 'tp_session')?.value
  await context.clock.install()
  await giveLogin(page, email)
  await page.getByRole('link', { name: 'API keys' }).click()
  const createKey = (tab: Page) => tab.getByRole('button', { name: 'Create a key' }).first()
  await createKey(page).waitFor()
  const other = await context.newPage()
  await other.goto(`${url}/dashboard/keys`)
  await createKey(other).waitFor()
  const renewals: number[] = []
  context.on('response', (response) => {
    if (response.url().endsWith('/auth/refresh')) renewals.push(response.status())
  })
  const before = await cookie()
  await page.keyboard.press('Shift')
  const renewed = page.waitForResponse(/\/auth\/refresh$/)
  await context.clock.fastForward(61_000)
  await (await renewed).finished()
  assert.notEqual(await cookie(), before)
  // What a renewal is answered says nothing of the sandbox.
  await toConsole(page).waitFor()
  // The other tab has the token of the session before, which its first change finds out.
  for (const [tab, name] of [
    [other, 'of the other tab'],
    [page, 'of the first tab'],
  ] as const) {
    await createKey(tab).click()
    const dialog = tab.getByRole('dialog')
    await dialog.getByLabel('Name').fill(name)
    await dialog.getByRole('button', { name: 'Create a key' }).click()
    await dialog.getByText('Copy it now').waitFor()
    await closeSecret(dialog)
    await tab.getByRole('cell', { name }).waitFor()
  }
  assert.deepEqual(renewals, [200])
})
