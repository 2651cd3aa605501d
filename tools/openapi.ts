// Writes docs/openapi/merchant.json from the contract; with --check it only reports whether the file is
// fresh. The same bytes are served at /openapi/merchant.json.
import {
  ERRORS,
  merchantRouteList,
  openapiDocument,
  socketRouteList,
  webhookEvents,
} from '@tradepost/contract'
import { writeOrCheck } from './generated.ts'

const document = openapiDocument({
  routes: merchantRouteList,
  sockets: socketRouteList,
  events: webhookEvents,
  errors: ERRORS,
  serverUrl: '/',
})

writeOrCheck({
  path: 'docs/openapi/merchant.json',
  content: `${JSON.stringify(document, null, 2)}\n`,
  command: 'node tools/openapi.ts',
})
