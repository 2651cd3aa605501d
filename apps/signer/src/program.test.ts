import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { parseTransaction, recoverTransactionAddress } from 'viem'
import { bodyOf, KEYS, MNEMONIC, POLICY_FILE, request, USER } from './testing/fixtures.ts'

const PROGRAM = join(import.meta.dirname, 'main.ts')

let folder: string
let children: ChildProcess[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tp-signer-'))
  children = []
  writeFileSync(join(folder, 'seed'), `${MNEMONIC}\n`, { mode: 0o600 })
  writeFileSync(join(folder, 'policy.json'), JSON.stringify(POLICY_FILE))
})
afterEach(async () => {
  await Promise.all(children.map((child) => end(child, 'SIGKILL')))
  rmSync(folder, { recursive: true, force: true })
})

describe('the signer', () => {
  it('signs what the policy allows, with the key that was asked for', async () => {
    await start()
    const { status, body } = await post('/sign', bodyOf(request({ nonce: 4 })))
    assert.equal(status, 200)
    assert.equal(body.from, KEYS.address('hot'))
    assert.equal(await recoverTransactionAddress({ serializedTransaction: body.raw }), body.from)
    const { type, nonce, to, value, chainId } = parseTransaction(body.raw)
    assert.deepEqual(
      { type, nonce, to: to?.toLowerCase(), value, chainId },
      { type: 'eip1559', nonce: 4, to: USER, value: 100n, chainId: 1 },
    )
    const again = await post('/sign', bodyOf(request({ nonce: 4 })))
    assert.equal(again.body.raw, body.raw)
  })

  it('holds the limit of a day over kill -9, and counts a replacement once', async () => {
    const first = await start()
    assert.equal(await statusOf(request({ nonce: 0 })), 200)
    assert.equal(await statusOf(request({ nonce: 0, maxFeePerGas: 2_000_000_000n })), 200)
    assert.equal(await statusOf(request({ nonce: 1 })), 200)
    await end(first, 'SIGKILL')
    await start()
    const { status, body } = await post('/sign', bodyOf(request({ nonce: 2 })))
    assert.deepEqual([status, body.error.code], [403, 'AMOUNT_OVER_DAILY_LIMIT'])
    assert.equal(await statusOf(request({ nonce: 2, value: 50n })), 200)
  })

  it('holds the limit when many requests come at once', async () => {
    await start()
    const statuses = await Promise.all(
      Array.from({ length: 20 }, (_, nonce) => statusOf(request({ nonce }))),
    )
    assert.equal(statuses.filter((status) => status === 200).length, 2)
    assert.equal(statuses.filter((status) => status === 403).length, 18)
  })

  it('answers what it cannot read with 400 and goes on', async () => {
    await start()
    const good = bodyOf(request()) as { transaction: object }
    const bad: unknown[] = [
      null,
      [],
      {},
      { ...good, key: 'treasury' },
      { ...good, key: 'deposit/-1' },
      { ...good, extra: 1 },
      { ...good, transaction: { ...good.transaction, accessList: [] } },
      { ...good, transaction: { ...good.transaction, type: 'legacy' } },
      { ...good, transaction: { ...good.transaction, value: '-1' } },
      { ...good, transaction: { ...good.transaction, value: 100 } },
      { ...good, transaction: { ...good.transaction, nonce: 1.5 } },
      { ...good, transaction: { ...good.transaction, to: null } },
      {
        ...good,
        transaction: { ...good.transaction, to: '0xa0B86991c6218b36c1d19D4a2e9Eb0cE3606eB48' },
      },
    ]
    for (const body of bad) {
      const answer = await post('/sign', body)
      assert.equal(answer.status, 400, JSON.stringify(body))
    }
    assert.equal((await post('/sign', 'x'.repeat(20_000))).status, 400)
    assert.equal((await post('/nothing', {})).status, 404)
    assert.equal(await statusOf(request()), 200)
  })

  it('returns addresses, and writes no secret to its log', async () => {
    const { lines } = await start()
    for (const key of ['hot', 'gas', 'deposit/12'] as const) {
      assert.equal((await post('/address', { key })).body.address, KEYS.address(key))
    }
    assert.equal(await statusOf(request({ value: 101n })), 403)
    await until(() => lines.some((line) => line.includes('AMOUNT_OVER_TRANSACTION_LIMIT')))
    assert.ok(lines.every((line) => !line.includes('junk') && !line.includes('xpub')))
  })

  it('lets its owner alone connect, and has one process for a record of spending', async () => {
    await start()
    assert.equal(statSync(join(folder, 'signer.sock')).mode & 0o777, 0o600)
    const second = await runProgram([], { SIGNER_SOCKET: join(folder, 'second.sock') })
    assert.equal(second.code, 1)
    assert.match(second.stderr, /Another signer is listening/)
    assert.equal(await statusOf(request()), 200)
  })

  it('ends on SIGTERM with code 0, also while a client is connected and silent', async () => {
    const child = await start()
    const silent = connect(join(folder, 'signer.sock'))
    await once(silent, 'connect')
    // The signer resets the connection when it ends.
    silent.on('error', () => {})
    assert.equal(await end(child, 'SIGTERM'), 0)
    silent.destroy()
  })
})

