export { until } from '../../apps/server/src/platform/testing/until.ts'
