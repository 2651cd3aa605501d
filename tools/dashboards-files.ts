// deploy/grafana/*.json: the dashboards that tools/dashboards describes.
import { dashboardFiles } from './dashboards/all.ts'
import { writeOrCheck } from './generated.ts'

for (const { path, content } of dashboardFiles()) {
  writeOrCheck({ path, content, command: 'npm run docs' })
}
