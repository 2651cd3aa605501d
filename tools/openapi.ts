// Writes docs/openapi/*.json from the contract; with --check it only reports whether the files are fresh. The
// same documents are served below /openapi.
import {
  DASHBOARD_INTERFACE,
  dashboardRouteList,
  ERRORS,
  merchantRouteList,
  openapiDocument,
  socketRouteList,
  webhookEvents,
} from '@tradepost/contract'
import { writeOrCheck } from './generated.ts'

const documents = {
  merchant: openapiDocument({
    routes: merchantRouteList,
    sockets: socketRouteList,
    events: webhookEvents,
    errors: ERRORS,
    serverUrl: '/',
  }),
  dashboard: openapiDocument({
    about: DASHBOARD_INTERFACE,
    routes: dashboardRouteList,
    events: {},
    errors: ERRORS,
    serverUrl: '/',
  }),
}

for (const [name, document] of Object.entries(documents)) {
  writeOrCheck({
    path: `docs/openapi/${name}.json`,
    content: `${JSON.stringify(document, null, 2)}\n`,
    command: 'node tools/openapi.ts',
  })
}
