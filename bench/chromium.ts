// Chromium by the DevTools protocol alone, for times that a test driver would change: Playwright has every
// page report its requests, and Chromium then notes a stack for each, a seventh of the time until the
// overview of the dashboard is there. Nothing is reported here but what is asked for.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { chromiumHere } from '../tests/support/browser.ts'

type Listener = (params: Readonly<Record<string, unknown>>) => void

/** One page or the browser itself; an answer with an error rejects. */
export interface Session {
  send<T = unknown>(method: string, params?: object): Promise<T>
  on(event: string, listener: Listener): void
}

export interface Chromium {
  /** An empty page with a cache and cookies of its own. */
  openPage(visit: Visit): Promise<OpenPage>
  close(): Promise<void>
}

/** The cookie counts at the address; null: none. */
interface Visit {
  readonly url: string
  readonly cookie: string | null
}

export interface OpenPage extends Session {
  close(): Promise<void>
}

const ARGS = [
  ...['--headless', '--disable-gpu', '--no-first-run', '--disable-sync', '--disable-extensions'],
  ...['--disable-background-networking', '--disable-component-update', '--remote-debugging-port=0'],
]

export async function startChromium(): Promise<Chromium> {
  const folder = await mkdtemp(join(tmpdir(), 'tradepost-bench-chromium-'))
  const { program, args } = chromiumHere()
  const child = spawn(program, [...ARGS, ...args, `--user-data-dir=${folder}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const exited = once(child, 'exit')
  const close = async (): Promise<void> => {
    child.kill()
    await exited
    await rm(folder, { recursive: true, force: true, maxRetries: 10 })
  }
  try {
    const sessionOf = await connect(await addressIn(child.stderr))
    return { openPage: (visit) => openPage(sessionOf, visit), close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Chromium writes it among its warnings. */
async function addressIn(stderr: NodeJS.ReadableStream): Promise<string> {
  const lines = createInterface({ input: stderr })
  for await (const line of lines) {
    const address = /^DevTools listening on (ws:\S+)/.exec(line)?.[1]
    if (address === undefined) continue
    // What it writes from now on is read and dropped, so that it never waits for a reader.
    stderr.resume()
    return address
  }
  throw new Error('Chromium ended before it said where it listens')
}

/** Of a page; without an id, of the browser itself. */
type SessionOf = (sessionId?: string) => Session

async function connect(address: string): Promise<SessionOf> {
  const socket = new WebSocket(address)
  await once(socket, 'open')
  const answers = new Map<number, PromiseWithResolvers<unknown>>()
  const listeners = new Map<string, Listener>()
  let ids = 0
  socket.addEventListener('message', ({ data }) => {
    const { id, result, error, method, params, sessionId } = JSON.parse(String(data))
    if (id === undefined) return listeners.get(`${sessionId} ${method}`)?.(params)
    if (error === undefined) answers.get(id)?.resolve(result)
    else answers.get(id)?.reject(new Error(error.message))
    answers.delete(id)
  })
  socket.addEventListener('close', () => {
    for (const { reject } of answers.values()) reject(new Error('Chromium has ended'))
  })
  return (sessionId) => ({
    send<T>(method: string, params: object = {}): Promise<T> {
      const answer = Promise.withResolvers<unknown>()
      const id = ++ids
      answers.set(id, answer)
      socket.send(JSON.stringify({ id, method, params, sessionId }))
      return answer.promise as Promise<T>
    },
    on: (event, listener) => void listeners.set(`${sessionId} ${event}`, listener),
  })
}

async function openPage(sessionOf: SessionOf, { url, cookie }: Visit): Promise<OpenPage> {
  const browser = sessionOf()
  const { browserContextId } = await browser.send<{ browserContextId: string }>(
    'Target.createBrowserContext',
  )
  if (cookie !== null) {
    const [name = '', value = ''] = cookie.split('=')
    await browser.send('Storage.setCookies', { browserContextId, cookies: [{ name, value, url }] })
  }
  const { targetId } = await browser.send<{ targetId: string }>('Target.createTarget', {
    ...{ url: 'about:blank', browserContextId },
  })
  const { sessionId } = await browser.send<{ sessionId: string }>('Target.attachToTarget', {
    ...{ targetId, flatten: true },
  })
  const page = sessionOf(sessionId)
  await page.send('Page.enable')
  const close = async (): Promise<void> => {
    await browser.send('Target.disposeBrowserContext', { browserContextId })
  }
  return { ...page, close }
}
