// The program on a real terminal, which Python can make and Node cannot.
import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { promisify, stripVTControlCharacters } from 'node:util'
import { startScripted, success } from '../../sdk/src/testing/scripted-server.ts'

const PROGRAM = join(import.meta.dirname, '../bin/tradepost.mjs')
const folder = mkdtempSync(join(tmpdir(), 'tradepost-cli-terminal-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const skip = hasPython() ? false : 'there is no python3 on this machine'

it('a typed key is not shown, and the prompt is', { skip }, async () => {
  await using server = await startScripted()
  const merchant = { id: 'm', email: 'm@example.com', wallets: {} }
  server.script(success(merchant))
  const { screen, code } = await onTerminal(
    ['login'],
    [
      ['Address', `${server.baseUrl}\r`],
      ['API key', 'tp_test_hidden\r'],
    ],
  )
  assert.equal(code, 0, screen)
  assert.equal(server.requests[0]?.headers['api-key'], 'tp_test_hidden')
  assert.ok(screen.includes(server.baseUrl))
  assert.doesNotMatch(screen, /hidden/)
  assert.match(screen, /Logged in/)
})

it('Ctrl-C at a prompt ends it with 130, and nothing is stored', { skip }, async () => {
  const profile = ['--profile', 'interrupted']
  const { screen, code } = await onTerminal(
    ['login', '--url', 'http://127.0.0.1:9', ...profile],
    [['API key', 'tp_test_half\u0003']],
  )
  assert.equal(code, 130, screen)
  assert.doesNotMatch(screen, /half/)
})

it('a table is as wide as the terminal, with colours', { skip }, async () => {
  await using server = await startScripted()
  const item = {
    id: '9f86d081884c7d65',
    marketHashName: `${'A very long name '.repeat(8)}★`,
    price: { standard: 12.5, instant: null },
  }
  server.script(success({ items: [item], total: 1, page: 1, limit: 20, totalPages: 1 }))
  const { screen, code } = await onTerminal(['search', 'long'], [], {
    TRADEPOST_API_KEY: 'tp_test_1',
    TRADEPOST_URL: server.baseUrl,
  })
  assert.equal(code, 0, screen)
  assert.ok(screen.includes('\u001b[2m'))
  const lines = stripVTControlCharacters(screen).split(/\r?\n/)
  const row = lines.find((line) => line.startsWith(item.id))
  assert.match(row ?? screen, /…/)
  assert.ok(row !== undefined && row.length <= 80, row)
})

/** Starts a program on a terminal of 80 columns, types each text once its question is on the screen. */
const DRIVER = `
import json, os, pty, select, struct, sys, fcntl, termios, time
args, answers, env = json.loads(sys.argv[1])
pid, terminal = pty.fork()
if pid == 0:
    os.execve(args[0], args, env)
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 80, 0, 0))
screen = b''
until = time.time() + 60
while time.time() < until:
    ready, _, _ = select.select([terminal], [], [], 1)
    if not ready:
        continue
    try:
        read = os.read(terminal, 65536)
    except OSError:
        break
    if not read:
        break
    screen += read
    if answers and answers[0][0].encode() in screen:
        os.write(terminal, answers.pop(0)[1].encode())
_, status = os.waitpid(pid, 0)
print(json.dumps({'screen': screen.decode(), 'code': os.waitstatus_to_exitcode(status)}))
`

async function onTerminal(
  args: readonly string[],
  answers: readonly (readonly [question: string, answer: string])[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ screen: string; code: number }> {
  const program = [process.execPath, PROGRAM, ...args]
  const environment = { XDG_CONFIG_HOME: folder, TERM: 'xterm', PATH: process.env.PATH, ...env }
  const { stdout } = await promisify(execFile)(
    'python3',
    ['-c', DRIVER, JSON.stringify([program, answers, environment])],
    { timeout: 90_000 },
  )
  return JSON.parse(stdout) as { screen: string; code: number }
}

function hasPython(): boolean {
  try {
    execFileSync('python3', ['-c', 'import os, pty; os.waitstatus_to_exitcode'], {
      stdio: 'ignore',
    })
    return true
  } catch {
    return false
  }
}
