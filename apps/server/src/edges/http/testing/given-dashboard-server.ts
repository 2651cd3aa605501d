// A database with the dashboard's server on it, for all tests of a file.
import { after } from 'node:test'
import { type TestDatabase, testDatabase } from '../../../infra/testing/database.ts'
import {
  type DashboardServer,
  type DashboardServerOptions,
  startDashboardServer,
} from './dashboard-server.ts'

/** Awaited at the top of the file; both are closed after its last test. */
export async function givenDashboardServer({
  poolSize = 10,
  ...options
}: DashboardServerOptions & { readonly poolSize?: number } = {}): Promise<{
  readonly database: TestDatabase
  readonly server: DashboardServer
}> {
  const database = await testDatabase({ poolSize })
  const server = await startDashboardServer(database.db, options)
  after(async () => {
    await server.close()
    await database.close()
  })
  return { database, server }
}
