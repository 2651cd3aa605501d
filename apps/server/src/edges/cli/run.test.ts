// How command lines are read, and that those that are printed anywhere are right. No command runs.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { systemClock } from '#infra/process/clock'
import { runOps } from './run.ts'

const IS_READ = 'the command line is read'
const HINT = 'npm run ops -- help shows all commands'

const run = (...args: string[]) =>
  runOps(args, {
    ...{ markets: ['market_a', 'market_b'], clock: systemClock },
    ask: assert.fail,
    readInput: assert.fail,
    open: () => assert.fail(IS_READ),
  })

const help = async (...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await run(...args)
  assert.deepEqual([code, stderr], [0, ''], args.join(' '))
  return stdout
}

/** Null: they are right. */
async function problemOf(...args: string[]): Promise<string | null> {
  const { code, stdout, stderr } = await run(...args)
  if (code === 1 && stderr === `${IS_READ}\n`) return null
  assert.deepEqual([code, stdout], [2, ''], `${args.join(' ')}: ${stderr}`)
  assert.ok(stderr.endsWith(`\n\n${HINT}\n`), stderr)
  return stderr.split('\n', 1)[0] ?? ''
}

/** Of the page of all commands. */
const namesIn = (page: string): string[] =>
  [...page.matchAll(/^ {2}([a-z][a-z:-]*(?: [a-z]+)?) /gm)].map(([, name = '']) => name)

it('an option that a command does not have is refused with those that it has', async () => {
  const reason = ['--reason', 'x']
  const ID = '01a20000-0000-7000-8000-000000000000'
  assert.equal(
    await problemOf('key:rotate', ID, '--nothing'),
    'key:rotate has no option --nothing: it has --overlap, --json',
  )
  assert.equal(
    await problemOf('key:revoke', ID, '--resaon', 'x'),
    'key:revoke has no option --resaon: it has --reason',
  )
  assert.equal(
    await problemOf('webhook:parked', '--merchant', 'a'),
    'webhook:parked has no option --merchant: it has none',
  )
  assert.match((await problemOf('cases', 'resolve', ID, ...reason, '--json')) ?? '', /no option/)
  assert.equal(await problemOf('--json', 'cases'), 'name a command before --json')
})

it('a text that begins with a dash is refused with where it has to stand, and taken there', async () => {
  const [before, hint] = [
    'key:issue has no option',
    'A text that begins with - goes last, after --',
  ]
  for (const name of ['-shop', '-5 shops']) {
    const problem = (await problemOf('key:issue', name)) ?? ''
    assert.ok(problem.startsWith(`${before} ${name}: `) && problem.endsWith(`. ${hint}`), problem)
    assert.equal(await problemOf('key:issue', '--json', '--', name), null)
  }
  assert.equal(await problemOf('trading:pause', '--reason', '-5 shops'), null)
  assert.doesNotMatch((await problemOf('trading:pause', '-now')) ?? '', /A text/)
})

it('a missing or a further argument and an unknown command are refused, with the nearest command', async () => {
  assert.equal(await problemOf('webhook:set'), "missing required argument 'url'")
  assert.match((await problemOf('chains', 'base')) ?? '', /^too many arguments for 'chains'/)
  assert.match((await problemOf('cases', 'show', 'a', 'b')) ?? '', /^too many arguments/)
  assert.match((await problemOf('key:rotate', 'one')) ?? '', /It is no id\.$/)
  const isue = "unknown command 'key:isue' (Did you mean key:issue?)"
  assert.equal(await problemOf('key:isue', 'x', '--reason', 'y'), isue)
  assert.equal(await problemOf('frobnicate'), "unknown command 'frobnicate'")
  const relase = "unknown command 'relase' (Did you mean release?)"
  assert.equal(await problemOf('deposits', 'relase', 'x', '--reason', 'y'), relase)
  assert.equal(await problemOf(), 'name a command')
  assert.equal(await problemOf('adjust'), 'adjust needs one of its commands')
})

it('below a refused command line is the help of its command', async () => {
  const { stderr } = await run('key:revoke')
  assert.ok(stderr.includes(await help('key:revoke', '--help')), stderr)
  assert.equal((await run('frobnicate')).stderr, `unknown command 'frobnicate'\n\n${HINT}\n`)
})

it('an empty reason is none', async () => {
  assert.match((await problemOf('trading:pause', '--reason', ' ')) ?? '', /It is empty\.$/)
})

