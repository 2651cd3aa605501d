// A database with the dashboard's server on it, for all tests of a file.
import { after } from 'node:test'
import { type TestDatabase, testDatabase } from '../../infra/testing/database.ts'
import {
  type DashboardServer,
  type DashboardServerOptions,
  startDashboardServer,
} from './dashboard-server.ts'

/** Awaited at the top of the file; both are closed after its last test. */
export async function givenDashboardServer(
  options: DashboardServerOptions = {},
): Promise<{ readonly database: TestDatabase; readonly server: DashboardServer }> {
  const database = await testDatabase()
  const server = await startDashboardServer(database.db, options)
  after(async () => {
    await server.close()
    await database.close()
  })
  return { database, server }
}
