// A database with the dashboard's server on it, for all tests of a file.
import { after } from 'node:test'
import { type TestDatabase, testDatabase } from '../../infra/testing/database.ts'
import {
  type DashboardServer,
  type DashboardServerOptions,
  startDashboardServer,
} from './dashboard-server.ts'

/** One tenant has a quarter of it: five of its calls may wait for a lock at once. */
const POOL_SIZE = 20

/** Awaited at the top of the file; both are closed after its last test. */
export async function givenDashboardServer(
  options: DashboardServerOptions = {},
): Promise<{ readonly database: TestDatabase; readonly server: DashboardServer }> {
  const database = await testDatabase({ poolSize: POOL_SIZE })
  const server = await startDashboardServer(database.db, options)
  after(async () => {
    await server.close()
    await database.close()
  })
  return { database, server }
}