it('what only lists may be left out', async () => {
  for (const first of ['cases', 'deposits', 'payouts', 'wallets', 'destinations', 'selling']) {
    assert.equal(await problemOf(first), null)
    assert.equal(await problemOf(first, '--json'), null)
  }
})

it('each command has one line in the help of all, and help of its own', async () => {
  const all = await help('help')
  assert.deepEqual([await help('-h'), await help('--help')], [all, all])
  assert.deepEqual(all.match(/^[A-Z](?!sage).*$/gm), [
    ...['Accounts and people', 'Money and corrections', 'Keys and webhooks'],
    ...['Trades and markets', 'Chains, deposits, payouts and wallets', 'Selling', 'Switches'],
    'Looking things up',
  ])
  const names = namesIn(all)
  assert.equal(new Set(names).size, names.length)
  assert.ok(names.length > 60, names.join())
  for (const name of names) {
    const own = await help('help', ...name.split(' '))
    assert.ok(own.startsWith(`Usage: npm run ops -- ${name}`), name)
    assert.equal(await help(...name.split(' '), '-h'), own)
  }
  assert.deepEqual(namesIn(await help('help', 'cases')), [
    ...['cases list', 'cases show', 'cases resolve'],
  ])
})

it('every command line of the pages, alerts and messages is one', async () => {
  const wrong: string[] = []
  let count = 0
  for (const { file, line, isExample } of mentions()) {
    for (const args of readings(line)) {
      count++
      const problem = await problemOf(...args)
      // In a sentence a command may be named without what it needs.
      const isNamed = !isExample && /^(missing|required)|needs|missing$/.test(problem ?? '')
      if (problem !== null && !isNamed) wrong.push(`${file}: ${line}: ${problem}`)
    }
  }
  assert.ok(count > 60, String(count))
  assert.deepEqual(wrong, [])
})

const ROOT = join(import.meta.dirname, '../../../../..')
const FILES = [
  ...['*.md', 'docs/**/*.{md,yml}', 'apps/*/*.md', 'apps/*/src/**/*.{md,ts}'],
  ...['packages/*/*.md', 'packages/*/src/**/*.ts', 'bench/*.md', 'tests/**/*.md'],
]

function* mentions() {
  for (const file of globSync(FILES, { cwd: ROOT, exclude: ['**/node_modules/**'] })) {
    if (file.endsWith('.test.ts')) continue
    const text = readFileSync(join(ROOT, file), 'utf8').replace(/\\\n\s*/g, ' ')
    for (const found of text.matchAll(/npm run (?:-s )?ops -- (?!help|<command>)([^`'\n]+)/g)) {
      // What follows is another program, a line of a message or, in a list of commands, an explanation.
      const [line = ''] = (found[1] ?? '').split(/ \|(?: |$)| {3,}|\\n/)
      const before = text.slice(0, found.index)
      const isExample = file.endsWith('.md') && before.split('```').length % 2 === 0
      yield { file, line: line.trim().replace(/[.,;)]+$/, ''), isExample }
    }
  }
}

const WORD = /(?:"[^"]*"|<[^>]*>|\$\{[^}]*\}|[^\s"<])+/g

/** With each of the words between bars, and with samples in the place of what stands for something. */
function readings(line: string): string[][] {
  const words = (line.match(WORD) ?? []).map((word) =>
    word
      .replaceAll('"', '')
      .replace(/<([^>]*)>|\$\{([^}]*)\}|\$(\w+)/g, (_, ...names) => sampleOf(names.find(Boolean)))
      .split('|'),
  )
  return words.reduce<string[][]>(
    (all, choices) => all.flatMap((args) => choices.map((choice) => [...args, choice])),
    [[]],
  )
}

const SAMPLES: readonly (readonly [RegExp, string])[] = [
  [/^option$/, 'account'],
  [/e-?mail/, 'ada@example.com'],
  [/^url$/, 'https://shop.example/hook'],
  [/^chain$/, 'base'],
  [/^(key|hot or gas)$/, 'hot'],
  [/^(hash|transaction|the transaction)$/, `0x${'a1'.repeat(32)}`],
  [/^(ours|address)$/, `0x${'a1'.repeat(20)}`],
  [/nonce$/, '7'],
  [/^number$/, '300'],
  [/^amount$/, '1.00'],
  [/^time$/, '2026-11-21T08:00:00Z'],
  [/^provider$/, 'gateway'],
]

const sampleOf = (name: string): string =>
  SAMPLES.find(([form]) => form.test(name))?.[1] ?? '01a20000-0000-7000-8000-000000000000'
