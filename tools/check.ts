// What must hold before a change is taken in: `npm run check`, or only the steps that it is given,
// `npm run check -- types walls`. Two run at a time: those of a few seconds first, which find what was
// forgotten, then the longest; one that fails ends no other. The compiler keeps what it knows below
// node_modules/.cache, so that it looks only at what a change can reach.
import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { delimiter, join } from 'node:path'
import { readOptions, refuseUse } from './options.ts'

const ROOT = join(import.meta.dirname, '..')
const PATH = [join(ROOT, 'node_modules/.bin'), process.env.PATH].join(delimiter)
const CACHE = 'node_modules/.cache/types'
/** Of memory there are 2 GB to each compiler. */
const AT_ONCE = Math.min(2, availableParallelism())

const typesOf = (project: string, name: string): string =>
  `tsc -p ${project} --incremental --tsBuildInfoFile ${CACHE}/${name}.tsbuildinfo`

const STEPS: readonly (readonly [name: string, command: string])[] = [
  ['tidy', 'node tools/tidy.ts'],
  ['docs', 'node tools/docs.ts --check'],
  ['walls', 'node tools/table-owners.ts'],
  ['walls', 'node tools/tenancy.ts'],
  ['types', typesOf('tsconfig.json', 'all')],
  ['lint', 'biome check --error-on-warnings .'],
  [
    'walls',
    `depcruise --config dependency-cruiser.mjs '{apps,packages,tools,tests,bench}/**/*.ts'`,
  ],
  ['types', typesOf('apps/dashboard', 'dashboard')],
  ['unused', 'knip'],
  ['types', typesOf('apps/dashboard/tsconfig.tests.json', 'dashboard-tests')],
  ['types', typesOf('apps/sandbox/src/console', 'console')],
  ['types', typesOf('apps/server/docs-site', 'docs-site')],
]

const names = [...new Set(STEPS.map(([name]) => name))].join(', ')
const { rest: wanted } = readOptions({
  name: 'npm run check',
  about: `Checks all, or these steps: ${names}.`,
  rest: '[step …]',
  options: {},
})
const unknown = wanted.find((name) => STEPS.every(([step]) => step !== name))
if (unknown !== undefined) refuseUse(`There is no step ${unknown}: there are ${names}.`)

mkdirSync(join(ROOT, CACHE), { recursive: true })
const left = STEPS.filter(([name]) => wanted.length === 0 || wanted.includes(name))
await Promise.all(Array.from({ length: AT_ONCE }, work))

async function work(): Promise<void> {
  for (let step = left.shift(); step !== undefined; step = left.shift()) {
    const startedAt = performance.now()
    const { code, output } = await run(step[1])
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    if (code !== 0) process.exitCode = 1
    console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${seconds.padStart(6)} s  ${step[1]}`)
    if (code !== 0) console.log(output)
  }
}

function run(command: string): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, {
      ...{ cwd: ROOT, shell: true, env: { ...process.env, PATH } },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    }
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, output }))
  })
}
