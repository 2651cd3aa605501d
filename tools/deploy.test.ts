// The files of deploy/ agree with the program: roles, settings, ports. What reads them for good (systemd, a
// container runtime, a cluster) is asked where it is installed.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { parse, parseAllDocuments } from 'yaml'
import { DOWNLOADS, PAGES } from '../apps/server/src/edges/http/docs/site/pages.ts'
import { readConfig } from '../apps/server/src/main/config.ts'
import type { Setting } from '../apps/server/src/main/setting-forms.ts'
import { SETTINGS } from '../apps/server/src/main/settings.ts'
import { SCRIPT_OF } from './role.ts'

const ROOT = join(import.meta.dirname, '..')
const DEPLOY = join(ROOT, 'deploy')
const SETTINGS_BY_NAME = SETTINGS.properties as Readonly<Record<string, Setting<unknown>>>
const folder = mkdtempSync(join(tmpdir(), 'tradepost-deploy-'))
after(() => rmSync(folder, { recursive: true }))

const read = (path: string): string => readFileSync(join(DEPLOY, path), 'utf8')
const isRole = (word: string | undefined): boolean => Object.hasOwn(SCRIPT_OF, word ?? '')

/** Why not, in words; false where it is. */
const without = (program: string): string | false =>
  spawnSync(program, ['--version']).error ? `${program} is not installed` : false

/** What reads the file of Compose: its program, and what only one that can do so answers well. */
const COMPOSERS = [
  { command: ['docker', 'compose'], probe: ['version'] },
  // 1.0.3, of Debian 12, has no `config`.
  { command: ['podman-compose'], probe: ['config', '--help'] },
] as const
const composer = COMPOSERS.find(({ command: [program, ...args], probe }) => {
  return spawnSync(program, [...args, ...probe], { stdio: 'ignore' }).status === 0
})
const noComposer =
  composer === undefined && 'no docker compose, and no podman-compose with “config”, is installed'

/** Settings that exist, and secrets only as files. */
function assertSettings(names: readonly string[]): void {
  for (const name of names) {
    const base = name.replace(/_FILE$/, '')
    const setting = SETTINGS_BY_NAME[base]
    assert.ok(setting, `${name} is no setting`)
    // An address of Valkey without a password is none.
    if (base !== 'REDIS_URL') assert.equal(setting.secret === true, name !== base, name)
  }
}

/** What a start makes of these settings, with a value for each file and each variable that has none. */
function assertStarts(settings: Readonly<Record<string, string>>): void {
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries(settings)) {
    if (name.endsWith('_FILE')) {
      const file = join(folder, name)
      const text = name.startsWith('DATABASE')
        ? 'postgres://u:p@postgres/tradepost'
        : '0'.repeat(64)
      writeFileSync(file, text, { mode: 0o600 })
      env[name] = file
    } else env[name] = value.replace(/\$\{\w+:\?.*\}/, 'https://a.example/').replace(/\$\{.*\}/, '')
  }
  assert.equal(readConfig(env).environment.kind, 'production')
}

interface Service {
  readonly image: string
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly ports?: readonly string[]
  readonly mem_limit?: string
  readonly read_only?: boolean
  readonly profiles?: readonly string[]
  readonly volumes?: readonly string[]
  readonly networks?: readonly string[]
  readonly network_mode?: string
}

