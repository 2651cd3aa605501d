export { type TestDatabase, testDatabase } from '../../apps/server/src/infra/testing/database.ts'
