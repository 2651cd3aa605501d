// Writes the methods and paths of the dashboard's interface for its pages, which take only types of the
// contract.
import { dashboardRoutes } from '@tradepost/contract'
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
