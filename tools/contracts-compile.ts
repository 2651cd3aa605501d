import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const FOLDER = 'apps/sandbox/src/chains/contracts'
export const CONTRACTS_PATH = `${FOLDER}/contracts.json`

interface Compilation {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[]
  readonly contracts: Readonly<
    Record<
      string,
      Record<
        string,
        { evm: { deployedBytecode: { object: string }; methodIdentifiers: Record<string, string> } }
      >
    >
  >
}

export function readSource(): string {
  return readFileSync(join(import.meta.dirname, '..', FOLDER, 'contracts.sol'), 'utf8')
}

export const sourceDigest = (source: string): string =>
  createHash('sha256').update(source).digest('hex')

/** The content of contracts.json: runtime code and method selectors of each contract. */
export async function compileContracts(source: string): Promise<string> {
  const { default: solc } = await import('solc')
  const input = {
    language: 'Solidity',
    sources: { 'contracts.sol': { content: source } },
    settings: {
      // Without opcodes that some of the real chains came to know later than others.
      evmVersion: 'paris',
      optimizer: { enabled: true, runs: 200 },
      // The hash of the metadata would change with every comment.
      metadata: { bytecodeHash: 'none', appendCBOR: false },
      outputSelection: { '*': { '*': ['evm.deployedBytecode.object', 'evm.methodIdentifiers'] } },
    },
  }
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as Compilation
  const errors = output.errors?.filter(({ severity }) => severity === 'error') ?? []
  if (errors.length > 0) throw new Error(errors.map((e) => e.formattedMessage).join('\n'))
  const contracts = Object.fromEntries(
    Object.entries(output.contracts['contracts.sol'] ?? {}).map(([name, { evm }]) => [
      name,
      { code: `0x${evm.deployedBytecode.object}`, methods: evm.methodIdentifiers },
    ]),
  )
  const file = { source: sourceDigest(source), compiler: solc.version(), contracts }
  return `${JSON.stringify(file, null, 2)}\n`
}
