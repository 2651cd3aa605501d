import { runSandbox } from './run.ts'
import { createWorld } from './world/index.ts'

await runSandbox(createWorld)
