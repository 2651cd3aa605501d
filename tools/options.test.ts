import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type Command, parse } from './options.ts'

const COMMAND = {
  name: 'npm run soak',
  about: 'Kills everything again and again.',
  options: {
    minutes: { kind: 'number', about: 'for how long', from: 0.1, to: 1440, byDefault: 3 },
    seed: { kind: 'whole', about: 'the same dice again', from: 0 },
    only: { kind: 'text', of: 'name', about: 'what has this in its name', byDefault: '' },
    write: { kind: 'flag', about: 'writes docs/soak.md' },
  },
} as const satisfies Command

const WITH_FILES = { ...COMMAND, name: 'npm test', rest: '[file …]' } as const

it('options are read as their kinds, and what is not given has its default', () => {
  assert.deepEqual(parse(COMMAND, ['--minutes', '0.5', '--seed=7', '--write']), {
    values: { help: false, minutes: 0.5, seed: 7, only: '', write: true },
    rest: [],
  })
  assert.deepEqual(parse(COMMAND, []), {
    values: { help: false, minutes: 3, seed: undefined, only: '', write: false },
    rest: [],
  })
})

it('an unknown option is refused with the list of those that exist', () => {
  for (const args of [['--kills', '4'], ['--kills=4'], ['-k'], ['--constructor']]) {
    assert.deepEqual(parse(COMMAND, args), {
      refusal: `npm run soak has no option ${args[0]?.split('=')[0]}. Its options: --minutes, --seed, --only, --write, --help.`,
    })
  }
})

it('a value that is not of its kind is refused with what the option needs', () => {
  const refusals: readonly (readonly [args: readonly string[], refusal: string])[] = [
    [['--minutes', 'ten'], '--minutes needs a number from 0.1 to 1440.'],
    [['--minutes', '1441'], '--minutes needs a number from 0.1 to 1440.'],
    [['--seed', '1.5'], '--seed needs a whole number of at least 0.'],
    [['--seed'], '--seed needs a whole number of at least 0.'],
    [['--only', '--write'], '--only needs a name.'],
    [['--write=yes'], '--write takes no value.'],
  ]
  for (const [args, refusal] of refusals) assert.deepEqual(parse(COMMAND, args), { refusal })
})

it('other arguments are refused where a command has none', () => {
  assert.deepEqual(parse(COMMAND, ['now']), {
    refusal:
      'npm run soak does not take “now”. Its options: --minutes, --seed, --only, --write, --help.',
  })
  const given = parse(WITH_FILES, ['a.test.ts', '--', '--b.test.ts'])
  assert.deepEqual('rest' in given && given.rest, ['a.test.ts', '--b.test.ts'])
})

it('the help lists every option with what it takes and its default', () => {
  assert.deepEqual(parse(WITH_FILES, ['--help']), {
    help: `npm test -- [options] [file …]
Kills everything again and again.

  --minutes <number>  for how long (3)
  --seed <number>     the same dice again
  --only <name>       what has this in its name
  --write             writes docs/soak.md
  --help              shows this
`,
  })
})
