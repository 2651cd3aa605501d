// The signer as a program of its own, with a seed and a policy in a folder of its own.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Child, jsonLine, ROOT, startChild } from './child.ts'

export interface SignerProgram {
  readonly socketPath: string
  write(files: { readonly seed?: string; readonly policy?: object }): void
  /** The xpub of its deposit account. */
  depositXpub(): Promise<string>
  /** The hot wallet and the gas station. */
  wallets(): Promise<readonly string[]>
  start(): Promise<void>
  signal(name: NodeJS.Signals): void
  /** What it wrote last. */
  said(): string
  /** Ends it at once, as kill -9 does. */
  kill(): Promise<void>
  close(): Promise<void>
}

/** Of this checkout, or of the one in `root`. */
export function signerProgram(root: string = ROOT): SignerProgram {
  const folder = mkdtempSync(join(tmpdir(), 'tp-signer-'))
  const program = join(root, 'apps/signer/src/main.ts')
  const environment = { SIGNER_DATA_DIR: folder }
  let child: Child | null = null
  const kill = async (): Promise<void> => {
    await child?.end('SIGKILL')
    child = null
  }
  return {
    socketPath: join(folder, 'signer.sock'),
    write: ({ seed, policy }) => {
      if (seed !== undefined) writeFileSync(join(folder, 'seed'), seed, { mode: 0o600 })
      if (policy !== undefined) writeFileSync(join(folder, 'policy.json'), JSON.stringify(policy))
    },
    depositXpub: () =>
      startChild(program, ['addresses'], environment, { root }).line(
        (line) => /^deposit xpub +(xpub\w+)$/.exec(line)?.[1] ?? null,
      ),
    wallets: async () => {
      const child = startChild(program, ['addresses'], environment, { root })
      await child.exited
      return [...child.stdout().matchAll(/^(?:hot wallet|gas station) +(0x\w{40})$/gm)].map(
        ([, address = '']) => address,
      )
    },
    start: async () => {
      child = startChild(program, [], environment, { root })
      await child.line((line) => (jsonLine(line)?.event === 'ready' ? true : null))
    },
    signal: (name) => child?.signal(name),
    said: () => child?.said() ?? '',
    kill,
    close: async () => {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
