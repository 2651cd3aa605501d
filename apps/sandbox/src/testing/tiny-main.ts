// The program as it is, on the tiny world: for tests that start and kill it.
import { runSandbox } from '../run.ts'
import { createTinyWorld } from './tiny-world.ts'

await runSandbox(createTinyWorld)
