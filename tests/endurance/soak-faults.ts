// `npm run soak:faults -- --rounds 5`: the tests of kills, suspensions, silent workers and random histories
// again and again, each round with new seeds and longer than in `npm test`. The seed of a failure is in the
// name of its test.
import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { readOptions } from '../../tools/options.ts'

const ROOT = join(import.meta.dirname, '../..')
const FILES = [
  'tests/e2e/rotation.test.ts',
  'tests/endurance/kill.test.ts',
  'tests/endurance/long/pause.test.ts',
  'tests/endurance/model/closing.test.ts',
  'tests/endurance/model/model.test.ts',
  'tests/endurance/model/money.test.ts',
]
/** Minutes on a quiet machine; a history that is longer than the time of its test fails. */
const LONGER = {
  KILL_ROUNDS: '28',
  PAUSE_SECONDS: '180',
  SILENCE_SECONDS: '60',
  CLOSING_MODEL_RUNS: '8',
  CLOSING_MODEL_STEPS: '300',
  MODEL_RUNS: '2',
  MODEL_STEPS: '50',
  MONEY_MODEL_RUNS: '4',
  MONEY_MODEL_STEPS: '120',
  TEST_TIMEOUT_SECONDS: '900',
}
const SEEDS = ['KILL_SEED', 'PAUSE_SEED', 'CLOSING_MODEL_SEED', 'MODEL_SEED', 'MONEY_MODEL_SEED']

const { rounds } = readOptions({
  name: 'npm run soak:faults',
  about:
    'The tests of kills, suspensions and random histories, longer and with new seeds in each round.',
  options: { rounds: { kind: 'whole', about: 'how many', from: 1, byDefault: 5 } },
}).values

let failures = 0
for (let round = 1; round <= rounds; round++) {
  const seeds = Object.fromEntries(SEEDS.map((name) => [name, String(randomInt(2 ** 31))]))
  console.log(`round ${round} of ${rounds}: ${JSON.stringify(seeds)}`)
  const { status } = spawnSync(process.execPath, [join(ROOT, 'tools/test.ts'), ...FILES], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, ...LONGER, ...seeds },
  })
  // Stopped by a person.
  if (status === 130) process.exit(130)
  if (status !== 0) failures += 1
}
console.log(`${rounds} rounds, ${failures} failed`)
process.exit(failures === 0 ? 0 : 1)
