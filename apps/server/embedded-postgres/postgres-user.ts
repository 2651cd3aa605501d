// PostgreSQL refuses to run as root, and containers often give us nothing but root. So the server is
// started as another user, in the first way that works here:
//   1. we are not root: as ourselves;
//   2. in a user namespace where our uid carries another number (files stay ours);
//   3. as the user `postgres` or `nobody`, which then owns the database folder;
//   4. the same, keeping the right to pass through folders that are closed to that user, such as /root.
import { execFile } from 'node:child_process'
import { chownSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CannotStart } from '../src/infra/process/cannot-start.ts'

/** How to run a PostgreSQL program, and who owns the files that it writes, as seen from here. */
export interface PostgresUser {
  readonly prefix: readonly string[]
  readonly ids: { readonly uid: number; readonly gid: number } | null
  readonly owner: { readonly uid: number; readonly gid: number }
}

/** Finds a user as whom `binary` runs and may write to `folder`, and gives the folder to that user. */
export async function choosePostgresUser(binary: string, folder: string): Promise<PostgresUser> {
  const uid = process.getuid?.() ?? -1
  const gid = process.getgid?.() ?? -1
  const myself: PostgresUser = { prefix: [], ids: null, owner: { uid, gid } }
  if (uid !== 0) return myself
  for (const user of candidates()) {
    chownTree(folder, user.owner)
    if (await worksAs(user, binary, folder)) return user
  }
  throw new CannotStart(
    'PostgreSQL refuses to run as root, and it could be started neither in a user namespace nor as ' +
      'another user. Start Tradepost as an ordinary user, or set DATABASE_URL.',
  )
}

/** The command, arguments and options with which to spawn a PostgreSQL program as that user. */
export function commandAs(
  user: PostgresUser,
  command: readonly string[],
): { file: string; args: string[]; ids: { uid?: number; gid?: number } } {
  const [file = '', ...args] = [...user.prefix, ...command]
  return { file, args, ids: user.ids ?? {} }
}

/** Gives a folder with all that is in it to a user; does nothing where the folder is theirs already. */
export function chownTree(path: string, owner: { uid: number; gid: number }): void {
  const found = lstatSync(path)
  if (found.uid === owner.uid && found.gid === owner.gid) return
  if (found.isDirectory()) for (const name of readdirSync(path)) chownTree(join(path, name), owner)
  // Last, so that an interrupted change of owner is found unfinished and done again.
  if (!found.isSymbolicLink()) chownSync(path, owner.uid, owner.gid)
}

function* candidates(): Generator<PostgresUser> {
  yield {
    prefix: ['unshare', '--user', '--map-user=65534', '--map-group=65534', '--'],
    ids: null,
    owner: { uid: 0, gid: 0 },
  }
  const owners = ['postgres', 'nobody'].map(findUser).filter((found) => found !== null)
  for (const owner of owners) yield { prefix: [], ids: owner, owner }
  for (const owner of owners) {
    const { uid, gid } = owner
    const keep = '+dac_override'
    yield {
      prefix: [
        'setpriv',
        ...[`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'],
        ...[`--inh-caps=${keep}`, `--ambient-caps=${keep}`, '--'],
      ],
      ids: null,
      owner,
    }
  }
}

function worksAs(user: PostgresUser, binary: string, folder: string): Promise<boolean> {
  const probe = 'cd "$1" && test -w . && exec "$2" --version'
  const { file, args, ids } = commandAs(user, ['sh', '-c', probe, 'sh', folder, binary])
  return new Promise((resolve) => {
    execFile(file, args, { ...ids, timeout: 10_000 }, (error) => resolve(error === null))
  })
}

function findUser(name: string): { uid: number; gid: number } | null {
  let users: string
  try {
    users = readFileSync('/etc/passwd', 'utf8')
  } catch {
    return null
  }
  const fields = users
    .split('\n')
    .find((line) => line.startsWith(`${name}:`))
    ?.split(':')
  return fields ? { uid: Number(fields[2]), gid: Number(fields[3]) } : null
}