describe('the signer does not start', () => {
  it('with a seed that others may read', async () => {
    chmodSync(join(folder, 'seed'), 0o640)
    const { code, stderr } = await runProgram([])
    assert.equal(code, 1)
    assert.match(stderr, /mode 640: others may read the seed/)
  })

  it('without a seed, with a wrong one, or without a policy, and says what to do', async () => {
    writeFileSync(join(folder, 'seed'), 'test test test', { mode: 0o600 })
    const wrong = await runProgram([])
    assert.match(wrong.stderr, /no valid BIP-39 mnemonic/)
    assert.ok(!wrong.stderr.includes('test test'))
    rmSync(join(folder, 'seed'))
    assert.match((await runProgram([])).stderr, /npm run signer -- init/)
    assert.equal((await runProgram(['init'])).code, 0)
    rmSync(join(folder, 'policy.json'))
    assert.match((await runProgram([])).stderr, /There is no policy yet, .* Write \S+policy\.json/)
  })
})

describe('init', () => {
  it('makes a seed for its owner alone, shows addresses, and overwrites none', async () => {
    rmSync(join(folder, 'seed'))
    const { code, stdout } = await runProgram(['init'])
    assert.equal(code, 0)
    assert.match(stdout, /hot wallet {6}0x[0-9a-fA-F]{40}/)
    assert.match(stdout, /deposit xpub {4}xpub\w+/)
    const seed = readFileSync(join(folder, 'seed'), 'utf8')
    assert.equal(statSync(join(folder, 'seed')).mode & 0o777, 0o600)
    assert.ok(!stdout.includes(seed.trim()))
    const again = await runProgram(['init'])
    assert.equal(again.code, 1)
    assert.equal(readFileSync(join(folder, 'seed'), 'utf8'), seed)
  })
})

async function start(): Promise<ChildProcess & { readonly lines: string[] }> {
  const child = spawn(process.execPath, [PROGRAM], {
    env: { ...process.env, SIGNER_DATA_DIR: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  const lines: string[] = []
  const output = createInterface({ input: child.stdout })
  output.on('line', (line) => lines.push(line))
  const ended = once(child, 'exit').then(() => assert.fail('the signer ended at its start'))
  await Promise.race([until(() => lines.some((line) => line.includes('"ready"'))), ended])
  ended.catch(() => {})
  return Object.assign(child, { lines })
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
  const exit = once(child, 'exit')
  child.kill(signal)
  await exit
  return child.exitCode
}

function runProgram(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const options = { env: { ...process.env, SIGNER_DATA_DIR: folder, ...env }, timeout: 60_000 }
    execFile(process.execPath, [PROGRAM, ...args], options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr })
    })
  })
}

const statusOf = async (of: ReturnType<typeof request>): Promise<number> =>
  (await post('/sign', bodyOf(of))).status

function post(
  path: string,
  body: unknown,
  // biome-ignore lint/suspicious/noExplicitAny: answers are compared field by field
): Promise<{ status: number; body: any }> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(
      { socketPath: join(folder, 'signer.sock'), path, method: 'POST' },
      (response) => {
        response.setEncoding('utf8')
        let text = ''
        response.on('data', (chunk: string) => {
          text += chunk
        })
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) })
        })
      },
    )
    outgoing.on('error', reject)
    outgoing.end(JSON.stringify(body))
  })
}

/** Polls with a deadline; the child is another process, so there is nothing to wait on. */
async function until(isTrue: () => boolean): Promise<void> {
  const deadline = Date.now() + 60_000
  while (!isTrue()) {
    assert.ok(Date.now() < deadline, 'the condition was not met in time')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
