// The operator's command line on an empty database.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { Webhook } from 'standardwebhooks'
import {
  type Administrator,
  givenAdministrator,
  givenAdministratorWithoutApp,
} from '../../apps/server/src/edges/http/testing/administrators.ts'
import { sql } from '../../apps/server/src/infra/database/db.ts'
import { createSecretBox } from '../../apps/server/src/infra/process/secrets.ts'
import { manualClock } from '../../apps/server/src/infra/testing/clock.ts'
import { type TestDatabase, testDatabase } from '../../apps/server/src/infra/testing/database.ts'
import { baseUnits } from '../../apps/server/src/kernel/chain.ts'
import { newId } from '../../apps/server/src/kernel/id.ts'
import { cents } from '../../apps/server/src/kernel/money.ts'
import { listAudit } from '../../apps/server/src/modules/accounts/audit/index.ts'
import { createChild, readSettings } from '../../apps/server/src/modules/accounts/identity/index.ts'
import {
  aMerchant,
  aSubUser,
} from '../../apps/server/src/modules/accounts/identity/testing/accounts.ts'
import { givenWithdrawal } from '../../apps/server/src/modules/crypto/payouts/testing/withdrawals.ts'
import {
  type OwnedRole,
  post as postInKind,
  readBalance as readInKind,
} from '../../apps/server/src/modules/money/custody/index.ts'
import { credit } from '../../apps/server/src/modules/money/ledger/testing/wallets.ts'
import { closeAccount } from '../../apps/server/src/modules/trading/buying/testing/buyers.ts'
import { answerOps, newSecretsKey, type Settings } from '../support/server.ts'
import { startReceiver } from '../webhooks/receiver.ts'

const LOOK_FOR_PAYOUTS =
  '`payouts list` shows the withdrawals that wait; `trade <id>` finds any by an id.'

let database: TestDatabase
let settings: Settings
const clock = manualClock()
const secretsKey = newSecretsKey()
const dataDir = mkdtempSync(join(tmpdir(), 'tradepost-operator-'))

before(async () => {
  database = await testDatabase()
  settings = { DATABASE_URL: database.url, SECRETS_KEY: secretsKey, DATA_DIR: dataDir }
  const demo = { dashboardUrl: 'http://localhost:4999/dashboard' }
  writeFileSync(join(dataDir, 'demo.json'), JSON.stringify(demo))
})
after(async () => {
  rmSync(dataDir, { recursive: true })
  await database.close()
})

/** Each question of a command is answered with `code`. */
async function answered(args: readonly string[], code?: string) {
  const asked: string[] = []
  const ask = async (question: string): Promise<string> => {
    asked.push(question)
    return code ?? assert.fail(question)
  }
  // A code of an authenticator app works once; the next step has another one.
  clock.advance(30_000)
  return { ...(await answerOps(settings, args, { clock, ask })), asked }
}
const run = async (...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await answered(args)
  assert.equal(code, 0, `${args.join(' ')}: ${stderr}`)
  return stdout.trimEnd()
}
const endsWith = async (code: number, args: readonly string[]): Promise<string> => {
  const answer = await answered(args)
  assert.equal(answer.code, code, `${args.join(' ')}: ${answer.stderr}`)
  return answer.stderr
}
/** What is refused, and what is no command line. */
const fails = (...args: string[]): Promise<string> => endsWith(1, args)
const isMisuse = (...args: string[]): Promise<string> => endsWith(2, args)
const acts = async (): Promise<string[]> =>
  (await listAudit(database.db, { limit: 100 })).map(({ act }) => act).reverse()

const SPOT = sql(
  'test.spot',
  `select b.posted from ledger.account a join ledger.balance b on b.account_id = a.id
   where a.owner_id = $1 and a.kind = 'spot'`,
)
const spotOf = async (owner: string): Promise<bigint> => {
  const [row] = await database.db.query<{ posted: bigint }>(SPOT, [owner])
  return row?.posted ?? -1n
}

