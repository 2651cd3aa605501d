// One connection to a member itself, past the proxy, as the superuser.
import pg from 'pg'

export async function openClient(port: number, password: string): Promise<pg.Client> {
  const client = new pg.Client({
    host: '127.0.0.1',
    port,
    user: 'postgres',
    password,
    database: 'postgres',
    connectionTimeoutMillis: 3000,
  })
  // A member that is killed cuts it: the query that waits says so.
  client.on('error', () => {})
  await client.connect()
  return client
}
