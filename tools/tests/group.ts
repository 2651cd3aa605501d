// Runs several test files in this process, each as a suite of its path: what they import is loaded once.
import { suite } from 'node:test'
import { pathToFileURL } from 'node:url'

for (const path of process.argv.slice(2)) {
  suite(path, async () => {
    await import(pathToFileURL(path).href)
  })
}
