// A Valkey or Redis of a test's own: Debian's package, on a free port, with nothing on the disk.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { type AddressInfo, createServer } from 'node:net'

export interface ValkeyServer {
  readonly url: string
  readonly port: number
  /** Stops answering without closing anything, as a machine that hangs. */
  freeze(): void
  thaw(): void
  /** Ends it at once; what it held is gone. */
  kill(): Promise<void>
  /** Starts it again on the same port, empty. */
  start(): Promise<void>
  stop(): Promise<void>
}

/** Why a test that needs the program is skipped; false when it is there. */
export const noValkey: string | false =
  findProgram() === null
    ? 'neither valkey-server nor redis-server is installed (Debian: apt-get install redis-server)'
    : false

export async function startValkey(): Promise<ValkeyServer> {
  const port = await freePort()
  let child: ChildProcess | null = null
  const start = async (): Promise<void> => {
    child = await launch(port)
  }
  const end = async (): Promise<void> => {
    const ending = child
    child = null
    if (ending === null || ending.exitCode !== null || ending.signalCode !== null) return
    const gone = new Promise((resolve) => ending.once('exit', resolve))
    ending.kill('SIGKILL')
    await gone
  }
  await start()
  process.on('exit', () => child?.kill('SIGKILL'))
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    kill: end,
    start,
    stop: end,
  }
}

function findProgram(): string | null {
  const found = ['valkey-server', 'redis-server'].find(
    (name) => spawnSync(name, ['--version']).status === 0,
  )
  return found ?? null
}

const START_DEADLINE_MS = 30_000

function launch(port: number): Promise<ChildProcess> {
  const program = findProgram()
  if (program === null) throw new Error('there is no Valkey: a test should have been skipped')
  const settings = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--appendonly',
    'no',
  ]
  const child = spawn(program, settings, { stdio: ['ignore', 'pipe', 'pipe'] })
  return new Promise((resolve, reject) => {
    let said = ''
    const timer = setTimeout(() => child.kill('SIGKILL'), START_DEADLINE_MS)
    child.once('error', reject)
    child.once('exit', () => reject(new Error(`${program} did not start:\n${said}`)))
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text
      if (!/ready to accept connections/i.test(said)) return
      clearTimeout(timer)
      child.removeAllListeners('exit')
      child.stdout.removeAllListeners('data').resume()
      resolve(child)
    })
    child.stderr.resume()
  })
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
