import { readConfig } from './config.ts'
import type { Dataset, DatasetOptions } from './dataset/types.ts'
import { DatasetMismatch } from './dataset-keeper.ts'
import { startSandbox } from './sandbox.ts'
import { ConfigFault } from './settings.ts'
import { StoreFault } from './store/sqlite-store.ts'

/** The whole program: settings from the environment, one line when ready, signals, exit codes. */
export async function runSandbox(
  createDataset: (options: DatasetOptions) => Dataset,
): Promise<void> {
  try {
    const sandbox = await startSandbox({ config: readConfig(process.env), createDataset })
    process.stdout.write(`${JSON.stringify({ event: 'ready', url: sandbox.url })}\n`)
    stopOnSignals(sandbox)
  } catch (error) {
    process.stderr.write(`${sentenceFor(error)}\n`)
    process.exit(1)
  }
}

function stopOnSignals(sandbox: { close(): Promise<void> }): void {
  let isStopping = false
  const stop = async (): Promise<void> => {
    if (isStopping) return
    isStopping = true
    await sandbox.close()
    process.exit(0)
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}

/** One sentence for what the user can fix; the whole error for a bug. */
function sentenceFor(error: unknown): string {
  if (
    error instanceof ConfigFault ||
    error instanceof StoreFault ||
    error instanceof DatasetMismatch
  ) {
    return error.message
  }
  const { code, port, address } = error as { code?: string; port?: number; address?: string }
  if (code === 'EADDRINUSE')
    return `Port ${port} on ${address} is in use: choose another SANDBOX_PORT.`
  if (code === 'EACCES')
    return `Port ${port} may not be used by this user: choose another SANDBOX_PORT.`
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return `SANDBOX_HOST does not name an address of this machine (${address ?? ''}).`
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
