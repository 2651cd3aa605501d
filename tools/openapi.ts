// Writes the OpenAPI documents of those who integrate, docs/openapi/*.json, from the contract; with
// --check it only reports whether the files are fresh. The same documents are served below /openapi,
// where the dashboard's is made as well: a megabyte that its own pages alone call is not committed.
import { openapiDocuments } from '@tradepost/contract'
import { writeOrCheck } from './generated.ts'

for (const name of ['merchant', 'partner']) {
  writeOrCheck({
    path: `docs/openapi/${name}.json`,
    content: `${JSON.stringify(openapiDocuments[name]?.(), null, 2)}\n`,
    command: 'node tools/openapi.ts',
  })
}
