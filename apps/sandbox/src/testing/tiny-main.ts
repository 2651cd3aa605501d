// The program as it is, on the tiny dataset: for tests that start and kill it.
import { runSandbox } from '../run.ts'
import { createTinyDataset } from './tiny-dataset.ts'

await runSandbox(createTinyDataset)