/** The first call makes the administrator; the next ones return the same. */
const administrators = new Map<string, Promise<Administrator>>()
function anAdministrator(name: string): Promise<Administrator> {
  const known = administrators.get(name)
  if (known !== undefined) return known
  const deps = {
    ...{ db: database.db, clock },
    secrets: createSecretBox([Buffer.from(secretsKey, 'hex')]),
  }
  const made = givenAdministrator(deps, `${name}@first.example`)
  administrators.set(name, made)
  return made
}

/** Null: the right code of the moment. */
async function as({ email, codeAt }: Administrator, code: string | null, ...args: string[]) {
  const soon = new Date(clock.now().getTime() + 30_000)
  return answered([...args, '--as', email], code ?? codeAt(soon))
}
async function refusedAs(who: Administrator, code: string | null, ...args: string[]) {
  const { code: exit, stderr } = await as(who, code, ...args)
  assert.equal(exit, 1, args.join(' '))
  return stderr
}
async function proposedBy(who: Administrator, ...args: string[]): Promise<string> {
  const { stdout, stderr } = await as(who, null, ...args, '--json')
  assert.equal(stderr, '')
  return (JSON.parse(stdout) as { id: string }).id
}

const EMAIL = 'owner@first.example'
let merchantId: string

describe('on an empty database the command line', () => {
  it('says in a sentence of its own what it did not find', async () => {
    const unknown = '01a20000-0000-7000-8000-000000000000'
    const because = ['--reason', 'a test']
    const said = [
      await fails('placing:open', 'market_a', ...because),
      await fails('chain:resume', 'base', ...because),
      await fails('deposits', 'explain', 'gateway:1', ...because),
      await fails('deposits', 'release', unknown, ...because),
      await fails('adjust', 'show', unknown),
      await fails('payouts', 'show', unknown),
      await fails('person:remove-factor', 'unknown@first.example', ...because),
    ]
    const noMerchant = await fails('key:list', '--merchant', 'nosuch@first.example')
    assert.match(noMerchant, /there is no merchant “nosuch@first\.example”: `trade <id or e-mail>`/)
    // What was not found, and how to look for it.
    assert.deepEqual(
      said.map((text) => text.split(/\. (?=`)/)),
      [
        ['No gate of market_a is closed', '`market-health` shows which gates are closed.\n'],
        ['base is not halted', '`chains` shows the chains.\n'],
        [
          'No difference is known about gateway:1',
          '`deposits list` shows the payments that wait.\n',
        ],
        [
          `No payment with the id ${unknown} waits for an operator`,
          '`deposits list` shows the payments that wait.\n',
        ],
        [`There is no adjustment ${unknown}`, '`adjust list --state all` shows all adjustments.\n'],
        [`There is no withdrawal ${unknown}`, `${LOOK_FOR_PAYOUTS}\n`],
        [
          'unknown@first.example is no person with a second factor',
          '`trade <id>` says what an id leads to.\n',
        ],
      ],
    )
  })

  it('refuses options that do not go together, and a command that is given none of those it needs', async () => {
    const band = ['selling', 'band', '5', '--discount', '10', '--clear']
    assert.match(await isMisuse(...band), /^selling band needs --discount <percent> or --clear\n/)
    const item = ['selling', 'item', 'a', '--price', '1', '--clear', '--reason', 'a test']
    assert.match(await isMisuse(...item), /^selling item needs one of /)
    assert.match(await isMisuse('selling', 'set'), /^selling set needs --buying/)
    assert.match(await isMisuse('fees:set'), /^fees:set needs --fee/)
  })

  it('names what an empty list has none of', async () => {
    assert.equal(await run('cases', 'list'), 'No open cases.')
    assert.equal(await run('adjust', 'list'), 'No open adjustments.')
    assert.equal(await run('adjust', 'list', '--state', 'all'), 'No adjustments.')
  })

  it('opens a merchant, once for an e-mail address', async () => {
    const answer = await run('merchant:create', EMAIL, '--name', 'First', '--fee', '300', '--json')
    merchantId = JSON.parse(answer).id
    assert.match(await fails('merchant:create', EMAIL, '--name', 'Again'), /address is taken/)
    for (const wrong of ['absent', 'a@b', 'a,b@example.com', 'a@example.com>']) {
      assert.match(await isMisuse('merchant:create', wrong, '--name', 'X'), /no e-mail address/)
      assert.match(await isMisuse('partner:create', wrong, '--name', 'X'), /no e-mail address/)
      assert.match(await isMisuse('admin:create', wrong), /no e-mail address/)
    }
    assert.deepEqual(await acts(), ['account.create'])
  })

  it('issues, lists, rotates and revokes keys', async () => {
    const issued = JSON.parse(await run('key:issue', 'server', '--allow', '10.0.0.0/8', '--json'))
    assert.match(issued.secret, /^tp_test_/)
    const rotated = JSON.parse(await run('key:rotate', issued.id, '--overlap', '1', '--json'))
    const list = JSON.parse(await run('key:list', '--json')) as {
      id: string
      status: string
      allowlist: string[]
    }[]
    assert.deepEqual(
      list.map(({ id, status, allowlist }) => [id, status, allowlist]),
      [
        [rotated.id, 'active', ['10.0.0.0/8']],
        [issued.id, 'rotating', ['10.0.0.0/8']],
      ],
    )
    assert.match(await fails('key:rotate', issued.id), /no key that can be rotated/)
    await run('key:revoke', issued.id, '--reason', 'leaked')
    assert.match(await run('key:list'), /revoked/)
    const log = await run('audit-log', '--json')
    assert.ok(!log.includes(issued.secret) && !log.includes(rotated.secret))
  })

  it('prints a name with control characters as one harmless line', async () => {
    const name = 'clear\u001b[2J \u009b31m\nsecond \u202eline'
    const { id } = JSON.parse(await run('key:issue', name, '--json'))
    const table = await run('key:list')
    const row = table.split('\n').find((line) => line.includes(id)) ?? ''
    assert.ok(row.includes('clear\\u001b[2J \\u009b31m\\nsecond \\u202eline'), row)
    const printed = await run('key:list', '--json')
    assert.doesNotMatch(`${table}${printed}`, /(?!\n)[\p{Cc}\p{Bidi_Control}]/u)
    const list = JSON.parse(printed) as { id: string; name: string }[]
    assert.equal(list.find((key) => key.id === id)?.name, name)
    await run('key:revoke', id, '--reason', 'a test')
    assert.ok(!(await isMisuse('key:revoke', 'x\u001b[2J', '--reason', 'y')).includes('\u001b'))
  })

  it('sets and removes a webhook endpoint, and says what is wrong with an address', async () => {
    const wrong = await fails('webhook:set', 'notaurl')
    assert.match(
      wrong,
      /^Refused: VALIDATION_FAILED The URL is not allowed: it is no whole address/,
    )
    assert.match(
      await fails('webhook:set', 'ftp://shop.example'),
      /not allowed: it (begins|does not)/,
    )
    assert.match(await fails('webhook:remove'), /has no endpoint/)
    await run('webhook:set', 'https://shop.example/hooks')
    assert.match(await run('webhook:remove'), /removed/)
    assert.match(await fails('webhook:remove'), /has no endpoint/)
    assert.deepEqual((await acts()).slice(-2), ['webhook.set_endpoint', 'webhook.remove_endpoint'])
  })

  it('sees what waits longer than it should, without an id', async () => {
    assert.equal(await run('overdue'), 'Nothing waits longer than it should.')
    assert.deepEqual(JSON.parse(await run('overdue', '--json')), [])
  })

  it('tests an endpoint, lists the test, sends it again, and needs no time to try what fails', async (t) => {
    const receiver = await startReceiver()
    t.after(() => receiver.close())
    await run('webhook:set', receiver.url)
    const sent = await run('webhook:test')
    assert.match(sent, /^Delivered: 200\. It is delivery [0-9a-f-]{36}\.$/)
    const [id = ''] = /[0-9a-f-]{36}/.exec(sent) ?? []
    assert.match(
      await run('webhook:deliveries'),
      new RegExp(`${id} .*webhook\\.test +delivered +1`),
    )
    assert.equal(await run('webhook:resend', id), 'Delivered: 200.')
    assert.deepEqual(
      receiver.received.map(({ body }) => (JSON.parse(body) as { id: string }).id),
      [id, id],
    )
    assert.match(await run('webhook:recover'), /^0 deliveries are sent again now/)
    await run('webhook:remove')
    assert.match(await fails('webhook:test'), /has no endpoint/)
  })

  it('adds endpoints with events and a form of signature, changes one, tests it, and removes it', async (t) => {
    const receiver = await startReceiver()
    t.after(() => receiver.close())
    assert.match(await run('webhook:list'), /no endpoint/)
    await run('webhook:set', `${receiver.url}/first`)
    const added = await run(
      ...['webhook:add', receiver.url, '--events', 'trade.hold,trade.settled'],
      ...['--signature', 'standard', '--description', 'books'],
    )
    const [, id = '', secret = ''] =
      /endpoint ([0-9a-f-]{36})\. .*: (whsec_[A-Za-z0-9+/]{43}=)/.exec(added) ?? []
    assert.match(
      await run('webhook:list'),
      new RegExp(`${id} .*active +standard +trade.hold,trade.settled +books`),
    )
    await isMisuse('webhook:add', receiver.url, '--events', 'trade.vanished')
    assert.match(await run('webhook:test', '--endpoint', id), /^Delivered: 200/)
    const [received] = receiver.received
    assert.ok(received)
    // The clock of this context is another than the one that the library's `verify` asks.
    const at = new Date(Number(received.headers['webhook-timestamp']) * 1000)
    const signature = new Webhook(secret).sign(
      String(received.headers['webhook-id']),
      at,
      received.body,
    )
    assert.equal(received.headers['webhook-signature'], signature)
    assert.match(await run('webhook:deliveries', '--endpoint', id), /webhook\.test/)
    assert.match(await run('webhook:change', id, '--status', 'disabled'), /is disabled/)
    assert.match(
      await run('webhook:change', id, '--status', 'active', '--events', 'all'),
      /is active/,
    )
    await run('webhook:remove', '--endpoint', id)
    assert.match(await fails('webhook:test', '--endpoint', id), /NOT_FOUND|no endpoint/)
    await run('webhook:remove')
  })

  it('says above the health of the markets that a job fails, and which, also as JSON', async () => {
    const failing = sql(
      'test.failing_job',
      `insert into infra.heartbeat (job, process_id, started_at, beat_at, error)
       values ('read-prices', 'one', now(), now(), 'status 404'), ('calm', 'one', now(), now(), null)`,
    )
    await database.db.query(failing)
    const said = await run('market-health')
    assert.match(said, /^The markets are \w+\. A job fails, see below\./)
    assert.match(said, /The job read-prices fails: status 404$/)
    const { failingJobs } = JSON.parse(await run('market-health', '--json'))
    const [job, ...others] = failingJobs
    assert.deepEqual([job.job, job.error, others], ['read-prices', 'status 404', []])
  })

  it('invites an owner and an administrator, each by a link that is mailed, too', async () => {
    assert.match(await isMisuse('person:invite', EMAIL), /'--account <account>' not specified/)
    const owner = JSON.parse(await run('person:invite', EMAIL, '--account', EMAIL, '--json'))
    assert.equal(owner.accountId, merchantId)
    // The demo of the data folder had a database of its own.
    assert.match(owner.link, /^http:\/\/localhost:(?!4999).*#token=/)
    const admin = JSON.parse(await run('admin:create', 'admin@first.example', '--json'))
    const taken = await fails('admin:create', 'admin@first.example')
    assert.match(
      taken,
      /there is an account of admin@first\.example.*person:invite admin@first\.example --account/,
    )
    const invited = await database.db.query<{ role: string; account_id: string }>(
      sql(
        'test.invited',
        `select i.role, i.account_id from people.invitation i
         join mail.message m on m.recipient = i.email and m.template = 'invitation' order by i.id`,
      ),
    )
    assert.deepEqual(invited, [
      { role: 'owner', account_id: merchantId },
      { role: 'administrator', account_id: admin.accountId },
    ])
    assert.deepEqual((await acts()).slice(-2), ['member.invite', 'account.create'])
    assert.match(await run('mail:preview', 'invitation'), /View invitation/)
  })

  it('adjusts a wallet by two administrators, who see the posting and give their codes', async () => {
    const [ada, bob] = await Promise.all([anAdministrator('ada'), anAdministrator('bob')])
    const order = ['wallet:credit', '250.00', '--account', EMAIL, '--reason', 'wire']
    const first = [...order, '--reference', 'SEPA-1']
    const posting = /credit +spot of .*\n.*250\.00 USD\n.*0\.00 -> 250\.00/
    assert.match(await run(...first), posting)
    assert.match(await refusedAs(ada, '', ...first), /no code was given/)
    assert.match(await refusedAs(ada, '000000', ...first), /TWO_FACTOR_INVALID The code is wrong/)
    const id = await proposedBy(ada, ...first)
    // The clock moves by one step of a code with each command: the code of the step before is still in time.
    const used = ada.codeAt(clock.now())
    assert.match(
      await refusedAs(ada, used, ...first),
      /TWO_FACTOR_INVALID The code was used before/,
    )
    const unknown = { ...ada, email: EMAIL }
    assert.match(await refusedAs(unknown, null, ...first), /No administrator logs in/)
    const carol = { ...ada, email: 'carol@first.example' }
    await givenAdministratorWithoutApp(database.db, { email: carol.email, at: clock.now() })
    assert.match(await refusedAs(carol, null, ...first), /has no authenticator app\. Set one up/)
    assert.match(await run('adjust', 'list'), new RegExp(`${id}.*250.00 USD.*ada@`))
    assert.match(await run('adjust', 'approve', id), posting)
    assert.match(await refusedAs(ada, null, 'adjust', 'approve', id), /ada@.* proposed it: another/)
    assert.equal(await spotOf(merchantId), 0n)
    const approved = await as(bob, null, 'adjust', 'approve', id)
    assert.match(approved.asked[0] ?? '', posting)
    assert.match(approved.stdout, /Posted as/)
    assert.match((await as(bob, null, 'adjust', 'approve', id)).stderr, /^$/)
    assert.equal(await spotOf(merchantId), 25_000n)
    // A reference is posted once, by whichever proposal.
    const again = await proposedBy(ada, ...first)
    assert.match(await refusedAs(bob, null, 'adjust', 'approve', again), /IDEMPOTENCY_CONFLICT/)
    await as(ada, null, 'adjust', 'withdraw', again, '--reason', 'typed twice')
    assert.match(await run('adjust', 'show', again), /withdrawn/)
    assert.deepEqual((await acts()).slice(-4), [
      'adjustment.propose',
      'adjustment.approve',
      'adjustment.propose',
      'adjustment.withdraw',
    ])
  })

  it('takes money back, and never more than there is', async () => {
    const [ada, bob] = await Promise.all([anAdministrator('ada'), anAdministrator('bob')])
    const debit = (amount: string, reference: string) => [
      ...['adjust', 'debit', amount, '--account', EMAIL, '--reason', 'chargeback'],
      ...['--reference', reference],
    ]
    assert.match(await fails(...debit('250.01', 'CB-1')), /holds 250\.00 only/)
    const id = await proposedBy(ada, ...debit('50.00', 'CB-2'))
    const tooMuch = await proposedBy(bob, ...debit('210.00', 'CB-3'))
    await as(bob, null, 'adjust', 'approve', id)
    assert.equal(await spotOf(merchantId), 20_000n)
    const late = await refusedAs(ada, null, 'adjust', 'approve', tooMuch)
    assert.match(late, /INSUFFICIENT_BALANCE/)
  })

  it('sets fees and the tier, and suspends and reactivates', async () => {
    await run('fees:set', '--buy-fee', '150', '--default', '450')
    assert.match(await isMisuse('fees:set', '--fee', '2.5%'), /basis points/)
    assert.match(await run('tier:set', 'premium'), /premium/)
    assert.match(await isMisuse('debts:recover', 'maybe', '--reason', 'agreed'), /are yes, no/)
    assert.match(await run('debts:recover', 'yes', '--reason', 'agreed'), /its spot wallet/)
    assert.equal((await readSettings(database.db, merchantId)).recoversDebts, true)
    await run('account:suspend', EMAIL, '--reason', 'review')
    await run('account:reactivate', EMAIL, '--reason', 'reviewed')
    assert.deepEqual((await acts()).slice(-6), [
      'fees.set_default',
      'account.set_fees',
      'account.set_tier',
      'account.set_debt_recovery',
      'account.suspend',
      'account.reactivate',
    ])
  })

  it('shows in the audit log what an act changed, and what else was asked for', async () => {
    const [reactivated = '', suspended = ''] = (await run('audit-log')).split('\n').slice(1)
    assert.match(reactivated, /account\.reactivate .*status=suspended → active/)
    assert.match(suspended, /account\.suspend .*reason=review status=active → suspended$/)
    const subject = ['--subject', `account:${merchantId}`]
    const log = await run('audit-log', ...subject)
    assert.match(log, /account\.set_tier .*tier=standard → premium$/m)
    assert.match(log, /account\.set_fees .*buyFeeBps=\d+ → 150$/m)
  })

  it('releases what a deleted sub-user still has to its merchant', async () => {
    const { id } = await aSubUser(database.db, merchantId)
    await credit(database.db, { id, currency: 'USD' }, cents(1234n))
    assert.match(await fails('account:release', id, '--reason', 'x'), /USER_NOT_FOUND/)
    await database.db.query(
      sql(
        'test.delete_with_money',
        `update identity.account set status = 'deleted', deleted_at = now() where id = $1`,
      ),
      [id],
    )
    assert.match(await run('account:release', id, '--reason', 'stranded'), /12\.34 USD/)
    assert.equal(await spotOf(id), 1234n)
    await run('account:release', id, '--reason', 'stranded', '--yes')
    assert.deepEqual([await spotOf(id), await spotOf(merchantId)], [0n, 21_234n])
    assert.match(await fails('account:release', id, '--reason', 'again', '--yes'), /INSUFFICIENT/)
    assert.equal((await acts()).at(-1), 'wallet.release')
  })

  it('releases what a closed merchant has in custody to the own funds of the service, in kind', async () => {
    const { id } = await aMerchant(database.db)
    const of = (role: OwnedRole) => ({ role, ownerId: id })
    const what = { chain: 'base', token: 'USDC' }
    const arrived = (role: OwnedRole, units: bigint) => ({
      ...{ ...what, reason: 'deposit', refId: null, key: `test:${newId()}` },
      ...{ debit: 'deposit_address' as const, credit: of(role), units: baseUnits(units) },
    })
    const balances = () =>
      Promise.all(
        [of('merchant'), of('unclaimed'), of('in_flight'), 'capital' as const].map((account) =>
          readInKind(database.db, account, what),
        ),
      )
    await database.db.transaction((tx) =>
      postInKind(
        tx,
        [arrived('merchant', 5n), arrived('unclaimed', 7n), arrived('in_flight', 2n)],
        clock.now(),
      ),
    )
    assert.match(await fails('account:release', id, '--reason', 'x'), /USER_NOT_FOUND/)
    await closeAccount(database.db, id, 'deleted')
    const shown = await run('account:release', id, '--reason', 'paid by hand')
    assert.match(shown, /unclaimed of [\s\S]*capital\namount {3}7 base units of USDC on base/)
    assert.deepEqual(await balances(), [5n, 7n, 2n, 0n])
    await run('account:release', id, '--reason', 'paid by hand', '--yes')
    assert.deepEqual(await balances(), [0n, 0n, 2n, 12n])
    assert.match(await fails('account:release', id, '--reason', 'again', '--yes'), /INSUFFICIENT/)
    assert.deepEqual((await acts()).slice(-2), ['custody.release', 'custody.release'])
  })

  it('books no opening of a wallet whose chain was never scanned', async () => {
    const opening = ['wallets', 'opening', 'base:hot', '--token', 'USDC', '--reason', 'held before']
    assert.match(await fails(...opening), /cannot be compared/)
  })

  it('settles a displaced payment by its hash alone, and none that is not displaced', async () => {
    const settling = (hash: string) => ['wallets', 'settle', hash, '--reason', 'paid by hand']
    assert.match(await fails(...settling(`0x${'ab'.repeat(32)}`)), /waits to be settled/)
    for (const hash of ['0xab', '']) {
      assert.match(await isMisuse(...settling(hash)), /64 hexadecimal digits/)
    }
    assert.notEqual((await acts()).at(-1), 'wallet.settle')
  })

  it('records that a transaction which a restored database lacks has paid a withdrawal', async () => {
    const paid = { merchantId, externalId: 'restored-1', at: clock.now() }
    const { id } = await givenWithdrawal(database.db, paid)
    const hash = `0x${'a1'.repeat(32)}`
    const paying = ['payouts', 'paid', id, '--hash', hash, '--reason', 'seen at an explorer']
    assert.match(await isMisuse(...paying), /--hash and --nonce are given together/)
    const order = [...paying, '--nonce', '7']
    assert.match(await run(...order), /^Recorded as paid\. It is confirmed, and not paid again\.$/)
    assert.match(await run('payouts', 'show', id), new RegExp(`confirmed[\\s\\S]*${hash}`))
    assert.equal(
      await fails(...order),
      `There is no withdrawal ${id} whose payment is open. ${LOOK_FOR_PAYOUTS}\n`,
    )
    assert.equal((await acts()).at(-1), 'payout.record')
  })

  it('opens a partner, and sets fees, tiers and status of it and of a child by its apiKeyId', async () => {
    const email = 'platform@first.example'
    const create = ['partner:create', email, '--name', 'A platform', '--fee', '300', '--json']
    const { id: partnerId } = JSON.parse(await run(...create)) as { id: string }
    const { db } = database
    const order = { partnerId, email: 'shop@first.example', name: 'A shop', description: null }
    const { child } = await db.transaction((tx) =>
      createChild(tx, { ...order, environment: 'test', at: new Date() }),
    )
    const { firstKeyId: name, id: childId } = child
    await run('fees:set', '--buy-fee', '150', '--account', email)
    await run('fees:set', '--fee', '100', '--account', name)
    await run('tier:set', 'standard', '--account', name)
    const settings = async (id: string) => {
      const { tier, feeBps, buyFeeBps, status } = await readSettings(db, id)
      return [tier, feeBps, buyFeeBps, status]
    }
    assert.deepEqual(await settings(partnerId), ['enterprise', 300, 150, 'active'])
    assert.deepEqual(await settings(childId), ['standard', 100, null, 'active'])
    await run('account:suspend', name, '--reason', 'review')
    assert.deepEqual(await settings(childId), ['standard', 100, null, 'suspended'])
    await run('account:reactivate', name, '--reason', 'reviewed')
    const [ada, bob] = await Promise.all([anAdministrator('ada'), anAdministrator('bob')])
    const adjust = async (...order: string[]) => {
      const details = ['--account', name, '--reference', `wire-${order[0]}`, '--reason', 'wire']
      const id = await proposedBy(ada, 'adjust', ...order, ...details)
      assert.equal((await as(bob, null, 'adjust', 'approve', id)).code, 0)
    }
    await adjust('credit', '5.00')
    const goodbye = ['--reason', 'it closes']
    assert.match(await fails('account:delete', name, ...goodbye), /USER_HAS_FUNDS_OR_OPEN_TRADES/)
    assert.match(await fails('account:delete', email, ...goodbye), /USER_NOT_FOUND/)
    await adjust('debit', '5.00')
    assert.match(await run('account:delete', name, ...goodbye), /is deleted/)
    assert.equal((await settings(childId)).at(-1), 'deleted')
    assert.match(await fails('account:delete', name, ...goodbye), /USER_NOT_FOUND/)
  })
})
