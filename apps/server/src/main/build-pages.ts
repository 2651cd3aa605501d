// Builds the pages of the dashboard ahead, for an image whose processes may not write: `npm run pages`.
import { createLog } from '#infra/process/log'
import { prepareDashboardPages } from '../edges/http/dashboard/pages.ts'

const log = createLog({ level: 'info', base: { role: 'pages' } })
if ((await prepareDashboardPages(log)) === null) process.exitCode = 1
