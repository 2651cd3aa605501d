// The signer as a program:
//   npm run signer               answers signing requests on its unix socket
//   npm run signer -- init       makes a new seed and shows its addresses
//   npm run signer -- addresses  shows addresses and the xpub of the deposit account
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { CannotStart } from './cannot-start.ts'
import { type Config, readConfig } from './config.ts'
import { type KeyRing, openKeyRing } from './keys.ts'
import { readPolicy } from './policy.ts'
import { createSeedFile, readSeedFile } from './seed-file.ts'
import { createHandler, listenOn, type OnDecision } from './server.ts'
import { createSigner } from './signer.ts'
import { openSpending } from './spending.ts'

const CLOSE_AFTER_MS = 500
const USAGE = 'Usage: npm run signer [-- init | addresses]'

try {
  await run(process.argv.slice(2), readConfig(process.env))
} catch (error) {
  if (!(error instanceof CannotStart)) throw error
  process.stderr.write(`signer: ${error.message}\n`)
  process.exitCode = 1
}

async function run([command, ...rest]: readonly string[], config: Config): Promise<void> {
  if (rest.length > 0) throw new CannotStart(USAGE)
  switch (command) {
    case undefined:
      return serve(config)
    case 'init':
      createSeedFile(config.seedFile)
      process.stdout.write(`A new seed is in ${config.seedFile}. Keep a copy of it offline.\n`)
      return showAddresses(openKeyRing(readSeedFile(config.seedFile)))
    case 'addresses':
      return showAddresses(openKeyRing(readSeedFile(config.seedFile)))
    default:
      throw new CannotStart(USAGE)
  }
}

function showAddresses(keys: KeyRing): void {
  process.stdout.write(
    `hot wallet      ${keys.address('hot')}\n` +
      `gas station     ${keys.address('gas')}\n` +
      `deposit xpub    ${keys.depositXpub}\n` +
      `first deposit   ${keys.address('deposit/0')}\n`,
  )
}

async function serve(config: Config): Promise<void> {
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 })
  const keys = openKeyRing(readSeedFile(config.seedFile))
  const policy = readPolicy(config.policyFile)
  // The lock comes before the record of spending is opened: one process counts.
  const lock = await listenOn((_request, response) => response.writeHead(404).end(), {
    path: join(config.dataDir, 'lock.sock'),
    mode: 0o600,
  })
  const spending = openSpending(join(config.dataDir, 'spending.jsonl'))
  const handler = createHandler({
    keys,
    signer: createSigner({ keys, policy, spending }),
    onDecision: log,
  })
  const server = await listenOn(handler, { path: config.socketPath, mode: config.socketMode })
  let isStopping = false
  const stop = (): void => {
    // npm forwards the signal that the terminal has already sent.
    if (isStopping) return
    isStopping = true
    server.close(() => {
      spending.close()
      lock.close()
    })
    // A connection on which no request ever came counts as busy; requests under way need milliseconds.
    setTimeout(() => server.closeAllConnections(), CLOSE_AFTER_MS)
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  // Last: a supervisor may stop the program as soon as it reads this line.
  log({
    event: 'ready',
    socket: config.socketPath,
    hot: keys.address('hot'),
    gas: keys.address('gas'),
    chains: [...policy.values()].map(({ name }) => name),
  })
}

/** One JSON line on stdout. */
function log(fields: Parameters<OnDecision>[0]): void {
  process.stdout.write(
    `${JSON.stringify({ level: 'info', time: new Date().toISOString(), ...fields })}\n`,
  )
}
