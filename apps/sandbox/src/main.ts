try {
  const [{ createDataset }, { runSandbox }] = await Promise.all([
    import('./dataset/index.ts'),
    import('./run.ts'),
  ])
  await runSandbox(createDataset)
} catch (error) {
  if ((error as { code?: string }).code !== 'ERR_MODULE_NOT_FOUND') throw error
  process.stderr.write(
    'The packages of the sandbox are not installed: run `npm ci`, without --omit=dev. ' +
      'Production needs none of them: it sets MARKET_A_URL and the settings beside it.\n',
  )
  process.exitCode = 1
}
