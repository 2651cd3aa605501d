// One anvil node as a child process. It mines only on request: its starter decides when.
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

export interface NodeProcess {
  readonly url: string
  readonly pid: number
  /** Settles when the process is gone, for whatever reason. */
  readonly exited: Promise<void>
  signal(name: NodeJS.Signals): void
  /** Writes its state, if it has a file for it, and ends. */
  stop(): Promise<void>
}

export interface NodeOptions {
  readonly program: string
  readonly chainId: number
  readonly port?: number
  /** Read at the start, written at the end and every `stateSeconds`. */
  readonly stateFile?: string
  readonly stateSeconds?: number
  /** Blocks between `latest`, `safe` and `finalized`. */
  readonly finalityBlocks?: number
  readonly accounts?: number
}

/** How deep a re-organisation can reach; states of older blocks are not kept. */
const KEPT_STATES = 64
const READY_DEADLINE_MS = 20_000
const STOP_DEADLINE_MS = 10_000

/**
 * A node must not outlive the process that started it, however that ends. Anvil does not watch its parent,
 * so a shell does: it ends the node when our end of its third pipe is closed. The first line that it prints
 * is the id of the node's process.
 */
const WATCHER = `
"$0" "$@" </dev/null 3<&- & node=$!
echo $node
(read -r _; kill -CONT $node; kill -TERM $node) <&3 >/dev/null 2>&1 & watcher=$!
exec 3<&-
wait $node
kill $watcher
`

export async function startNode(options: NodeOptions): Promise<NodeProcess> {
  const child = spawn('sh', ['-c', WATCHER, options.program, ...argumentsOf(options)], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  })
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const { url, pid } = await ready(child)
  const signal = (name: NodeJS.Signals): void => {
    try {
      process.kill(pid, name)
    } catch {
      // It is gone already.
    }
  }
  return {
    url,
    pid,
    exited,
    signal,
    async stop() {
      signal('SIGCONT')
      signal('SIGTERM')
      const timer = setTimeout(() => signal('SIGKILL'), STOP_DEADLINE_MS)
      await exited
      clearTimeout(timer)
    },
  }
}

function argumentsOf(options: NodeOptions): string[] {
  const { chainId, port = 0, stateFile, finalityBlocks = 32, accounts = 10 } = options
  const { stateSeconds = 30 } = options
  return [
    ...['--host', '127.0.0.1', '--port', String(port), '--chain-id', String(chainId)],
    ...['--no-mining', '--order', 'fifo', '--slots-in-an-epoch', String(finalityBlocks)],
    ...['--accounts', String(accounts), '--balance', '1000000000'],
    ...['--prune-history', String(KEPT_STATES), '--threads', '1', '--no-cors', '--color', 'never'],
    ...(stateFile === undefined
      ? []
      : ['--state', stateFile, '--state-interval', String(stateSeconds)]),
  ]
}

/** Waits for the line that says where it listens. */
function ready(child: ChildProcess): Promise<{ url: string; pid: number }> {
  const last: string[] = []
  let pid = 0
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => fail('was not ready in time'), READY_DEADLINE_MS)
    const fail = (why: string): void => {
      clearTimeout(timer)
      child.kill('SIGKILL')
      reject(new Error(`anvil ${why}: ${last.join(' ')}`))
    }
    child.once('error', (error) => fail(error.message))
    child.once('close', () => fail('ended'))
    for (const stream of [child.stdout, child.stderr]) {
      if (!stream) continue
      // All that it writes must be read, or it stops when the pipe is full.
      createInterface({ input: stream }).on('line', (line) => {
        if (pid === 0 && /^\d+$/.test(line)) pid = Number(line)
        last.push(line)
        if (last.length > 5) last.shift()
        const address = /^Listening on (\S+)/.exec(line)?.[1]
        if (address === undefined) return
        clearTimeout(timer)
        resolve({ url: `http://${address}`, pid })
      })
    }
  })
}
