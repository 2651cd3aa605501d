// The suites of the deposit ports against the sandbox program.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe } from 'node:test'
import { createHttpClient, type HttpClient } from '#infra/http/http-client'
import { systemClock } from '#infra/process/clock'
import { silentLog } from '#infra/process/log'
import { createMetrics } from '#infra/process/metrics'
import type { NoticeHeaders } from '#ports/deposits'
import { createGateway } from '../gateway/index.ts'
import { createOnramp } from '../onramp/index.ts'
import { toProviderId } from '../shared/deposit-ids.ts'
import { type DepositEnvironment, type GatewayUnderTest, registerGateway } from './deposits.ts'
import { eventually } from './environment.ts'
import { type OnrampUnderTest, registerOnramp } from './onramp.ts'
import { type SandboxProgram, startSandboxProgram } from './sandbox.ts'

const WALLET = `0x${'5a'.repeat(20)}`

interface Received {
  readonly path: string
  readonly headers: NoticeHeaders
  readonly body: Buffer
}

const received: Received[] = []
let sandbox: SandboxProgram
let service: Server
let http: HttpClient
let gateway: GatewayUnderTest
let onramp: OnrampUnderTest

before(async () => {
  service = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { url: path = '', headers } = request
      received.push({ path, headers, body: Buffer.concat(chunks) })
      response.end('{"returnCode":"SUCCESS","returnMessage":""}')
    })
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => service.once('listening', resolve))
  const { port } = service.address() as AddressInfo
  sandbox = await startSandboxProgram({
    SANDBOX_LISTINGS: '0',
    SANDBOX_CHANGES_PER_SECOND: '0',
    SANDBOX_CHAINS: 'off',
    SANDBOX_NOTICE_URL: `http://127.0.0.1:${port}`,
    SANDBOX_GATEWAY_SETTINGS: '{"confirmMs":100,"convertMs":300}',
    SANDBOX_ONRAMP_APP_ID: '1,2',
  })
  http = createHttpClient({ log: silentLog, metrics: createMetrics() })
  gateway = gatewayUnderTest()
  onramp = onrampUnderTest()
})
after(async () => {
  await http.close()
  await sandbox.stop()
  service.closeAllConnections()
  service.close()
})

const BREAKER = { faultsToOpen: 3, openMs: 200, maxOpenMs: 400 }
const dead = 'http://127.0.0.1:9'
const deps = () => ({ http, clock: systemClock, log: silentLog, metrics: createMetrics() })

function gatewayUnderTest(): GatewayUnderTest {
  const open = (baseUrl: string, deadlineMs: number) =>
    createGateway(
      {
        ...{ baseUrl, clientId: 'sandbox-gateway', secret: 'sandbox-gateway-secret', feeBps: 50 },
        timing: { deadlineMs, breaker: BREAKER },
      },
      deps(),
    )
  const url = `${sandbox.url}/gateway`
  return {
    gateway: open(url, 5_000),
    impatient: open(url, 200),
    astray: open(dead, 1_000),
    environment: {
      ...environmentOf('gateway'),
      showPayments: async (paymentLists) =>
        void (await sandbox.control('PUT', '/gateway', { paymentLists })),
    },
  }
}

function onrampUnderTest(): OnrampUnderTest {
  const open = (baseUrl: string, deadlineMs: number) =>
    createOnramp(
      {
        ...{ baseUrl, apiKey: 'sandbox-onramp', secret: 'sandbox-onramp-secret', wallet: WALLET },
        ...{ widgetUrl: `${sandbox.url}/onramp/main/buy`, appId: '1' },
        timing: { deadlineMs, breaker: BREAKER },
      },
      deps(),
    )
  const url = `${sandbox.url}/onramp`
  return {
    onramp: open(url, 5_000),
    astray: open(dead, 1_000),
    environment: environmentOf('onramp'),
  }
}

const environmentOf = (party: 'gateway' | 'onramp'): DepositEnvironment => ({
  script: async (...next) => void (await sandbox.control('POST', `/${party}/script`, { next })),
  setOnline: async (online) => void (await sandbox.control('PUT', `/${party}`, { online })),
  act: async (orderId, verb, body = {}) =>
    void (await sandbox.control('POST', `/${party}/${orderId}/${verb}`, body)),
  notice: (orderId) =>
    eventually('a notice', async () =>
      received.find(
        ({ path, body }) =>
          path === `/inbound/${party}` && body.toString('utf8').includes(toProviderId(orderId)),
      ),
    ),
})

describe('the payment gateway', () => registerGateway(() => gateway))
describe('the card on-ramp', () => registerOnramp(() => onramp))
