export { CannotCome, until } from '../../apps/server/src/infra/testing/until.ts'
