// The image of deploy/Containerfile, built by buildah in a folder of its own. Where no registry of images is
// to be asked, its BASE is made of this machine's own programs: npm, a shell, and what its steps call.
import { execFile, execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from '../support/child.ts'

const run = promisify(execFile)

/** As an image says how it is started. */
export interface ImageConfig {
  readonly Entrypoint: readonly string[]
  readonly Cmd: readonly string[]
  readonly Env: readonly string[]
  readonly User: string
  readonly Healthcheck?: { readonly Test: readonly string[] }
}

export interface Image {
  /** Its root, where it can be looked at and started. */
  readonly root: string
  readonly bytes: number
  readonly config: ImageConfig
  readonly tag: string
  /** Arguments by which buildah and podman find it. */
  readonly storage: readonly string[]
}

/** What the steps of the Containerfile call. */
const PROGRAMS = [
  ...['sh', 'bash', 'node', 'env', 'find', 'grep', 'xargs', 'ldd', 'uname', 'cat', 'sed'],
  ...['cp', 'mv', 'rm', 'mkdir', 'chmod', 'chown'],
]
/** What every distribution has beside its C library, for programs that packages of npm bring. */
const LIBRARIES = /^lib(rt|pthread|dl|util|resolv|anl|m|nss_\w+|stdc\+\+|gcc_s)\.so\.\d+$/
const BASE = 'localhost/tradepost-drill-base'
const TAG = 'localhost/tradepost-drill'
const BUILD_MS = 20 * 60_000

export async function buildImage({
  folder,
  base,
  signal,
}: {
  readonly folder: string
  /** Null: it is made here. */
  readonly base: string | null
  readonly signal: AbortSignal
}): Promise<Image> {
  const places = ['--root', join(folder, 'storage'), '--runroot', join(folder, 'run')]
  const storage = [...places, '--storage-driver', 'vfs']
  const buildah = async (...args: readonly string[]): Promise<string> => {
    const options = { signal, timeout: BUILD_MS, maxBuffer: 100_000_000 }
    return (await run('buildah', [...storage, ...args], options)).stdout.trim()
  }
  if (base === null) {
    const context = makeBase(join(folder, 'base'))
    await buildah('build', '--isolation', 'chroot', '-t', BASE, context)
  }
  await buildah(
    ...['build', '--isolation', 'chroot', '--format', 'docker', '-t', TAG],
    ...['-f', join(ROOT, 'deploy/Containerfile'), '--ignorefile', join(ROOT, '.containerignore')],
    ...['--build-arg', `BASE=${base ?? BASE}`, ...npmVolumes()],
    ROOT,
  )
  const { Docker } = JSON.parse(await buildah('inspect', '--type', 'image', TAG)) as {
    readonly Docker: { readonly config: ImageConfig }
  }
  const container = await buildah('from', '--pull-never', TAG)
  const root = await buildah('mount', container)
  const { stdout } = await run('du', ['--summarize', '--bytes', root])
  const bytes = Number(stdout.split('\t')[0])
  return { root, bytes, config: Docker.config, tag: TAG, storage }
}

/** A folder with the programs, their libraries and npm, as the context of an image that is only this. */
function makeBase(folder: string): string {
  mkdirSync(join(folder, 'tmp'), { recursive: true, mode: 0o1777 })
  for (const name of ['bin', 'sbin', 'lib', 'lib64']) {
    mkdirSync(join(folder, 'usr', name), { recursive: true })
    symlinkSync(join('usr', name), join(folder, name))
  }
  const copy = (path: string): void => {
    const to = join(folder, path)
    mkdirSync(dirname(to), { recursive: true })
    cpSync(realpathSync(path), to, { recursive: true, verbatimSymlinks: true })
  }
  for (const name of PROGRAMS) {
    const path = which(name)
    copy(path)
    for (const library of librariesOf(path)) copy(library)
  }
  const libc = librariesOf(which('node')).find((path) => path.endsWith('/libc.so.6')) ?? ''
  for (const name of readdirSync(dirname(libc)).filter((name) => LIBRARIES.test(name)))
    copy(join(dirname(libc), name))
  const npm = realpathSync(which('npm'))
  copy(dirname(dirname(npm)))
  symlinkSync(npm, join(folder, 'usr/bin/npm'))
  mkdirSync(join(folder, 'etc'))
  writeFileSync(join(folder, 'etc/passwd'), 'root:x:0:0::/root:/bin/sh\n')
  writeFileSync(join(folder, 'etc/group'), 'root:x:0:\n')
  mkdirSync(join(folder, 'root'))
  writeFileSync(join(folder, 'Containerfile'), 'FROM scratch\nCOPY . /\nENV PATH=/usr/bin\n')
  return folder
}

/** Not those of npm scripts, which this is started by. */
function which(name: string): string {
  const found = ['/usr/bin', '/bin', '/usr/local/bin', '/usr/sbin']
    .map((path) => join(path, name))
    .find((path) => existsSync(path))
  if (found === undefined) throw new Error(`this machine has no ${name}`)
  return found
}

function librariesOf(path: string): string[] {
  try {
    return execFileSync('ldd', [path], { encoding: 'utf8', stdio: 'pipe' }).match(/\/\S+/g) ?? []
  } catch {
    // A script has none.
    return []
  }
}

/** How npm reaches its registry on this machine. */
function npmVolumes(): string[] {
  const ask = (name: string): string =>
    execFileSync('npm', ['config', 'get', name], { encoding: 'utf8', cwd: '/' }).trim()
  const files = [
    [ask('userconfig'), '/root/.npmrc'],
    [ask('globalconfig'), '/usr/etc/npmrc'],
    [ask('cafile'), ask('cafile')],
  ] as const
  return files
    .filter(([from]) => existsSync(from))
    .flatMap(([from, to]) => ['--volume', `${from}:${to}:ro`])
}
