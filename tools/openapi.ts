// Writes docs/openapi/*.json from the contract; with --check it only reports whether the files are fresh. The
// same documents are served below /openapi.
import { openapiDocuments } from '@tradepost/contract'
import { writeOrCheck } from './generated.ts'

for (const [name, document] of Object.entries(openapiDocuments)) {
  writeOrCheck({
    path: `docs/openapi/${name}.json`,
    content: `${JSON.stringify(document(), null, 2)}\n`,
    command: 'node tools/openapi.ts',
  })
}
