export { createDataset } from './create-dataset.ts'
export type * from './types.ts'
