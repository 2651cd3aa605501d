// Writes docs/errors.md from the contract's catalogue; with --check it only reports whether the file is
// fresh.
import { ERRORS, errorsPage } from '@tradepost/contract'
import { writeOrCheck } from './generated.ts'

writeOrCheck({
  path: 'docs/errors.md',
  content: errorsPage(ERRORS),
  command: 'node tools/errors-page.ts',
})
