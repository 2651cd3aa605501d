// What a process loads, as node's own loader sees it. Without a database the process ends as soon as it has
// loaded everything.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'

const PRINT_EACH = `data:text/javascript,${encodeURIComponent(`
  import { writeSync } from 'node:fs'
  import { registerHooks } from 'node:module'
  registerHooks({
    load(url, context, next) {
      writeSync(1, url + '\\n')
      return next(url, context)
    },
  })
`)}`

describe('of the files of the service,', () => {
  it('a worker loads no interface of the API, no schema or route of the contract, and no web server', async () => {
    const files = await loadedBy('worker.ts')
    assert.ok(files.some((file) => file.includes('/edges/jobs/')))
    const unwanted = [
      '/edges/http/',
      /\/packages\/contract\/(?!src\/webhook-headers[.]ts)/,
      /\/node_modules\/(@?fastify|fast-json-stringify|ajv|@redis)\//,
    ]
    for (const each of unwanted) assert.deepEqual(matching(files, each), [])
  })

  it('an api process loads no job', async () => {
    const files = await loadedBy('api.ts')
    assert.ok(files.some((file) => file.includes('/edges/http/')))
    assert.deepEqual(matching(files, '/edges/jobs/'), [])
    // It is loaded with the first PDF, in a thread of its own.
    assert.deepEqual(matching(files, /\/node_modules\/(pdfkit|fontkit)\//), [])
  })

  it('none is for traces where no collector is named; `prom-client` alone loads the API of OpenTelemetry', async () => {
    // Of its SDK and its exporters nothing. The API is a dependency of ours and of `prom-client`.
    const forTraces = /\/tracing\/(?!tracing[.]ts)|\/@opentelemetry\/(?!api\/)/
    const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }
    for (const program of ['api.ts', 'worker.ts']) {
      assert.deepEqual(matching(await loadedBy(program), forTraces), [])
      assert.notDeepEqual(matching(await loadedBy(program, collector), forTraces), [])
    }
  })
})

const matching = (files: readonly string[], part: string | RegExp): string[] =>
  files.filter((file) => file.search(part) !== -1)

function loadedBy(program: string, settings: NodeJS.ProcessEnv = {}): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'tradepost-loaded-'))
  return new Promise<string[]>((resolve, reject) => {
    execFile(
      process.execPath,
      ['--import', PRINT_EACH, join(import.meta.dirname, program)],
      { env: { DATA_DIR: folder, ...settings }, timeout: 120_000, maxBuffer: 16 * 1024 * 1024 },
      (error, stdout, stderr) => {
        if (!stderr.includes('DATABASE_URL must be set')) return reject(error ?? new Error(stderr))
        resolve(stdout.split('\n').filter((line) => line.startsWith('file:')))
      },
    )
  }).finally(() => rmSync(folder, { recursive: true, force: true }))
}
