// Writes the compiled contracts of the sandbox's chains. Compiling takes seconds, so that an unchanged
// source is not compiled again; `contracts.test.ts` compiles it and compares the code.
import { CONTRACTS_PATH, compileContracts, readSource, sourceDigest } from './contracts-compile.ts'
import { readOrNull, writeOrCheck } from './generated.ts'

const source = readSource()
const committed = readOrNull(CONTRACTS_PATH)
if (committed === null || JSON.parse(committed).source !== sourceDigest(source)) {
  writeOrCheck({
    path: CONTRACTS_PATH,
    content: process.argv.includes('--check') ? '' : await compileContracts(source),
    command: 'node tools/contracts.ts',
  })
}
