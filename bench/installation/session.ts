// A person of the demo, logged in to the dashboard of an API process.

export interface DemoLogin {
  readonly email: string
  readonly password: string
}

/** What the browser would send as `cookie` from then on. */
export async function logIn(origin: string, login: DemoLogin): Promise<string> {
  const response = await fetch(`${origin}/dashboard/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: login.email, password: login.password }),
  })
  const [cookie] = response.headers.getSetCookie()
  if (response.status !== 200 || cookie === undefined) {
    throw new Error(`no session: ${response.status} ${await response.text()}`)
  }
  return cookie.split(';')[0] ?? ''
}
