// The process that makes load.
import { answerWith } from '../ipc.ts'
import { type LoadResult, type LoadTask, runLoad } from './client.ts'

const methods = { run: (task: LoadTask): Promise<LoadResult> => runLoad(task) }
export type LoadMethods = typeof methods

answerWith(methods)
