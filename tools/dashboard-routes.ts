// Writes the methods and paths of the dashboard's interface, and the types of events that an endpoint can be
// limited to, for its pages, which take only types of the contract.
import { dashboardRoutes, ENDPOINT_EVENTS } from '@tradepost/contract'
import { writeOrCheck } from './generated.ts'

/** As the formatter would write it. */
const MAX_WIDTH = 100

const lines = Object.entries(dashboardRoutes).map(([id, { method, path }]) => {
  const line = `  ${id}: ['${method}', '${path}'],`
  return line.length <= MAX_WIDTH ? line : `  ${id}: [\n    '${method}',\n    '${path}',\n  ],`
})

writeOrCheck({
  path: 'apps/dashboard/src/api/routes.ts',
  content: `// Generated from the contract by tools/dashboard-routes.ts.
export const ROUTES = {
${lines.join('\n')}
} as const satisfies Readonly<Record<string, readonly [method: string, path: string]>>
`,
  command: 'node tools/dashboard-routes.ts',
})

const typesOf = (types: readonly string[]): string => types.map((type) => `  '${type}',\n`).join('')

writeOrCheck({
  path: 'apps/dashboard/src/api/event-types.ts',
  content: `// Generated from the contract by tools/dashboard-routes.ts.
export const EVENTS_OF_MERCHANT: readonly string[] = [
${typesOf(ENDPOINT_EVENTS.merchant)}]
export const EVENTS_OF_PARTNER: readonly string[] = [${ENDPOINT_EVENTS.partner.map((type) => `'${type}'`).join(', ')}]
`,
  command: 'node tools/dashboard-routes.ts',
})
