// Runs several test files in this process, each as a suite of its path: what they import is loaded once. What
// they share is ended after the last of them.
import { after, suite } from 'node:test'
import { pathToFileURL } from 'node:url'
import { endAll } from './shared.ts'

for (const path of process.argv.slice(2)) {
  suite(path, async () => {
    await import(pathToFileURL(path).href)
  })
}
after(endAll)