describe('compose.yml', () => {
  const { services, secrets } = parse(read('compose.yml'), { merge: true }) as {
    readonly services: Readonly<Record<string, Service>>
    readonly secrets: Readonly<Record<string, { readonly file?: string }>>
  }
  const { signer, ...others } = services
  const ours = Object.values(others).filter(({ image }) => image.startsWith('tradepost:'))

  it('starts two api, two worker and one migrate, by roles and settings that exist', () => {
    const roles = ours.map(({ command }) => command?.[0] ?? '')
    assert.deepEqual(roles.toSorted(), ['api', 'api', 'migrate', 'worker', 'worker'])
    assert.ok(roles.every(isRole))
    for (const { environment = {}, read_only } of ours) {
      assert.equal(read_only, true)
      assertSettings(Object.keys(environment))
      assertStarts(environment)
    }
  })

  it('has a limit for each service, ports on loopback alone, and passwords only as files', () => {
    for (const [name, { mem_limit, ports = [], environment = {} }] of Object.entries(services)) {
      assert.ok(mem_limit, name)
      for (const port of ports) assert.match(port, /^127\.0\.0\.1:/)
      for (const key of Object.keys(environment)) {
        if (/PASSWORD|KEY/.test(key)) assert.match(key, /_FILE$/)
      }
    }
    for (const { file } of Object.values(secrets)) assert.match(file ?? '', /^\.\/secrets\//)
  })

  it('keeps the signer from every network, and leads its socket to the workers alone', () => {
    assert.deepEqual(signer?.command, ['signer'])
    assert.deepEqual([signer?.network_mode, signer?.networks], ['none', undefined])
    assert.equal(signer?.read_only, true)
    const [folder = ''] =
      /^\/run\/tradepost(?=\/)/.exec(signer?.environment?.SIGNER_SOCKET ?? '') ?? []
    const mount = `signer-socket:${folder}`
    const mounted = Object.entries(services).filter(([, { volumes = [] }]) =>
      volumes.includes(mount),
    )
    assert.deepEqual(
      mounted.map(([name]) => name),
      ['worker-1', 'worker-2', 'signer'],
    )
    // A volume takes over the owner of the folder that the image has there.
    assert.match(read('Containerfile'), /mkdir -p .*\/image\/run\/tradepost /)
    assert.match(read('Containerfile'), /chown -R 1000:1000 .*\/image\/run\/tradepost /)
  })

  it('has the signer, the sandbox, Prometheus and Grafana only by their profiles', () => {
    const optional = Object.entries(services).filter(([, { profiles }]) => profiles)
    assert.deepEqual(
      optional.map(([name, { profiles }]) => [name, profiles]),
      [
        ['signer', ['signer']],
        ['sandbox', ['sandbox']],
        ['prometheus', ['observability']],
        ['grafana', ['observability']],
      ],
    )
    const names = [...read('compose/sandbox.env').matchAll(/^(\w+)=/gm)].map(
      ([, name = '']) => name,
    )
    assertSettings(names)
  })

  it('its Prometheus and its balancer ask the ports of its processes', () => {
    const port = SETTINGS_BY_NAME.PORT?.default as number
    for (const [role, metricsPort] of [
      ['api', port + 2],
      ['worker', port + 3],
    ] as const) {
      const targetsOf = (path: string): string[] =>
        (parse(read(path)) as { targets: string[] }[]).flatMap(({ targets }) => targets)
      const names = Object.keys(services).filter((name) => name.startsWith(`${role}-`))
      assert.deepEqual(
        targetsOf(`compose/targets/${role}.yml`),
        names.map((name) => `${name}:${metricsPort}`),
      )
      assert.deepEqual(targetsOf(`prometheus/targets/${role}.yml`), [`127.0.0.1:${metricsPort}`])
    }
    const balanced = [...read('compose/haproxy.cfg').matchAll(/^ {2}server \S+ ([\w-]+):(\d+)$/gm)]
    assert.deepEqual(
      balanced.map(([, name]) => name),
      Object.keys(services).filter((name) => name.startsWith('api-')),
    )
    for (const [, , asked] of balanced) assert.equal(Number(asked), port)
  })

  it('its Prometheus and its Grafana find their files in deploy', () => {
    for (const name of ['prometheus', 'grafana']) {
      for (const volume of services[name]?.volumes ?? []) {
        const [path = ''] = volume.split(':')
        if (path.startsWith('.')) assert.ok(existsSync(join(DEPLOY, path)), path)
      }
    }
    const { datasources } = parse(read('grafana/provisioning/datasources/tradepost.yml'))
    assert.deepEqual(
      datasources.map(({ type, url }: { type: string; url: string }) => [type, url]),
      [['prometheus', '$PROMETHEUS_URL']],
    )
    const { providers } = parse(read('grafana/provisioning/dashboards/tradepost.yml'))
    const mounts = services.grafana?.volumes ?? []
    for (const { options } of providers) {
      assert.ok(mounts.includes(`./grafana:${options.path}:ro`), options.path)
    }
  })

  it('is read by docker compose or podman-compose', { skip: noComposer }, () => {
    const [program = '', ...args] = composer?.command ?? []
    const env = {
      ...process.env,
      MARKET_A_URL: 'x',
      MARKET_B_URL: 'x',
      CATALOG_URL: 'x',
      PUBLIC_URL: 'x',
    }
    execFileSync(program, [...args, '-f', join(DEPLOY, 'compose.yml'), 'config'], { env })
  })
})

interface Manifest {
  readonly kind: string
  readonly metadata?: { readonly name: string }
  readonly data?: Readonly<Record<string, string>>
  readonly spec?: {
    readonly replicas?: number
    readonly template?: { readonly spec: PodSpec }
  }
}

interface PodSpec {
  readonly containers: readonly {
    readonly name: string
    readonly args?: readonly string[]
    readonly env?: readonly { readonly name: string; readonly value: string }[]
    readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[]
  }[]
  readonly volumes?: readonly {
    readonly name: string
    readonly persistentVolumeClaim?: { readonly claimName: string }
  }[]
}

const readManifests = (path: string): Manifest[] =>
  parseAllDocuments(read(path)).map((document) => {
    assert.deepEqual(document.errors, [], path)
    return document.toJS() as Manifest
  })

it('the Kubernetes manifests start api, worker and migrate with settings that exist, two of each that serves', () => {
  const manifests = readdirSync(join(DEPLOY, 'kubernetes')).flatMap((name) =>
    readManifests(`kubernetes/${name}`),
  )
  const kinds = manifests.map(({ kind }) => kind).toSorted()
  assert.deepEqual(kinds, [
    ...['ConfigMap', 'Deployment', 'Deployment', 'Job', 'PersistentVolumeClaim'],
    ...['PodDisruptionBudget', 'PodDisruptionBudget', 'Service'],
  ])
  const roles = manifests.flatMap(({ spec }) =>
    (spec?.template?.spec.containers ?? []).map(({ args }) => args?.[0]),
  )
  assert.deepEqual(roles.toSorted(), ['api', 'migrate', 'worker'])
  const { data = {} } = manifests.find(({ kind }) => kind === 'ConfigMap') ?? {}
  assertSettings(Object.keys(data))
  assertStarts(data)
})

it('the Kubernetes manifests of the signer start it once, and lead its socket to every worker', () => {
  const manifests = readManifests('kubernetes-signer/signer.yaml')
  const signer = manifests.find(({ kind }) => kind === 'Deployment')
  assert.equal(signer?.spec?.replicas, 1)
  const pod = signer.spec.template?.spec
  assert.deepEqual(pod?.containers[0]?.args, ['signer'])
  const [patch] = readManifests('kubernetes-signer/worker.yaml')
  const worker = patch?.spec?.template?.spec
  /** The claim of what is mounted where the socket is. */
  const claimOf = (spec: PodSpec | undefined): string | undefined => {
    const mount = spec?.containers[0]?.volumeMounts?.find(
      ({ mountPath }) => mountPath === '/run/tradepost',
    )
    return spec?.volumes?.find(({ name }) => name === mount?.name)?.persistentVolumeClaim?.claimName
  }
  assert.equal(claimOf(pod), claimOf(worker))
  const socket = pod?.containers[0]?.env?.find(({ name }) => name === 'SIGNER_SOCKET')
  assert.equal(socket?.value, '/run/tradepost/signer.sock')
  const claims = manifests.filter(({ kind }) => kind === 'PersistentVolumeClaim')
  assert.ok(claims.some(({ metadata }) => metadata?.name === claimOf(worker)))
  const [workers] = readManifests('kubernetes/worker.yaml').filter(
    ({ kind }) => kind === 'Deployment',
  )
  const names = (spec: PodSpec | undefined) => spec?.containers.map(({ name }) => name)
  assert.deepEqual(names(worker), names(workers?.spec?.template?.spec), 'it patches that container')
})

describe('the units', () => {
  const names = readdirSync(join(DEPLOY, 'systemd'))
  const services = names.filter((name) => name.endsWith('.service'))
  // Where the checkout of a server is, this one stands.
  for (const name of names) {
    writeFileSync(join(folder, name), read(`systemd/${name}`).replaceAll('/srv/tradepost', ROOT))
  }
  const noSystemd = without('systemd-analyze')

  it('start roles that exist', () => {
    for (const name of services) {
      const [, role] =
        /^ExecStart=\S+\/node tools\/role\.ts (\w+)/m.exec(read(`systemd/${name}`)) ?? []
      assert.ok(isRole(role), name)
    }
  })

  it('are taken by systemd without a warning', { skip: noSystemd }, () => {
    const { stderr, status } = spawnSync('systemd-analyze', ['verify', ...names], {
      cwd: folder,
      encoding: 'utf8',
    })
    const aboutOurs = stderr.split('\n').filter((line) => line.includes('tradepost'))
    assert.deepEqual(aboutOurs, [])
    assert.equal(status, 0)
  })

  it('are exposed by 3 of 10 at most', { skip: noSystemd }, () => {
    const args = ['security', '--offline=true', '--threshold=30', ...services]
    execFileSync('systemd-analyze', args, { cwd: folder, stdio: 'ignore' })
  })
})

describe('the Containerfile', () => {
  const text = read('Containerfile')

  it('runs programs that are there, as a user of its own, with settings that exist', () => {
    const programs = [...text.matchAll(/"\/srv\/tradepost\/(tools\/\w+\.ts)"/g)].map(
      ([, path]) => path,
    )
    assert.deepEqual(programs.toSorted(), ['tools/health.ts', 'tools/role.ts'])
    for (const path of programs) assert.ok(existsSync(join(ROOT, path ?? '')), path)
    assert.match(text, /^USER 1000:1000$/m)
    assert.ok(isRole(/^CMD \["(\w+)"\]$/m.exec(text)?.[1]))
    const [, settings = ''] = /^ENV NODE_ENV=production ((?:.*\\\n)*.*)$/m.exec(text) ?? []
    const named = [...settings.matchAll(/(\w+)=/g)].map(([, name = '']) => name)
    assertSettings(named.filter((name) => !name.startsWith('SIGNER_')))
  })

  it('has every file that the documentation shows', () => {
    const kept: readonly string[] =
      readFileSync(join(ROOT, '.containerignore'), 'utf8').match(/(?<=^!).+$/gm) ?? []
    for (const { file } of [...PAGES, ...Object.values(DOWNLOADS)]) {
      assert.ok(kept.includes(file.split('/')[0] ?? ''), file)
    }
  })

  it('is taken by hadolint', { skip: without('hadolint') }, () => {
    execFileSync('hadolint', [join(DEPLOY, 'Containerfile')])
  })
})
