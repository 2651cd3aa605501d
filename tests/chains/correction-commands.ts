// The operator's commands that book an opening or a loss of a wallet, in an environment whose hot wallet on
// ethereum has in the books what the chain shows.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Db } from '../../apps/server/src/infra/database/db.ts'
import type { ManualClock } from '../../apps/server/src/infra/testing/clock.ts'
import { readBalance } from '../../apps/server/src/modules/money/custody/index.ts'
import { answerOps, newSecretsKey } from '../support/server.ts'

export interface CorrectionSubject {
  readonly db: Db
  readonly url: string
  readonly clock: ManualClock
  readonly chainUrl: string
  /** Makes the native coin of the hot wallet so much, in a block that is scanned. */
  hold(units: bigint): Promise<void>
  /** Wei of the hot wallet on the chain. */
  held(): Promise<bigint>
  /** Of the entries of an act in the audit log, the newest first. */
  detailsOf(act: string): Promise<readonly Readonly<Record<string, unknown>>[]>
}

export function registerCorrectionCommands(subject: CorrectionSubject): void {
  test('an operator’s command shows a correction first, posts it when it is confirmed, and refuses what is no amount', async () => {
    const { db, url, clock, chainUrl, hold, detailsOf } = subject
    const settings = {
      ...{ DATABASE_URL: url, SECRETS_KEY: newSecretsKey(), CATALOG_URL: 'https://catalog.test/' },
      ...{ MARKET_A_URL: 'https://a.test', MARKET_A_KEY: 'a-key' },
      ...{ MARKET_B_URL: 'https://b.test', MARKET_B_KEY: 'b-key' },
      ...{ CHAIN_ETHEREUM_RPC_URLS: chainUrl, CHAIN_ETHEREUM_SECOND_RPC_URLS: chainUrl },
    }
    const wallets = (...args: string[]) => answerOps(settings, ['wallets', ...args], { clock })
    const answers = async (...args: string[]) => {
      const { code, stdout, stderr } = await wallets(...args)
      assert.equal(code, 0, stderr)
      return stdout.trimEnd()
    }
    const endsWith = async (exit: number, problem: RegExp, args: readonly string[]) => {
      const { code, stdout, stderr } = await wallets(...args)
      assert.deepEqual([code, stdout], [exit, ''])
      assert.match(stderr.split('\n')[0] ?? '', problem)
    }
    const refuses = (problem: RegExp, ...args: string[]) => endsWith(1, problem, args)
    const isMisuse = (problem: RegExp, ...args: string[]) => endsWith(2, problem, args)
    const OF_HOT = ['ethereum:hot', '--token', 'NATIVE', '--reason', 'a drill'] as const
    const books = () => readBalance(db, 'hot_wallet', { chain: 'ethereum', token: 'NATIVE' })
    const held = await books()
    assert.equal(await subject.held(), held)

    for (const act of ['opening', 'loss']) {
      for (const wallet of ['ethereum:warm', 'ethereum:deposit/1', 'ethereum']) {
        await isMisuse(/It is a hot or a gas wallet/, act, wallet, ...OF_HOT.slice(1))
      }
      await refuses(/^name a chain that is switched on$/, act, 'base:hot', ...OF_HOT.slice(1))
      await isMisuse(
        /'--token <symbol>' not specified$/,
        act,
        'ethereum:hot',
        '--reason',
        'a drill',
      )
      await refuses(
        /not accepted on the chain; ETH and BNB are named NATIVE$/,
        act,
        ...OF_HOT,
        '--token',
        'DOGE',
      )
      await isMisuse(/'--reason <text>' not specified$/, act, 'ethereum:hot', '--token', 'NATIVE')
      for (const units of ['0', '01', '1.5', '1e3', '0x10', '', '9'.repeat(79)]) {
        await isMisuse(/It is a number of base units\.$/, act, ...OF_HOT, '--units', units)
      }
      await refuses(/^the chain does not show (more|less) than the books$/, act, ...OF_HOT)
    }
    const toConfirm = /^--yes needs the --id and the --units that were shown$/
    await isMisuse(/choices are unexplained, capital\.$/, 'loss', ...OF_HOT, '--as', 'fee_income')
    await isMisuse(toConfirm, 'loss', ...OF_HOT, '--yes')
    await isMisuse(toConfirm, 'loss', ...OF_HOT, '--units', '1', '--yes')
    await isMisuse(/It is no id\.$/, 'loss', ...OF_HOT, '--units', '1', '--id', 'one', '--yes')

    await hold(held + 15n)
    const shown = (parts: readonly string[]) => new RegExp(`^${parts.join('\\n')}\\n`)
    const opening = await answers('opening', ...OF_HOT)
    const openingParts = [
      'debit    hot_wallet on ethereum',
      'credit   capital',
      'units    15 base units of NATIVE',
      `books    ${held} -> ${held + 15n}`,
      `chain    ${held + 15n} at block \\d+`,
    ]
    assert.match(opening, shown(openingParts))
    assert.match(
      opening,
      /\nNothing is posted yet\. Run the command again with --yes to post it\.$/,
    )
    assert.equal(await books(), held)
    await refuses(
      /^the chain shows 15 base units more .*not so many$/,
      'opening',
      ...OF_HOT,
      '--units',
      '16',
    )
    assert.match(await answers('opening', ...OF_HOT, '--units', '5', '--yes'), /\nPosted\.$/)
    assert.match(
      await answers('opening', ...OF_HOT, '--yes'),
      /^units {4}10 base units[\s\S]*\nPosted\.$/m,
    )
    assert.equal(await books(), held + 15n)

    await hold(held)
    const loss = await answers('loss', ...OF_HOT, '--as', 'capital')
    const lossParts = [
      'debit    capital',
      'credit   hot_wallet on ethereum',
      'units    15 base units of NATIVE',
      `books    ${held + 15n} -> ${held}`,
      `chain    ${held} at block \\d+`,
    ]
    assert.match(loss, shown(lossParts))
    const confirmation = /again with (--units 15 --id [0-9a-f-]{36} --yes) to post it\.$/.exec(
      loss,
    )?.[1]
    const confirmed = ['loss', ...OF_HOT, '--as', 'capital', ...(confirmation ?? '').split(' ')]
    assert.equal(await books(), held + 15n)
    assert.match(await answers(...confirmed), /\nPosted\.$/)
    assert.equal(await answers(...confirmed), 'It is posted already.')
    await refuses(/^the id is of another posting$/, ...confirmed, '--token', 'USDC')
    assert.equal(await books(), held)
    const [entry] = await detailsOf('custody.loss')
    assert.deepEqual(
      [entry?.reason, entry?.counterpart, entry?.units],
      ['a drill', 'capital', '15'],
    )
  })
}
