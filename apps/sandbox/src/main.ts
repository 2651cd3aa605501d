import { createDataset } from './dataset/index.ts'
import { runSandbox } from './run.ts'

await runSandbox(createDataset)
